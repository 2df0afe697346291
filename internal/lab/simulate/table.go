package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A table holds ids on disk, so that billions can be compared with each other: in files by a hash of the
// id, each of which memory has room for.
type table struct {
	dir   string
	files [256]*os.File
	bufs  [256]*bufio.Writer
}

// newTable returns an empty table in a new directory of a parent.
func newTable(parent string) (t *table, err error) {
	t = new(table)
	if t.dir, err = os.MkdirTemp(parent, "ids-"); err != nil {
		return nil, err
	}
	for i := range t.files {
		if t.files[i], err = os.Create(filepath.Join(t.dir, fmt.Sprint(i))); err != nil {
			t.close()
			return nil, err
		}
		t.bufs[i] = bufio.NewWriterSize(t.files[i], 1<<14)
	}
	return t, nil
}

// add adds ids.
func (t *table) add(ids []key) error {
	for _, x := range ids {
		const odd = 0x9e3779b97f4a7c15
		var b [16]byte
		binary.LittleEndian.PutUint64(b[:8], x.hi)
		binary.LittleEndian.PutUint64(b[8:], x.lo)
		if _, err := t.bufs[(x.hi*odd^x.lo)*odd>>56].Write(b[:]); err != nil {
			return err
		}
	}
	return nil
}

// distinct returns an error unless there are n ids and no two are equal.
func (t *table) distinct(n int64) error {
	for i := range t.files {
		if err := t.bufs[i].Flush(); err != nil {
			return err
		}
		file, err := os.ReadFile(t.files[i].Name())
		if err != nil {
			return err
		}
		ids := make([]key, 0, len(file)/16)
		for ; len(file) >= 16; file = file[16:] {
			ids = append(ids, key{binary.LittleEndian.Uint64(file), binary.LittleEndian.Uint64(file[8:])})
		}
		n -= int64(len(ids))
		slices.SortFunc(ids, compare)
		for i := range len(ids) - 1 {
			if ids[i] == ids[i+1] {
				return fmt.Errorf("an id was issued twice: %016x%016x", ids[i].hi, ids[i].lo)
			}
		}
	}
	if n != 0 {
		return fmt.Errorf("%d ids were not read again", n)
	}
	return nil
}

// close removes the files.
func (t *table) close() {
	for _, f := range t.files {
		if f != nil {
			f.Close()
		}
	}
	os.RemoveAll(t.dir)
}
