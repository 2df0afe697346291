package from

// This file defines the types for one run of the command and for its build configurations. A run
// loads the program for several systems and build tags.

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A run is one execution of the command.
type run struct {
	library
	report
	patterns []string
	fix      bool

	// mu guards the contents of the source files while load collects them.
	mu    sync.Mutex
	files map[string][]*file // by path; one entry for each configuration that compiles the file
	cgo   map[string]bool    // files that use cgo, which are not compiled directly
	forks map[string]bool    // directories of modules that are copies of the old library
}

// A config is a build configuration: an operating system and a set of build tags.
type config struct{ goos, tags string }

func (c config) String() string {
	return strings.TrimSuffix(c.goos+" -tags "+c.tags, " -tags ")
}

// configs returns all combinations of an operating system and a set of build tags. The operating
// systems are $GOOS, which defaults to the system of this machine, and the elements of goos. The
// sets of build tags are the empty set and the elements of tags.
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
