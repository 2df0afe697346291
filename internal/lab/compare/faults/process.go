package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// cellVariable is the environment variable that tells a process what to measure, as "<fault>
// <module> <probe> <n>".
const cellVariable = "IDS_FAULTS_CELL"

// outcomeMark begins the line on which a process prints its Outcome.
const outcomeMark = "outcome: "

// Child measures one thing and ends the process, if [Measure] started the process for it. Call
// it first in main, and in TestMain.
func Child() {
	cell, ok := os.LookupEnv(cellVariable)
	if !ok {
		return
	}
	var name, module string
	var at, n int
	if _, err := fmt.Sscan(cell, &name, &module, &at, &n); err != nil {
		fmt.Fprintf(os.Stderr, "faults: %s=%q: %v\n", cellVariable, cell, err)
		os.Exit(2)
	}
	if f, l := find(name, module); f != nil && l != nil {
		// Bubbles are to be had in tests alone. Main ends the process.
		os.Args = os.Args[:1]
		testing.Main(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{
			{Name: "Cell", F: func(t *testing.T) { measure(t, f.probes(l)[at], n) }},
		}, nil, nil)
	}
	fmt.Fprintf(os.Stderr, "faults: %s=%q names no fault or no library\n", cellVariable, cell)
	os.Exit(2)
}

// find returns a fault and a library by their names, each nil if there is none.
func find(name, module string) (f *fault, l *library) {
	if i := slices.IndexFunc(all, func(f fault) bool { return f.name == name }); i >= 0 {
		f = &all[i]
	}
	if i := slices.IndexFunc(libraries, func(l *library) bool { return l.module == module }); i >= 0 {
		l = libraries[i]
	}
	return f, l
}

// measure prints what comes of a probe.
func measure(t *testing.T, p probe, n int) {
	out, err := json.Marshal(p.run(t, n))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s%s\n", outcomeMark, out)
}

// run measures one thing in a process of its own, which is ended when it takes longer than
// patience.
func run(ctx context.Context, f *fault, l *library, at, n int, patience time.Duration) (Outcome, error) {
	program, err := os.Executable()
	if err != nil {
		return Outcome{}, err
	}
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(patient, program)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d %d", cellVariable, f.name, l.module, at, n))
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err = cmd.Run()
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	o := Outcome{Kind: f.probes(l)[at].kind}
	if errors.Is(patient.Err(), context.DeadlineExceeded) {
		o.Hangs = true
		return o, nil
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("fault %s, %s %s: %w\n%s%s", f.name, l.module, o.Kind, err, out.String(), complaint.String())
	}
	_, rest, found := strings.Cut(out.String(), outcomeMark)
	line, _, _ := strings.Cut(rest, "\n")
	if !found {
		return Outcome{}, fmt.Errorf("fault %s, %s %s: no outcome in %q", f.name, l.module, o.Kind, out.String())
	}
	return o, json.Unmarshal([]byte(line), &o)
}
