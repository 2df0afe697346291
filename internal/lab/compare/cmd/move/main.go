// Move moves a program to this library by a block of docs/migrating.md and a few edits, and runs the tests that passed before:
//
//	go -C internal/lab/compare run ./cmd/move -in CHECKOUT -from oklog/ulid -edits FILE -- ./... -short
//
// The checkout is a clean one, made for it. What follows the flags is given to go test. The edits are those that a person makes
// after the block, as git diff -U0 prints them. Without them it shows what the compiler says after the block, and runs no tests.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/oneclock/ids/internal/lab/compare/move"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("move: ")
	in := flag.String("in", "", "the `folder` of the checkout, with its go.mod")
	from := flag.String("from", "google/uuid", "the `section` of docs/migrating.md")
	edits := flag.String("edits", "", "the `file` with what a person changes after the block")
	flag.Parse()
	if err := run(*in, *from, *edits, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(in, from, edits string, args []string) error {
	root, err := filepath.Abs("../../..")
	if err != nil {
		return err
	}
	block, err := move.Block(filepath.Join(root, "docs", "migrating.md"), from)
	if err != nil {
		return err
	}
	status, err := command(in, "git", "status", "--porcelain", "--untracked-files=no")
	if err != nil || len(status) > 0 {
		return fmt.Errorf("%s is no clean checkout: %w %s", in, err, status)
	}
	var passed map[string]bool
	if edits != "" {
		passed = tests(in, args)
	}

	bin, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	if err := move.Goimports(bin); err != nil {
		return err
	}
	const module = "github.com/oneclock/ids"
	if out, err := command(in, "go", "mod", "edit", "-go=1.26", "-require="+module+"@v0.0.0", "-replace="+module+"="+root); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if err := move.Paste(in, "sh", block, bin); err != nil {
		return err
	}
	stat, _ := command(in, "git", "diff", "--shortstat", "--", "*.go")
	fmt.Printf("the block: %s\n", bytes.TrimSpace(stat))

	left, err := command(in, "go", append([]string{"test", "-mod=mod", "-gcflags=-e", "-exec", "true"}, args...)...)
	places := regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: .*$`).FindAllString(string(left), -1)
	slices.Sort(places)
	places = slices.Compact(places)
	if err != nil && len(places) == 0 {
		return fmt.Errorf("go test: %w: %s", err, left)
	}
	fmt.Printf("the compiler then: %d errors\n%s\n", len(places), strings.Join(places, "\n"))
	if edits == "" {
		return nil
	}

	diff, err := os.ReadFile(edits)
	if err != nil {
		return err
	}
	apply := exec.Command("git", "apply", "--unidiff-zero", "--allow-empty", "-")
	apply.Dir, apply.Stdin = in, bytes.NewReader(diff)
	if out, err := apply.CombinedOutput(); err != nil {
		return fmt.Errorf("the edits: %w: %s", err, out)
	}
	fmt.Printf("the edits: %d places\n", bytes.Count(diff, []byte("\n@@ ")))

	after := tests(in, args)
	fmt.Printf("tests: before %s, after %s\n", count(passed), count(after))
	for _, name := range slices.Sorted(maps.Keys(passed)) {
		if passed[name] && !after[name] {
			err = errors.Join(err, fmt.Errorf("no longer passes: %s", name))
		}
	}
	return err
}

// tests runs go test, and returns for each test whether it passed.
func tests(in string, args []string) map[string]bool {
	passed := map[string]bool{}
	out, err := command(in, "go", append([]string{"test", "-mod=mod", "-json", "-count=1"}, args...)...)
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			log.Print(lines.Text())
		}
		switch {
		case e.Action == "build-output":
			log.Print(strings.TrimSpace(e.Output))
		case e.Test != "" && (e.Action == "pass" || e.Action == "fail"):
			passed[e.Package+" "+e.Test] = e.Action == "pass"
		}
	}
	fmt.Printf("go test: %s, %v\n", count(passed), err)
	return passed
}

func count(passed map[string]bool) string {
	n := 0
	for _, ok := range passed {
		if ok {
			n++
		}
	}
	return fmt.Sprintf("%d of %d pass", n, len(passed))
}

// command runs a program in a folder, outside of a workspace that it has, and returns what it writes.
func command(in, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = in, append(os.Environ(), "GOWORK=off")
	return cmd.CombinedOutput()
}
