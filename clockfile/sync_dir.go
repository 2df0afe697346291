//go:build !windows

package clockfile

import (
	"os"
	"path/filepath"
)

// syncName syncs the directory, which is what holds the name.
func syncName(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
