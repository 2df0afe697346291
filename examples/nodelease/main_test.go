package main

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
)

func TestFlags(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"-etcd a:1", ""},
		{"-postgres postgres://h/d -nodes 1 -ttl 2s", ""},
		{"", "either -etcd or -postgres"},
		{"-etcd a:1 -postgres postgres://h/d", "either -etcd or -postgres"},
		{"-etcd a:1 x", "unexpected argument"},
		{"-etcd a:1 -nodes 0", "-nodes 0"},
		{"-etcd a:1 -nodes 1025", "-nodes 1025"},
		{"-etcd a:1 -no", "-no"},
	} {
		_, err := parse(strings.Fields(test.args), io.Discard)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.args, err, test.want)
		}
	}
	c, err := parse(strings.Fields("-etcd a:1 -ttl 10ms"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), c, io.Discard); err == nil || !strings.Contains(err.Error(), "Options.TTL 10ms") {
		t.Errorf("error %v for a TTL of 10ms", err)
	}
}

// TestPages checks that the pages show the program's function work to the letter.
func TestPages(t *testing.T) {
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(program), "// work mints")
	for _, page := range []string{"../../docs/nodes.md", "../../nodelease/README.md"} {
		text, err := os.ReadFile(page)
		if err != nil || !strings.Contains(string(text), "```go\n// work mints"+after+"```\n") {
			t.Errorf("%s does not show the function work of main.go as it is: %v", page, err)
		}
	}
}

func TestMetrics(t *testing.T) {
	registry, observe := metrics()
	observe(nodelease.Event{Kind: nodelease.Began})
	observe(nodelease.Event{Kind: nodelease.Waited, Took: time.Second})
	observe(nodelease.Event{Kind: nodelease.Waited, Took: 2 * time.Second})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range families {
		text.WriteString(f.String())
	}
	for _, want := range []string{"nodelease_seconds", `"began"`, "sample_count:2 sample_sum:3"} {
		if !strings.Contains(strings.ReplaceAll(text.String(), "  ", " "), want) {
			t.Errorf("%s: lacks %q", text.String(), want)
		}
	}
}
