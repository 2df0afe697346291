//go:build !go1.26

package ids

// FIPS 140 before Go 1.26.

// exempt calls f. Go 1.25 has no exemptions, so f panics if GODEBUG=fips140=only forbids its hash.
func exempt(f func()) { f() }
