//go:build go1.26

package ids

// FIPS 140 since Go 1.26.

import "crypto/fips140"

// exempt calls f, which may use hashes that FIPS 140 does not approve.
func exempt(f func()) { fips140.WithoutEnforcement(f) }
