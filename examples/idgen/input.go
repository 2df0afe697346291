package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// longest is one more than the bytes that a line may have, with its line end: what is held of
// the input at a time.
const longest = 64 << 10

// An input is what a command works on: an argument or a line of standard input.
type input struct {
	text string
	line int // of standard input, from 1; 0 for an argument
}

// inputs calls do for each argument or, if there is none, for each line of standard input,
// without its end, that is not empty. It reports what do refuses and goes on.
func (t *tool) inputs(args []string, do func(input) error) error {
	if len(args) == 0 {
		return t.lines(do)
	}
	for i, arg := range args {
		bad := do(input{text: arg})
		if err := t.stopped(); err != nil {
			return err
		}
		if bad != nil {
			t.refuse(fmt.Sprintf("argument %d", i+1), bad)
		}
	}
	return nil
}

// lines is inputs for standard input.
func (t *tool) lines(do func(input) error) error {
	p := t.newProgress(0)
	defer p.clear()
	r := bufio.NewReaderSize(t.in, longest)
	for n := 1; ; n++ {
		if r.Buffered() == 0 {
			// Whoever types the lines, or pipes them in one by one, waits for an answer.
			if err := t.out.Flush(); err != nil {
				return err
			}
		}
		line, long, err := nextLine(r)
		text := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		var bad error
		switch {
		case long:
			bad = &refusal{longest - 2, fmt.Sprintf("line: longer than %d bytes", longest-2)}
		case text != "":
			bad = do(input{text, n})
		}
		if stopped := t.stopped(); stopped != nil {
			return stopped
		}
		if bad != nil {
			p.clear()
			t.refuse(fmt.Sprintf("line %d", n), bad)
		}
		p.at(n)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading standard input: %w", err)
		}
	}
}

// nextLine returns the next line with its end. Of one that is too long it says so and skips it.
func nextLine(r *bufio.Reader) (line string, long bool, err error) {
	b, err := r.ReadSlice('\n')
	line = string(b)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, long = "", true
		_, err = r.ReadSlice('\n')
	}
	return line, long, err
}

// refuse reports a bad input. It does not repeat it: it may hold anything.
func (t *tool) refuse(where string, err error) {
	t.bad++
	t.out.Flush() // so that output and reports come in the order of the input; if it fails, stopped tells later
	if bad, ok := refused(err, 0).(*refusal); ok {
		where, err = fmt.Sprintf("%s, byte %d", where, bad.at), bad
	}
	fmt.Fprintf(t.errs, "idgen: %s: %v\n", where, err)
}
