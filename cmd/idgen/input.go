package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
)

// longest is how many bytes a line has at most, without its end.
const longest = 64 << 10

// An input is what a command works on: an argument or a line of standard input.
type input struct {
	text string
	line int // of standard input, from 1; 0 for an argument
}

// inputs calls do for each argument or, if there is none or only "-", for each line of standard
// input, without its end, that is not empty. It reports what do refuses and goes on. At a terminal it
// prompts for what, such as "names".
func (t *tool) inputs(args []string, what string, do func(input) error) error {
	if len(args) == 0 || len(args) == 1 && args[0] == "-" && what != "names" { // a name may be anything
		if t.ask {
			fmt.Fprintf(t.errs, "reading %s from the terminal, one per line; end with %s\n", what, endOfInput())
		}
		return t.lines(do)
	}
	for i, arg := range args {
		in := input{text: arg}
		bad := do(in)
		if err := t.stopped(); err != nil {
			return err
		}
		if bad != nil {
			t.report(t.complaint(fmt.Sprintf("argument %d", i+1), in, bad))
		}
	}
	t.tally(len(args), "arguments")
	return nil
}

// endOfInput returns the keys that end the input at a terminal.
func endOfInput() string {
	if runtime.GOOS == "windows" {
		return "Ctrl-Z and Enter"
	}
	return "Ctrl-D"
}

// lines is inputs for standard input.
func (t *tool) lines(do func(input) error) error {
	r := bufio.NewReaderSize(t.in, longest+len("\r\n"))
	total := 0 // lines that are not empty
	for n := 1; ; n++ {
		if r.Buffered() == 0 {
			// Whoever types the lines, or pipes them in one by one, waits for an answer.
			if err := t.out.Flush(); err != nil {
				return err
			}
		}
		line, long, err := nextLine(r)
		in := input{line, n}
		message := ""
		if long {
			message = fmt.Sprintf("line %d is too long (the limit is %s bytes)", n, grouped(longest))
		} else if in.text != "" {
			if bad := do(in); bad != nil {
				message = t.complaint(fmt.Sprintf("line %d", n), in, bad)
			}
		}
		if stopped := t.stopped(); stopped != nil {
			return stopped
		}
		if long || in.text != "" {
			total++
		}
		if message != "" {
			t.report(message)
		}
		if errors.Is(err, io.EOF) {
			t.tally(total, "lines")
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading standard input: %w", err)
		}
	}
}

// tally reports how many of several inputs were bad, unless all were good.
func (t *tool) tally(total int, what string) {
	if t.bad == 0 || total == 1 {
		return
	}
	were := "were"
	if t.bad == 1 {
		were = "was"
	}
	t.out.Flush() // as report does
	fmt.Fprintf(t.errs, "idgen: %s of %s %s %s bad\n", grouped(t.bad), grouped(total), what, were)
}

// nextLine returns the next line without its end. It skips a line that is too long, and long is true.
func nextLine(r *bufio.Reader) (line string, long bool, err error) {
	b, err := r.ReadSlice('\n')
	b = bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
	long = len(b) > longest
	if !long {
		line = string(b)
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	return line, long, err
}

// grouped returns n in decimal, in groups of three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
