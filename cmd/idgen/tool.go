package main

// This file handles the program's input, output and errors.

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A tool holds the state of one run of the program.
type tool struct {
	in   io.Reader
	out  *bufio.Writer // contains whole lines; after an error, every write fails
	errs io.Writer
	name string // name of the command
	bad  bool   // an input was refused
}

// print writes lines. Each line must include its line ending. If they do not fit in the buffer,
// print flushes the buffer first, so that each write to standard output consists of whole lines.
func (t *tool) print(lines string) error {
	if len(lines) > t.out.Available() {
		t.out.Flush() // Write returns its error
	}
	_, err := t.out.Write([]byte(lines))
	return err
}

// each passes every argument of the command to the do callback. If there are no arguments, the
// callback receives every line of standard input instead. The tool prints the string that the
// callback returns, or reports the error. For every input line, the tool prints one output line, so
// that the output can be joined to the other columns of the input. The output line is empty if the
// input line is empty or rejected.
func (t *tool) each(args []string, do func(text string) (string, error)) error {
	for _, arg := range args {
		if err := t.answer(fmt.Sprintf("%.80q", arg), arg, "", do); err != nil {
			return err
		}
	}
	if len(args) > 0 {
		return nil
	}
	in := bufio.NewReaderSize(t.in, 1<<16)
	for n := 1; ; n++ {
		if in.Buffered() == 0 {
			t.out.Flush() // a reader may wait for this output before it sends a line
		}
		line, err := readLine(in)
		// Editors and spreadsheets write a byte order mark at the beginning of a file. In a
		// concatenation of files, any line can begin with one or more such marks.
		text, read := strings.TrimLeft(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), "\ufeff"), do
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			read = func(s string) (string, error) {
				return "", cmp.Or(encoded(s), fmt.Errorf("the line is longer than %d bytes", in.Size()-1))
			}
		case err != nil && !errors.Is(err, io.EOF): // the line may be incomplete
			return fmt.Errorf("reading standard input: %w", err)
		case err != nil && line == "":
			return nil
		case text == "":
			read = func(string) (string, error) { return "", nil }
		}
		if err := t.answer(fmt.Sprintf("line %d", n), text, "\n", read); err != nil {
			return err
		}
	}
}

// readLine returns the next line, including its line ending. If a line does not fit in the buffer,
// readLine returns the beginning of the line and [bufio.ErrBufferFull], and skips the rest.
func readLine(in *bufio.Reader) (string, error) {
	part, err := in.ReadSlice('\n')
	line := string(part)
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	for skipped := err; errors.Is(skipped, bufio.ErrBufferFull); {
		_, skipped = in.ReadSlice('\n')
	}
	return line, err
}

// answer passes text to the do callback and prints the string that the callback returns. If the
// callback returns an error, answer reports the error and prints placeholder instead. In the
// report, the first argument of answer identifies the input.
func (t *tool) answer(where, text, placeholder string, do func(text string) (string, error)) error {
	answer, err := do(text)
	if err == nil {
		return t.print(answer + "\n")
	}
	t.bad = true
	t.out.Flush() // keeps output and error messages in the order of the input
	fmt.Fprintf(t.errs, "idgen: %s: %s\n", where, strings.TrimPrefix(err.Error(), "ids: "))
	return t.print(placeholder)
}

// A usageError reports an invalid command line. After such an error, the program exits with status
// 2.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }
