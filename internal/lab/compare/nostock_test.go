//go:build nostock

package compare

// With the build tag nostock, the benchmarks run without a stock of random bytes.

import _ "github.com/oneclock/ids/nostock"
