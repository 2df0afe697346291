package clockfile

import "os"

// syncName flushes the file under its new name. Windows has no way to flush a directory. os.Rename
// replaces a file in one step, which NTFS records in its journal, and to flush a file writes the
// journal that concerns it. Microsoft does not promise that: so a process that ends is covered,
// and a power failure as far as the file system keeps a rename whose file was flushed.
func syncName(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
