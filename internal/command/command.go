// Package command has what the commands idgen and leases, which are of two modules, have in common.
package command

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// Version returns a line with the version of the module that the program was built from, and Go's.
func Version(name string) string {
	version := "of unknown version"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return fmt.Sprintf("%s %s, %s", name, version, runtime.Version())
}

// ParseLayout reads a layout of the user's own: its epoch, tick, bits of the node and of the sequence, and perhaps the word
// nodelast, with commas between. The names are those of the layouts that the command knows, for the error.
func ParseLayout(text, names string) (l ids.SnowflakeLayout, err error) {
	words := strings.Split(text, ",")
	if l.NodeLast = len(words) == 5 && words[4] == "nodelast"; l.NodeLast {
		words = words[:4]
	}
	if len(words) != 4 {
		return l, fmt.Errorf("it must be %s or EPOCH,TICK,NODEBITS,SEQUENCEBITS, such as 2021-01-01,1ms,10,12", names)
	}
	var errs [5]error
	if l.Epoch, errs[0] = time.Parse(time.RFC3339, words[0]); errs[0] != nil {
		l.Epoch, errs[0] = time.Parse(time.DateOnly, words[0])
	}
	l.Tick, errs[1] = time.ParseDuration(words[1])
	l.NodeBits, errs[2] = strconv.Atoi(words[2])
	l.SequenceBits, errs[3] = strconv.Atoi(words[3])
	errs[4] = l.Validate()
	if l.Tick == 0 { // a layout of zeros alone would be Twitter's
		errs[4] = errors.New("the tick is 0")
	}
	return l, cmp.Or(errs[:]...)
}
