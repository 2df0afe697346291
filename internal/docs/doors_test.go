package docs

import (
	"flag"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the doc comments of the doors, api.txt and testdata/vectors.json")

// rootOnly are the exported names of the root that no door repeats: what configures all schemes at once, and
// ID, which is the name of Snowflake at its door already.
var rootOnly = []string{
	"Clock", "NewClock", "ClockOptions", "ClockLimit", "NewLimitedClock",
	"Generator", "NewGenerator", "GeneratorOptions", "Nullable", "Reseed",
}

// own are the names of doors whose doc comment does not follow the root's, but for the fields and methods in it.
var own = []string{"uuid.Binary", "ulid.Binary", "uuid.NullBinary", "ulid.NullBinary", "snowflake.Null"}

// An export is an exported name of the root: its doc comment, and what can be said at a door of its fields and methods.
type export struct{ doc, members string }

// TestDoors parses the doors: each declaration must be an alias, a one-line forward or a copied
// value of the root, with the root's doc comment, and each exported name of the root must be at
// a door or in rootOnly.
func TestDoors(t *testing.T) {
	dir := Root(t)
	root := exports(t, dir)
	served := slices.Clone(rootOnly)
	for _, door := range []string{"uuid", "ulid", "snowflake"} {
		served = append(served, checkDoor(t, filepath.Join(dir, door, door+".go"), root)...)
	}
	for name := range root {
		if !slices.Contains(served, name) {
			t.Errorf("%s is at no door and not in rootOnly", name)
		}
	}
}

// exports returns what the package in dir exports, by name.
func exports(t *testing.T, dir string) map[string]export {
	fset := token.NewFileSet()
	var sources []*ast.File
	for _, path := range folders(t, dir, "*.go", false)["."] {
		if !strings.HasSuffix(path, "_test.go") {
			f, err := parser.ParseFile(fset, filepath.Join(dir, path), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, f)
		}
	}
	pkg, err := doc.NewFromFiles(fset, sources, "github.com/oneclock/ids")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]export{}
	values, funcs := slices.Concat(pkg.Consts, pkg.Vars), pkg.Funcs
	for _, typ := range pkg.Types {
		st, ok := typ.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
		var members []string
		if ok && len(st.Fields.List) > 0 { // go/doc leaves out what is not exported
			members = append(members, "fields")
		}
		if len(typ.Methods) > 0 {
			members = append(members, "methods")
		}
		e := export{doc: typ.Doc}
		if len(members) > 0 {
			e.members = "\nFor its " + strings.Join(members, " and ") + " see [ids." + typ.Name + "].\n"
		}
		all[typ.Name] = e
		values, funcs = slices.Concat(values, typ.Consts, typ.Vars), slices.Concat(funcs, typ.Funcs)
	}
	for _, v := range values {
		for _, name := range v.Names {
			all[name] = export{doc: v.Doc}
		}
	}
	for _, f := range funcs {
		all[f.Name] = export{doc: f.Doc}
	}
	return all
}

var (
	// aliases and forwards of a door, under their doc comments. What they stand for is the third or the sixth submatch.
	standing = regexp.MustCompile(`(?m)^((?://.*\n)*)(?:type (\w+) = ids\.(\w+)(?:\[ids\..*)?|func (\w+)\((.*?)\).* \{\s+(?:return )?ids\.(\w+)\((.*)\)\s+\})\n`)
	copying  = regexp.MustCompile(`(?m)^\t(\w+) += ids\.(\w+)$`)
	param    = regexp.MustCompile(`(\w+)[^,]*`)
	// besides is what else a door may have: values stand in groups, each under a doc comment.
	besides = regexp.MustCompile(`\A(?:// .*\n|//\n)+package \w+\n\nimport \(?\s*(?:"time"\s+)?"github\.com/oneclock/ids"\n\)?\n*(?:(?://.*\n)+(?:const|var) \(\s+\)\n*)*\z`)
)

// checkDoor checks one door, or writes its doc comments with -update, and returns the names of the root that it serves.
func checkDoor(t *testing.T, path string, root map[string]export) (served []string) {
	src := read(t, path)
	names := map[string]string{} // root name: door name
	serve := func(name, target string) {
		if _, ok := root[target]; !ok {
			t.Errorf("%s: %s stands for ids.%s, which is not exported", path, name, target)
		}
		if names[target] == "" || name == target {
			names[target] = name
		}
		served = append(served, target)
	}
	for _, m := range standing.FindAllStringSubmatch(src, -1) {
		serve(m[2]+m[4], m[3]+m[6])
		if params := param.ReplaceAllString(m[5], "$1"); params != m[7] {
			t.Errorf("%s: %s has the parameters %s, and passes on %s", path, m[4], params, m[7])
		}
	}
	for _, m := range copying.FindAllStringSubmatch(src, -1) {
		serve(m[1], m[2])
	}
	if rest := copying.ReplaceAllString(standing.ReplaceAllString(src, ""), ""); !besides.MatchString(rest) {
		t.Errorf("%s has more than a package comment, aliases, one-line forwards, and groups of copied values under comments:\n%s", path, rest)
	}
	door := strings.TrimSuffix(filepath.Base(path), ".go")
	want := standing.ReplaceAllStringFunc(src, func(all string) string {
		m := standing.FindStringSubmatch(all)
		name, target := m[2]+m[4], m[3]+m[6]
		text := translate(root[target].doc, target, name, names)
		if slices.Contains(own, door+"."+name) {
			text = members.ReplaceAllString(slashes.ReplaceAllString(m[1], ""), "")
		}
		at := len(definitions.ReplaceAllString(text, "")) // which stay last
		comment := ""
		for line := range strings.Lines(text[:at] + root[target].members + text[at:]) {
			comment += strings.Replace(strings.TrimRight("// "+line, " \n")+"\n", "// \t", "//\t", 1) // as gofmt has it
		}
		if comment != m[1] && !*update {
			t.Errorf("%s: the doc of %s has drifted from that of ids.%s: go test ./internal/docs -run TestDoors -update mends it\n got: %s\nwant: %s",
				path, name, target, m[1], comment)
		}
		return comment + strings.TrimPrefix(all, m[1])
	})
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return served
}

var (
	docLink = regexp.MustCompile(`\[([A-Z]\w*)((?:\.\w+)*)\]`)
	word    = regexp.MustCompile(`\w+(\.\w+)*`)

	slashes     = regexp.MustCompile(`(?m)^// ?`)
	members     = regexp.MustCompile(`\nFor its .* see .*\n$`)
	definitions = regexp.MustCompile(`(?:\n\[[^\]]+\]: .*)+\n$`) // of the links in a doc comment
)

// translate returns a doc comment of the root in the names of a door.
func translate(doc, from, to string, names map[string]string) string {
	if rest, ok := strings.CutPrefix(doc, "Snowflake is "); ok {
		doc = to + " is a Snowflake, " + rest
	}
	doc = docLink.ReplaceAllStringFunc(doc, func(s string) string {
		m := docLink.FindStringSubmatch(s)
		if name, ok := names[m[1]]; ok && m[2] == "" { // an alias has no methods to link to
			return "[" + name + "]"
		}
		return "[ids." + m[1] + m[2] + "]"
	})
	return word.ReplaceAllStringFunc(doc, func(s string) string {
		switch {
		case s == from && from != "Snowflake":
			return to
		case names[s] != "" && s != "Snowflake": // which is also the word for the thing
			return names[s]
		}
		return s
	})
}
