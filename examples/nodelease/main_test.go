package main

import (
	"io"
	"strings"
	"testing"
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
		{"-etcd a:1 -ttl 1s", "-ttl 1s"},
		{"-etcd a:1 -ttl 2500ms", "-ttl 2.5s"},
		{"-etcd a:1 -count -1", "negative"},
		{"-etcd a:1 -no", "-no"},
	} {
		_, err := parse(strings.Fields(test.args), io.Discard)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.args, err, test.want)
		}
	}
}
