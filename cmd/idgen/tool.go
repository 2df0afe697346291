package main

// One run of the program: its input, its output and its errors.

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A tool is one run of the program.
type tool struct {
	in   io.Reader
	out  *bufio.Writer // has whole lines; a failed write stays failed
	errs io.Writer
	name string // of the command
	bad  bool   // an input was refused
}

// print writes whole lines.
func (t *tool) print(lines string) error {
	if len(lines) > t.out.Available() {
		t.out.Flush() // Write returns its error
	}
	_, err := t.out.Write([]byte(lines))
	return err
}

// each calls do for each argument or, if there is none, for each line of standard input, and prints the text that it
// returns, or reports what it refuses. Each line has one of output, an empty one if it is empty or refused, so that
// columns fit together again.
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
			t.out.Flush() // whoever types the lines, or pipes them in one by one, waits for an answer
		}
		line, err := readLine(in)
		// An editor or a spreadsheet marks the first line. Where files were put together, any line may have a mark, or several.
		text, read := strings.TrimLeft(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), "\ufeff"), do
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			read = func(s string) (string, error) {
				return "", cmp.Or(encoded(s), fmt.Errorf("the line has more than %d bytes", in.Size()-1))
			}
		case err != nil && !errors.Is(err, io.EOF): // the line may be cut
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

// readLine returns the next line with its end. Of a line that fills the buffer it returns the beginning, skips the rest,
// and returns [bufio.ErrBufferFull].
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

// answer prints what do returns. If it refuses the text, answer reports that, and where it is, and prints instead.
func (t *tool) answer(where, text, instead string, do func(text string) (string, error)) error {
	answer, err := do(text)
	if err == nil {
		return t.print(answer + "\n")
	}
	t.bad = true
	t.out.Flush() // so that output and reports come in the order of the input
	fmt.Fprintf(t.errs, "idgen: %s: %s\n", where, strings.TrimPrefix(err.Error(), "ids: "))
	return t.print(instead)
}

// A usageError is a mistake in the command line. It ends the program with status 2.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }
