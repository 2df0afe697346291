package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// TestBigStream checks that bad lines among many are reported by number, in their place among the output, and the
// rest go on.
func TestBigStream(t *testing.T) {
	const lines, every = 300_000, 1000
	good := ids.MustParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAV")
	some := "\r\n" + strings.Repeat(good.String()+"\r\n", every-2) + "01ARZ3NDEKTSV4RRFFQ69G5FAI\n"
	var both bytes.Buffer
	status := run([]string{"convert", "-to", "uuid"}, strings.NewReader(strings.Repeat(some, lines/every)), &both, &both)
	var want strings.Builder
	for n := every; n <= lines; n += every {
		want.WriteString(strings.Repeat(good.UUID().String()+"\n", every-2))
		fmt.Fprintf(&want, "idgen: line %d, column 26: not a ULID: not a Crockford Base32 digit\n", n)
	}
	want.WriteString("idgen: 300 of 299700 lines were bad\n")
	if status != 1 || both.String() != want.String() {
		t.Errorf("status %d, %d bytes, want 1 and %d", status, both.Len(), want.Len())
	}
}

const isTooLong = "idgen: line 2: too long (the limit is 65536 bytes)\n"

// TestLongLine checks that a line of any length is reported and skipped, and never held.
func TestLongLine(t *testing.T) {
	const id = "1541815603606036480"
	piece := strings.Repeat("x", 1<<20)
	parts := []io.Reader{strings.NewReader(id + "\n")}
	for range 198 {
		parts = append(parts, strings.NewReader(piece))
	}
	in := io.MultiReader(append(parts, strings.NewReader("\n"+id+"\n"))...)
	var before, after runtime.MemStats
	var out, errs bytes.Buffer
	runtime.ReadMemStats(&before)
	status := run([]string{"convert"}, in, &out, &errs)
	runtime.ReadMemStats(&after)
	if status != 1 || out.String() != id+"\n"+id+"\n" || !strings.HasPrefix(errs.String(), isTooLong) {
		t.Errorf("status %d, %q, %q", status, &out, &errs)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("%d bytes were allocated for a line of 198 MiB", used)
	}
}

// TestLongestLine checks the longest line that is read and the shortest that is not.
func TestLongestLine(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", ""} {
		name := strings.Repeat("n", 65536)
		want := ids.NewV5(ids.NamespaceDNS(), name).String()
		if got := must(t, "a\n"+name+end, "uuid5"); len(got) != 2 || got[1] != want {
			t.Errorf("%q, want %q", got, want)
		}
		status, out, errs := try("a\n"+name+"n"+end, "uuid5")
		if status != 1 || strings.Count(out, "\n") != 1 || !strings.HasPrefix(errs, isTooLong) {
			t.Errorf("status %d, %q, %q", status, out, errs)
		}
	}
}

// TestAnswersAtOnce checks that whoever writes one line and waits gets the answer to it, and
// that reports come in their order.
func TestAnswersAtOnce(t *testing.T) {
	in, typed := io.Pipe()
	shown, out := io.Pipe()
	done := make(chan int)
	go func() {
		done <- run([]string{"convert"}, in, out, out)
		out.Close()
	}()
	answers := bufio.NewReader(shown)
	for _, test := range [][2]string{
		{"0x0000000000000007\n", "7\n"},
		{"?\n", "idgen: line 2, column 1: not an id: \"?\" cannot occur in one\n"},
		{"8\n9\n?\n10\n", "8\n"},
		{"", "9\n"},
		{"", "idgen: line 5, column 1: not an id: \"?\" cannot occur in one\n"},
		{"", "10\n"},
		{"11", "11\n"},
		{"", "idgen: 2 of 7 lines were bad\n"},
	} {
		if test[0] != "" {
			io.WriteString(typed, test[0])
		}
		if test[0] == "11" {
			typed.Close()
		}
		if got, err := answers.ReadString('\n'); got != test[1] || err != nil {
			t.Fatalf("%q, %v after %q, want %q", got, err, test[0], test[1])
		}
	}
	if status := <-done; status != 1 {
		t.Errorf("status %d", status)
	}
}
