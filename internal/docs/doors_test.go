package docs

// Tests of the packages uuid, ulid and snowflake, which are called doors.

import (
	"flag"
	"go/ast"
	"go/doc"
	"go/doc/comment"
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

// rootOnly contains the exported names of the root that no door repeats, because they concern all
// formats.
var rootOnly = []string{
	"Clock", "NewClock", "ClockOptions", "ClockLimit", "NewLimitedClock",
	"Generator", "NewGenerator", "GeneratorOptions", "Nullable", "Reseed",
}

// groups contains the methods and fields of the types in withMethods. Their comments at a door list
// them, because the door's page shows none.
var groups = []struct{ title, methods string }{
	{"IDs", "Next NextContext TryNext Append"},
	{"Settings", "Number Layout Epoch Tick NodeBits SequenceBits NodeLast Validate Equal"},
	{"Fields", "Time Version Variant NodeID ClockSequence Domain LocalID Entropy Split Compose"},
	{"Bounds for a time", "MinAt MaxAt Last"},
	{"Text", "String Base58 Base32 URN GoString"},
	{"Comparison", "Compare IsZero"},
	{"Other IDs", "ULID UUID ToV1 ToV6 Increment"},
	{"Databases", "Binary Value Scan"},
	{"Encodings", "AppendText MarshalText UnmarshalText AppendBinary MarshalBinary UnmarshalBinary MarshalJSON UnmarshalJSON"},
}

var withMethods = []string{"UUID", "ULID", "Snowflake", "SnowflakeNode", "SnowflakeLayout"}

// own contains the names of doors that have their own doc comment.
var own = []string{"uuid.Binary", "ulid.Binary", "uuid.NullBinary", "ulid.NullBinary", "snowflake.Null"}

// TestDoors parses the doors. Each declaration must be an alias, a one-line forward or a copied
// value of the root, with the root's doc comment. Each exported name of the root must be at a door
// or in rootOnly.
func TestDoors(t *testing.T) {
	dir := Root(t)
	root := exports(t, dir)
	served := slices.Clone(rootOnly)
	for _, door := range []string{"uuid", "ulid", "snowflake"} {
		served = append(served, checkDoor(t, filepath.Join(dir, door, door+".go"), root)...)
	}
	for name := range root {
		if !strings.Contains(name, ".") && !slices.Contains(served, name) {
			t.Errorf("%s is at no door and not in rootOnly", name)
		}
	}
}

// exports returns the doc comment of each exported name, method and field of the package in dir.
func exports(t *testing.T, dir string) map[string]string {
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
	all := map[string]string{}
	values, funcs := slices.Concat(pkg.Consts, pkg.Vars), pkg.Funcs
	for _, typ := range pkg.Types {
		all[typ.Name] = typ.Doc
		for _, m := range typ.Methods {
			all[typ.Name+"."+m.Name] = m.Doc
		}
		if s, is := typ.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType); is {
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					if name.IsExported() {
						all[typ.Name+"."+name.Name] = f.Doc.Text()
					}
				}
			}
		}
		values, funcs = slices.Concat(values, typ.Consts, typ.Vars), slices.Concat(funcs, typ.Funcs)
	}
	for _, v := range values {
		for _, name := range v.Names {
			all[name] = v.Doc
		}
	}
	for _, f := range funcs {
		all[f.Name] = f.Doc
	}
	return all
}

var (
	// standing matches aliases and forwards of a door, under their doc comments. The third or the
	// sixth submatch is the root's name.
	standing = regexp.MustCompile(`(?m)^((?://.*\n)*)(?:type (\w+) = ids\.(\w+)(?:\[ids\..*)?|func (\w+)\((.*?)\).* \{\s+(?:return )?ids\.(\w+)\((.*)\)\s+\})\n`)
	copying  = regexp.MustCompile(`(?m)^\t(\w+) += ids\.(\w+)$`)
	param    = regexp.MustCompile(`(\w+)[^,]*`)
	// besides matches the other declarations that a door may have, which are groups of values, each
	// under a doc comment.
	besides = regexp.MustCompile(`\A(?://.*\n)+package \w+\n\nimport \(?\s*(?:"time"\s+)?"github\.com/oneclock/ids"\n\)?\n*(?:(?://.*\n)+(?:const|var) \(\s+\)\n*)*\z`)
)

// checkDoor checks one door or, with -update, writes its doc comments. It returns the root's names
// at the door.
func checkDoor(t *testing.T, path string, root map[string]string) (served []string) {
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
		if serve(m[1], m[2]); m[1] != m[2] {
			t.Errorf("%s: %s is a copy of ids.%s", path, m[1], m[2])
		}
	}
	if rest := copying.ReplaceAllString(standing.ReplaceAllString(src, ""), ""); !besides.MatchString(rest) {
		t.Errorf("%s has more than a package comment, aliases, one-line forwards, and groups of copied values under comments:\n%s", path, rest)
	}
	door := strings.TrimSuffix(filepath.Base(path), ".go")
	want := standing.ReplaceAllStringFunc(src, func(all string) string {
		m := standing.FindStringSubmatch(all)
		name, target := m[2]+m[4], m[3]+m[6]
		if slices.Contains(own, door+"."+name) {
			return all
		}
		text := translate(root[target], target, name, names)
		switch {
		case slices.Contains(withMethods, target):
			text += methods(t, root, target, name)
		case m[2] != "":
			text += "\nFor its fields and methods, see [ids." + target + "].\n"
		}
		comment := formatted(text)
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

// formatted returns a doc comment as gofmt writes it, with the targets of links last.
func formatted(text string) (lines string) {
	doc := new(comment.Parser).Parse(text)
	for line := range strings.Lines(string(new(comment.Printer).Comment(doc))) {
		lines += strings.Replace(strings.TrimRight("// "+line, " \n")+"\n", "// \t", "//\t", 1)
	}
	return lines
}

// methods returns the list of the methods and fields of a type of the root, for its comment at a
// door.
func methods(t *testing.T, root map[string]string, typ, name string) string {
	text := "\n" + name + " is an alias for [ids." + typ + "], which has these fields and methods:\n\n"
	rest := map[string]bool{}
	for key := range root {
		if strings.HasPrefix(key, typ+".") {
			rest[key] = true
		}
	}
	for _, group := range groups {
		item := "  - " + group.title + ":"
		for method := range strings.FieldsSeq(group.methods) {
			key := typ + "." + method
			if !rest[key] {
				continue
			}
			delete(rest, key)
			link := " [ids." + key + "],"
			if len(item)-strings.LastIndex(item, "\n")+len(link) > 97 {
				item += "\n   "
			}
			item += link
		}
		if list, some := strings.CutSuffix(item, ","); some {
			text += list + "\n"
		}
	}
	for key := range rest {
		t.Errorf("%s is in no group of methods and fields", key)
	}
	return text
}

var mention = regexp.MustCompile(`\[[A-Z]\w*(?:\.\w+)*\]|\w+(?:\.\w+)*`)

// translate returns a doc comment of the root with a door's names.
func translate(doc, from, to string, names map[string]string) string {
	return to + mention.ReplaceAllStringFunc(strings.TrimPrefix(doc, from), func(s string) string {
		name := strings.Trim(s, "[]")
		switch {
		case names[name] != "" && s != "Snowflake": // Snowflake is also the word for the IDs
			return strings.Replace(s, name, names[name], 1)
		case s != name:
			return "[ids." + name + "]" // also for a method, because an alias has none to link to
		}
		return s
	})
}
