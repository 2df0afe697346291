// Package ent_test runs ent on the schema of this folder, with ids of every type.
package ent_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"entgo.io/ent/entc"
	"entgo.io/ent/entc/gen"
)

// TestEnt generates ent's code into a temporary folder and runs testdata/orders_test.go with it. The
// go command takes both for files of this folder, so that nothing generated is left here.
func TestEnt(t *testing.T) {
	const path = "github.com/oneclock/ids/examples/orm/ent"
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	generated := t.TempDir()
	if err := entc.Generate("./schema", &gen.Config{Target: generated, Package: path, Schema: path + "/schema"}); err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{
		filepath.Join(here, "ent_test.go"):    "", // not this test again
		filepath.Join(here, "orders_test.go"): filepath.Join(here, "testdata", "orders_test.go"),
	}
	err = filepath.WalkDir(generated, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(file) == ".go" {
			var name string
			name, err = filepath.Rel(generated, file)
			replace[filepath.Join(here, name)] = file
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	// vet would look for the folders of the generated packages, which there are not.
	out, err := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-vet=off", "-overlay", file, ".").CombinedOutput()
	t.Logf("%d generated files\n%s", len(replace)-2, out)
	if err != nil {
		t.Error(err)
	}
}
