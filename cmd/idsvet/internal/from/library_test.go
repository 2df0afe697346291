package from

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// libraries contains the modules of the libraries that have a table. "uuid" is Go's own package,
// which does not exist in Go 1.26.
var libraries = map[string]string{
	"google": "github.com/google/uuid v1.6.0", "gofrs": "github.com/gofrs/uuid/v5 v5.5.1", "satori": "github.com/satori/go.uuid v1.2.0",
	"oklog": "github.com/oklog/ulid/v2 v2.1.2", "bwmarrin": "github.com/bwmarrin/snowflake v0.3.0", "sony": "github.com/sony/sonyflake/v2 v2.2.0",
	"std": "uuid",
}

// module makes a module that requires the named libraries.
func module(t *testing.T, names ...string) string {
	t.Helper()
	ids, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	mod := "module example.com/p\n\ngo 1.26.0\n\nrequire (\n"
	for _, name := range names {
		if name != "std" {
			mod += "\t" + libraries[name] + "\n"
		}
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), mod+"\tgithub.com/oneclock/ids v0.0.0\n)\n\nreplace github.com/oneclock/ids => "+ids+"\n")
	t.Setenv("GOFLAGS", "-mod=mod")
	return dir
}

// TestTables checks that each table has a row for each exported name of its library, and that
// "unseen" rows mention no other names.
func TestTables(t *testing.T) {
	for _, name := range Libraries() {
		tab, err := readTable(name)
		if err != nil {
			t.Fatal(err)
		}
		path, _, _ := strings.Cut(libraries[name], " ")
		dir := module(t, name)
		writeFile(t, filepath.Join(dir, "p.go"), fmt.Sprintf("package p\n\nimport _ %q\n", path))
		pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps, Dir: dir}, path)
		if err != nil {
			t.Fatal(err)
		}
		if name == "std" && pkgs[0].Types.Scope().Lookup("UUID") == nil {
			continue // before Go 1.27
		}
		known := rowNames(tab)
		for _, u := range tab.unseen {
			for _, n := range u.names {
				if ast.IsExported(n) && !known[n] {
					t.Errorf("%s: no row has %s, on which an unseen row depends", name, n)
				}
			}
		}
		there := exported(pkgs[0].Types)
		if len(there) < 10 {
			t.Errorf("%s: only %d names were found", name, len(there))
		}
		for n := range there {
			if !known[n] {
				t.Errorf("%s: no row has %s", name, n)
			}
		}
	}
}

// rowNames returns the names that the rows of a table are about.
func rowNames(tab *table) map[string]bool {
	known := maps.Clone(tab.same)
	for n := range tab.left {
		known[n] = true
	}
	for n := range tab.names {
		known[n] = true
	}
	member := regexp.MustCompile(`\b([a-z])\.([A-Z]\w*)`)
	for _, r := range tab.rules {
		old, _, _ := strings.Cut(r.row, " -> ")
		for _, m := range regexp.MustCompile(tab.pkg+`\.([A-Z]\w*)`).FindAllStringSubmatch(old, -1) {
			known[m[1]] = true
		}
		for _, m := range member.FindAllStringSubmatch(old, -1) {
			known[strings.TrimPrefix(tab.letters[m[1]], "*")+"."+m[2]] = true
		}
	}
	return known
}

// exported returns the exported names of a package, including methods and fields of its types.
func exported(pkg *types.Package) map[string]bool {
	all := map[string]bool{}
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		all[name] = obj.Exported()
		if _, isType := obj.(*types.TypeName); !isType || !obj.Exported() {
			continue
		}
		for _, m := range typeutil.IntuitiveMethodSet(obj.Type(), nil) {
			all[name+"."+m.Obj().Name()] = m.Obj().Exported() && len(m.Index()) == 1 && m.Obj().Pkg() == pkg
		}
		if s, ok := obj.Type().Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				all[name+"."+f.Name()] = f.Exported() && !f.Embedded()
			}
		}
	}
	maps.DeleteFunc(all, func(_ string, is bool) bool { return !is })
	return all
}

// TestMoves moves programs in testdata/move that use each exported name of a library, and compares
// their output before and after the move. The comment "// person:" at the end of a line contains
// what a person writes in place of code that the command leaves.
func TestMoves(t *testing.T) {
	paths, err := filepath.Glob("testdata/move/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no programs", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) {
			dir := module(t, name)
			main := filepath.Join(dir, "main.go")
			writeFile(t, main, readFile(t, path))
			before := goRun(t, dir)
			var out, errOut bytes.Buffer
			if status := Run(dir, []string{"-from", name, "-fix"}, &out, &errOut); status != 0 {
				t.Fatalf("status %d: %s%s", status, &out, &errOut)
			}
			moved := readFile(t, main)
			byHand := regexp.MustCompile(`(?m)^.*// person:(.*)$`).ReplaceAllString(moved, "$1")
			path, _, _ := strings.Cut(libraries[name], " ")
			byHand = regexp.MustCompile(`\n\t(\w+ )?"`+regexp.QuoteMeta(path)+`"`).ReplaceAllString(byHand, "")
			writeFile(t, main, byHand)
			if after := goRun(t, dir); after != before {
				t.Errorf("after the move the program prints\n%swant\n%s", after, before)
			}
			t.Log(out.String()[strings.LastIndex(out.String(), name+": "):])
		})
	}
}

// goRun runs the program in dir and returns its output.
func goRun(t *testing.T, dir string) string {
	t.Helper()
	out, err := goIn(dir, nil, "run", ".")
	if err != nil {
		t.Fatalf("%v\nof\n%s", err, readFile(t, filepath.Join(dir, "main.go")))
	}
	return out
}

// TestPages checks that the pages in docs/from contain the tables.
func TestPages(t *testing.T) {
	for _, name := range Libraries() {
		tab, err := readTable(name)
		if err != nil {
			t.Fatal(err)
		}
		page := "../../../../docs/from/" + tab.page() + ".md"
		if len(tab.unseen) < 2 {
			t.Errorf("%s does not say what no type shows", name)
		}
		if table := readFile(t, "rules/"+name+".txt"); !strings.Contains(readFile(t, page), "```text\n"+table+"```\n") {
			t.Errorf("%s has not the table of today: copy rules/%s.txt into it", page, name)
		}
	}
}

// TestMethods checks that methods.txt contains the lines of api.txt about the types that replace
// old ones.
func TestMethods(t *testing.T) {
	types := regexp.MustCompile(`(?m)^ids: func \(\*?(UUID|ULID|Snowflake|SnowflakeNode|Null\[T\]|Generator)\)\..*\n`)
	if want := strings.Join(types.FindAllString(readFile(t, "../../../../api.txt"), -1), ""); methodsTXT != want {
		t.Errorf("methods.txt is\n%swant\n%s", methodsTXT, want)
	}
	for _, name := range []string{"UUID", "ULID", "ID", "Node", "Sonyflake", "NullUUID", "MonotonicEntropy"} {
		if len(newMethods[name]) < 5 {
			t.Errorf("%s has only %d methods", name, len(newMethods[name]))
		}
	}
}

// TestRefused compares the strings that MustParse is expected to reject with the published lists of
// accepted and rejected strings.
func TestRefused(t *testing.T) {
	var vectors map[string][]struct{ Form, Input, Text string }
	if err := json.Unmarshal([]byte(readFile(t, "../../../../testdata/vectors.json")), &vectors); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{"uuid": "UUID", "ulid": "ULID", "snowflake": "Snowflake", "typeid": "ID"}
	for list, vs := range vectors {
		for _, v := range vs {
			kind, text := kinds[list], v.Text
			if v.Form != "" {
				kind, text = kinds[strings.ToLower(v.Form)], v.Input
			}
			why := Refused(kind, text)
			if kind != "" && (why != "") != (list == "bad") {
				t.Errorf("%s, %s %q: got %q", list, kind, text, why)
			}
		}
	}
	if len(vectors["bad"]) < 50 || len(vectors["uuid"]) < 10 {
		t.Errorf("got %d lists of texts, too few", len(vectors))
	}
}
