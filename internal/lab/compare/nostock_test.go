//go:build nostock

package compare

import _ "github.com/oneclock/ids/nostock"
