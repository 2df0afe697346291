package main

import (
	"encoding/binary"
	"io"
)

// A packer writes numbers of any width without gaps, the first bit first.
type packer struct {
	w   io.Writer
	buf []byte
	acc uint64 // the lowest n bits are not yet in buf
	n   int
}

// add writes the lowest width bits of v, which has no others.
func (p *packer) add(v uint64, width int) {
	if p.n+width <= 64 {
		p.acc = p.acc<<width | v
		p.n += width
		return
	}
	rest := p.n + width - 64
	p.buf = binary.BigEndian.AppendUint64(p.buf, p.acc<<(64-p.n)|v>>rest)
	p.acc, p.n = v&(1<<rest-1), rest
}

// flush writes what is complete.
func (p *packer) flush() error {
	_, err := p.w.Write(p.buf)
	p.buf = p.buf[:0]
	return err
}

// write writes the bits of a source: at least so many bytes, or without end if limit is 0.
func write(w io.Writer, s source, limit int64) error {
	p := packer{w: w}
	numbers := make([]number, 1<<13)
	for written := int64(0); limit == 0 || written < limit; {
		s.fill(numbers)
		for _, x := range numbers {
			if s.width > 64 {
				p.add(x.hi, s.width-64)
			}
			p.add(x.lo, min(s.width, 64))
		}
		if limit != 0 {
			p.buf = p.buf[:min(int64(len(p.buf)), limit-written)]
		}
		written += int64(len(p.buf))
		if err := p.flush(); err != nil {
			return err
		}
	}
	return nil
}
