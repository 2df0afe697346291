package markdown

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
)

func TestPut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	for _, c := range []struct{ file, want string }{
		{"a <!-- x:begin -->old<!-- x:end --> b", "a <!-- x:begin -->\n\nnew\n\n<!-- x:end --> b"},
		{"no markers", ""},
		{"a <!-- x:end --> <!-- x:begin --> b", ""},
		{"a <!-- x:begin --> b", ""},
		{"a <!-- x:end --> b", ""},
	} {
		if err := os.WriteFile(path, []byte(c.file), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := CanPut(path, "x"); (err != nil) != (c.want == "") {
			t.Errorf("CanPut into %q: %v", c.file, err)
		}
		err := Put(path, "x", "new\n")
		if (err != nil) != (c.want == "") {
			t.Errorf("Put into %q: %v", c.file, err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := cmp.Or(c.want, c.file); string(got) != want {
			t.Errorf("%q became %q, want %q", c.file, got, want)
		}
	}
	if Put(filepath.Join(t.TempDir(), "none"), "x", "new") == nil {
		t.Error("Put into no file returned no error")
	}
}
