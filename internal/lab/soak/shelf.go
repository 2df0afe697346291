package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
)

// A shelf holds ids of one kind in a file, as sorted runs. An id is written as its difference from the
// one before it, so that it takes 2 to 17 bytes, most often 3 to 9.
type shelf struct {
	kind  kind
	file  *os.File
	ends  []int64 // where each run ends in the file
	ids   int64
	equal int64        // how many of them equal another of the same history
	size  atomic.Int64 // of the file

	buf  []byte
	keys []key
}

// newShelf returns an empty shelf, with a new file in a directory.
func newShelf(dir string, k kind) (*shelf, error) {
	file, err := os.Create(filepath.Join(dir, fmt.Sprintf("kind-%d", k)))
	return &shelf{kind: k, file: file}, err
}

// add puts the ids of a history on the shelf, and returns how many of them equal another of the
// history.
func (s *shelf) add(h *history) (equal int, err error) {
	keys := s.keys[:0]
	for i := range h.parts {
		keys = append(keys, h.parts[i].ids[s.kind]...)
	}
	s.keys = keys
	for i, x := range keys {
		keys[i] = s.kind.arranged(x)
	}
	slices.SortFunc(keys, compare)
	w := bufio.NewWriterSize(writerFunc(s.append), chunk)
	var before key
	for i, x := range keys {
		if i > 0 && x == before {
			equal++
		}
		s.buf = binary.AppendUvarint(s.buf[:0], x.hi-before.hi)
		s.buf = binary.AppendVarint(s.buf, int64(x.lo-before.lo))
		if _, err := w.Write(s.buf); err != nil {
			return equal, err
		}
		before = x
	}
	if err := w.Flush(); err != nil {
		return equal, err
	}
	s.ends = append(s.ends, s.size.Load())
	s.ids += int64(len(keys))
	return equal, nil
}

// append writes p at the end of the file.
func (s *shelf) append(p []byte) (int, error) {
	n, err := s.file.WriteAt(p, s.size.Load())
	s.size.Add(int64(n))
	return n, err
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// merge reads all runs side by side, in ascending order of all their ids. It returns how many ids
// there are, and how many of them equal the one before.
func (s *shelf) merge() (ids, equal int64, err error) {
	var heap []*cursor // no cursor's id is less than that of its parent, the one at half its index
	at := int64(0)
	for _, end := range s.ends {
		c := &cursor{r: io.NewSectionReader(s.file, at, end-at), buf: make([]byte, 0, chunk)}
		at = end
		switch more, err := c.next(); {
		case err != nil:
			return 0, 0, err
		case more:
			heap = append(heap, c)
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	var before key
	for len(heap) > 0 {
		c := heap[0]
		if ids > 0 && !before.less(c.key) {
			if c.key != before {
				return ids, equal, fmt.Errorf("%s: a run of %d ids is not sorted", s.file.Name(), c.read)
			}
			equal++
		}
		before = c.key
		ids++
		more, err := c.next()
		if err != nil {
			return ids, equal, err
		}
		if !more {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		sink(heap, 0)
	}
	return ids, equal, nil
}

// sink moves the cursor at i down the heap to where it belongs.
func sink(heap []*cursor, i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if heap[child].key.less(heap[least].key) {
				least = child
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

// chunk is how much of a file is read or written at a time, in bytes.
const chunk = 1 << 15

// A cursor reads a run.
type cursor struct {
	r    io.Reader
	buf  []byte // read, from at on not yet used
	at   int
	key  key // the latest
	read int
}

// next reads the next id. more is false at the end of the run.
func (c *cursor) next() (more bool, err error) {
	if len(c.buf)-c.at < 2*binary.MaxVarintLen64 {
		c.buf = c.buf[:copy(c.buf[:cap(c.buf)], c.buf[c.at:])]
		c.at = 0
		n, err := io.ReadFull(c.r, c.buf[len(c.buf):cap(c.buf)])
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return false, err
		}
		if c.buf = c.buf[:len(c.buf)+n]; len(c.buf) == 0 {
			return false, nil
		}
	}
	hi, n := binary.Uvarint(c.buf[c.at:])
	lo, m := binary.Varint(c.buf[c.at+max(n, 0):])
	if n <= 0 || m <= 0 {
		return false, fmt.Errorf("a run is cut off after %d ids", c.read)
	}
	c.at += n + m
	c.key.hi += hi
	c.key.lo += uint64(lo)
	c.read++
	return true, nil
}

// close removes the file.
func (s *shelf) close() error {
	err := s.file.Close()
	if e := os.Remove(s.file.Name()); err == nil {
		err = e
	}
	return err
}
