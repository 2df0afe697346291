package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// longest is how many bytes a line has at most, without its end.
const longest = 64 << 10

// An input is what a command works on: an argument or a line of standard input.
type input struct {
	text string
	line int // of standard input, from 1; 0 for an argument
}

// inputs calls do for each argument or, if there is none or only "-", for each line of standard
// input, without its end, that is not empty. It reports what do refuses and goes on.
func (t *tool) inputs(args []string, do func(input) error) error {
	if slices.Contains(args, "-") {
		if len(args) > 1 {
			return usageError("- stands for standard input: no other argument can be beside it")
		}
		args = nil
	}
	return t.names(args, do)
}

// names is inputs for names: "-" is one.
func (t *tool) names(args []string, do func(input) error) error {
	if len(args) == 0 {
		return t.lines(do)
	}
	for _, arg := range args {
		if err := t.take(input{text: arg}, do); err != nil {
			return err
		}
	}
	t.tally("arguments")
	return nil
}

// lines is inputs for standard input.
func (t *tool) lines(do func(input) error) error {
	r := bufio.NewReaderSize(t.in, longest+len("\r\n"))
	for n := 1; ; n++ {
		if r.Buffered() == 0 {
			// Whoever types the lines, or pipes them in one by one, waits for an answer.
			if err := t.out.Flush(); err != nil {
				return err
			}
		}
		line, long, err := nextLine(r)
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff") // a byte order mark, of an editor or a spreadsheet
		}
		work := do
		if long {
			work = tooLong
		}
		if long || line != "" {
			if stopped := t.take(input{line, n}, work); stopped != nil {
				return stopped
			}
		}
		if errors.Is(err, io.EOF) {
			t.tally("lines")
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading standard input: %w", err)
		}
	}
}

// tooLong refuses a line that is too long.
func tooLong(input) error { return fmt.Errorf("too long (the limit is %d bytes)", longest) }

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

// take calls do for one input and reports what it refuses: where the input is and what is wrong with it. It
// repeats an argument, and not a line, whose number is enough to find it. Its error is that of the output.
func (t *tool) take(in input, do func(input) error) error {
	err := do(in)
	if stopped := t.stopped(); stopped != nil {
		return stopped
	}
	t.total++
	if err == nil {
		return nil
	}
	t.bad++
	where, what := fmt.Sprintf("line %d", in.line), ""
	if in.line == 0 {
		where, what = fmt.Sprintf("argument %d", t.total), quoted(in.text)+" is "
	}
	bad, ok := errors.AsType[*refusal](err)
	if !ok {
		what = ""
	} else if bad.at >= 0 {
		where += fmt.Sprintf(", column %d", utf8.RuneCountInString(in.text[:bad.at])+1)
	}
	t.out.Flush() // so that output and reports come in the order of the input; stopped returns its error later
	fmt.Fprintf(t.errs, "idgen: %s: %s%v\n", where, what, err)
	return nil
}

// tally reports how many of several inputs were bad, unless all were good.
func (t *tool) tally(what string) {
	if t.bad == 0 || t.total == 1 {
		return
	}
	were := "were"
	if t.bad == 1 {
		were = "was"
	}
	t.out.Flush() // as take does
	fmt.Fprintf(t.errs, "idgen: %d of %d %s %s bad\n", t.bad, t.total, what, were)
}
