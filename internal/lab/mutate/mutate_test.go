package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root returns the directory of the module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestVerdicts breaks a tiny package in each way that has a verdict of its own.
func TestVerdicts(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no shell to bound the time of tests")
	}
	const dir = "internal/lab/mutate/testdata/tiny"
	l, err := newLab(root(t), target{dir: dir, space: 8})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"Clamp: if n [> -> <=] 9 {":                                      killed,
		"Clamp: if [n > 9 -> true] {":                                    killed,
		"Clamp: return [max -> min](n, 0)":                               killed,
		"Clamp: if n [> -> >=] 9 {":                                      equivalent, // 9 is 9 either way
		"top: const width = [4 -> 4-1]":                                  killed,     // on a build of its own
		"Masked: func Masked(n uint) uint { return n & [7 -> 7+1] & 3 }": killed,
		"Same: func Same(n int) int { return n [* -> /] 1 }":             identicals,
		"Unseen: func Unseen(a, b int) int { return a [- -> +] b }":      survived,
		"Loop: for i := 0; i < n; i[++ -> --] {":                         killed, // by running too long
		"Loop: [sum += i -> ]":                                           killed,
	}
	var tried []*mutant
	for _, m := range l.code.files[0].mutants {
		name := strings.TrimPrefix(m.name, dir+"/tiny.go ")
		if want[name] != "" {
			tried = append(tried, m)
		}
	}
	r := &record{of: make(map[string]string)}
	known := map[string]string{dir + "/tiny.go Clamp: if n [> -> >=] 9 {": "9 is 9"}
	if err := l.try(tried, known, r, 2); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for name, verdict := range r.of {
		got[strings.TrimPrefix(name, dir+"/tiny.go ")] = verdict
	}
	if !maps.Equal(got, want) {
		t.Errorf("verdicts %v\nwant %v", got, want)
	}
}

// TestEquivalents finds a mutant for each line of the list of equivalent ones, except for other modules,
// which would have to be downloaded: there, -list does so.
func TestEquivalents(t *testing.T) {
	root := root(t)
	known, err := readEquivalents("equivalent.txt")
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(known, func(name, _ string) bool { return strings.HasPrefix(name, "nodelease/") })
	var all []*mutant
	for _, target := range targets {
		if strings.HasPrefix(target.dir, "nodelease") {
			continue
		}
		l, err := newLab(root, target)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range l.code.files {
			all = append(all, s.mutants...)
		}
	}
	for _, name := range stale(known, all) {
		t.Errorf("there is no mutant %s", name)
	}
	if len(all) < 3900 {
		t.Errorf("there are %d mutants in all, once there were 4,000", len(all))
	}
}
