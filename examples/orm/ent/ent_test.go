// Package ent_test runs ent on the schema in this directory, with IDs of every type.
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
	"github.com/oneclock/ids/examples/internal/must"
)

// TestEnt generates ent's code into a temporary directory and runs testdata/orders_test.go with it.
// The go command treats both as files in this directory, so nothing generated remains here.
func TestEnt(t *testing.T) {
	const path = "github.com/oneclock/ids/examples/orm/ent"
	here, err := os.Getwd()
	must.Do(t, err)
	generated := t.TempDir()
	must.Do(t, entc.Generate("./schema", &gen.Config{Target: generated, Package: path, Schema: path + "/schema"}))
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
	must.Do(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	must.Do(t, err)
	file := filepath.Join(t.TempDir(), "overlay.json")
	must.Do(t, os.WriteFile(file, overlay, 0o666))
	// vet would look for the directories of the generated packages, which do not exist.
	out, err := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-vet=off", "-overlay", file, ".").CombinedOutput()
	t.Logf("%d generated files\n%s", len(replace)-2, out)
	if err != nil {
		t.Error(err)
	}
}
