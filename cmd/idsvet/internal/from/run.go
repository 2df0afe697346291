package from

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A run is one call of the command.
type run struct {
	library
	report
	patterns []string
	fix      bool

	mu    sync.Mutex
	files map[string][]*file // by their paths, one for each configuration that has the file
	cgo   map[string]bool    // files of which the go command compiles another one
	forks map[string]bool    // folders of modules that are a copy of the old library
}

// A config is a system and a set of build tags for which the program is compiled.
type config struct{ goos, tags string }

func (c config) String() string {
	return strings.TrimSuffix(c.goos+" -tags "+c.tags, " -tags ")
}

// configs returns the systems and tags to look at: those of this machine, and all that are named, each with each.
func configs(goos, tags []string) (all []config) {
	for _, system := range append([]string{cmp.Or(os.Getenv("GOOS"), runtime.GOOS)}, goos...) {
		for _, set := range append([]string{""}, tags...) {
			if c := (config{system, set}); !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all
}
