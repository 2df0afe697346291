//go:build nostock

package compare

// Benchmarks without a stock of random bytes, by the build tag nostock.

import _ "github.com/oneclock/ids/nostock"
