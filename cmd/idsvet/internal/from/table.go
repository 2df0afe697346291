package from

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// The tables, one for each library. A line that begins with a tab goes on with the row before. A row is one of
//
//	package PATH…                 the import paths of the library's packages, the first word of its patterns being the last name
//	let LETTER TYPE               what the letter stands for, in the rows below: see letterOK
//	same NAME…                    functions, types and methods that are the same here
//	name TYPE.FIELD NEW           a field that has another name here
//	PATTERN -> EXPRESSION         what is written instead; a letter, which each has once and in the same order, stands
//	                              for any expression
//	PATTERN -> EXPRESSION, nil    the same, for a function whose error cannot occur here
//	PATTERN -> EXPRESSION, ok     the same, for one that has a second result here, which is dropped
//	                              if the first one is assigned; else the next row of the pattern counts
//	PATTERN -> _, EXPRESSION      the same, for one whose first result is dropped
//	set NAME… for NAME…           while the program uses the first names, the second ones are left
//	text TEXT                     a part of the texts of its errors
//	left NAME…: SENTENCE          what is left, and what to write
//	stored TYPE CODEC…: SENTENCE  what differs, without a sound or not, if a codec writes or reads the type; see danger.go
//
//go:embed rules
var rulesFS embed.FS

// A table is what is known of one library.
type table struct {
	name    string   // "google"
	paths   []string // of its packages
	pkg     string   // the name of its package in patterns
	letters map[string]string
	same    map[string]bool
	names   map[string]string   // new names of fields
	rules   []*rule             // in the order in which they are tried
	set     map[string][]string // names that are left, by the names whose use is the cause
	texts   []string
	left    map[string]string
	stored  []stored
}

// stored is what differs if one of the codecs, which are parts of import paths, "query" or "KEY,omitempty", has the type.
type stored struct {
	name   string
	codecs []string
	what   string
}

// A rule is a pattern and what is written instead.
type rule struct {
	row     string
	pattern ast.Expr
	parts   []part
	second  string // "nil" or "ok": the second value of the template; "error": it is the expression; or ""
	call    bool   // the template calls a function or a method
}

// A part of a template is text, a letter, or the name of a package.
type part struct {
	text, letter, pkg string
	result            bool // the type of the old call's first result
	naked             bool // the letter needs no parentheses
}

// newPackages are the packages that templates name, with their import paths.
var newPackages = map[string]string{
	"ids": root, "uuid": root + "/uuid", "ulid": root + "/ulid", "snowflake": root + "/snowflake", "typeid": root + "/typeid",
	"base64": "encoding/base64", "errors": "errors", "strconv": "strconv", "strings": "strings", "time": "time",
}

const root = "github.com/oneclock/ids"

// Libraries returns the names of all tables.
func Libraries() (names []string) {
	entries, _ := rulesFS.ReadDir("rules") // it is embedded
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

// readTable returns the table of a library.
func readTable(name string) (*table, error) {
	text, err := rulesFS.ReadFile("rules/" + name + ".txt")
	if err != nil {
		return nil, fmt.Errorf("-from %s is none of %s", name, strings.Join(Libraries(), ", "))
	}
	t := &table{name: name, letters: map[string]string{}, same: map[string]bool{}, names: map[string]string{}, set: map[string][]string{}, left: map[string]string{}}
	for i, line := range strings.Split(strings.ReplaceAll(string(text), "\n\t", " "), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := t.row(line); err != nil {
			return nil, fmt.Errorf("rules/%s.txt, row %d: %w", name, i+1, err)
		}
	}
	return t, nil
}

func (t *table) row(line string) error {
	if old, expression, ok := strings.Cut(line, " -> "); ok {
		r, err := newRule(strings.TrimSpace(old), strings.TrimSpace(expression))
		if err != nil {
			return err
		}
		t.rules = append(t.rules, r)
		return nil
	}
	kind, rest, _ := strings.Cut(line, " ")
	words := strings.Fields(rest)
	switch {
	case kind == "package":
		t.pkg, t.paths = words[0], words[1:]
	case kind == "let" && len(words) == 2:
		t.letters[words[0]] = words[1]
	case kind == "same":
		for _, w := range words {
			t.same[w] = true
		}
	case kind == "name" && len(words) == 2:
		t.names[words[0]] = words[1]
	case kind == "text":
		t.texts = append(t.texts, rest)
	case kind == "set":
		at := slices.Index(words, "for")
		for _, w := range words[at+1:] {
			t.set[w] = words[:at]
		}
	case kind == "left":
		names, why, ok := strings.Cut(rest, ": ")
		if !ok {
			return fmt.Errorf("%q has no sentence", line)
		}
		for w := range strings.FieldsSeq(names) {
			t.left[w] = why
		}
	case kind == "stored":
		names, what, _ := strings.Cut(rest, ": ")
		words := strings.Fields(names)
		t.stored = append(t.stored, stored{words[0], words[1:], what})
	default:
		return fmt.Errorf("%q is no row", line)
	}
	return nil
}

var isLetter = regexp.MustCompile(`^[a-z]$`).MatchString

func newRule(old, expression string) (*rule, error) {
	r := &rule{row: old + " -> " + expression}
	if last, ok := strings.CutPrefix(expression, "_, "); ok {
		expression, r.second = last, "error"
	}
	for _, second := range []string{"nil", "ok"} {
		if first, ok := strings.CutSuffix(expression, ", "+second); ok {
			expression, r.second = first, second
		}
	}
	var err error
	if r.pattern, err = parser.ParseExpr(old); err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	e, err := parser.ParseExprFrom(fset, "", expression, 0)
	if err != nil {
		return nil, err
	}
	if call, ok := e.(*ast.CallExpr); ok {
		s, ok := call.Fun.(*ast.SelectorExpr)
		r.call = ok && s.Sel.Name != "ID" && s.Sel.Name != "UUID" // which are types
	}
	at := 0
	naked, qualifiers := map[ast.Node]bool{e: true}, map[ast.Node]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, arg := range n.Args {
				naked[arg] = true
			}
		case *ast.SelectorExpr:
			qualifiers[n.X] = true
		case *ast.Ident:
			p := part{}
			switch {
			case isLetter(n.Name):
				p.letter, p.naked = n.Name, naked[n]
			case n.Name == "result":
				p.result = true
			case newPackages[n.Name] != "" && qualifiers[n]:
				p.pkg = n.Name
			default:
				return true
			}
			r.parts = append(r.parts, part{text: expression[at:fset.Position(n.Pos()).Offset]}, p)
			at = fset.Position(n.End()).Offset
		}
		return true
	})
	r.parts = append(r.parts, part{text: expression[at:]})
	return r, nil
}

// lastName returns the name of a function, method or type that e names, or "".
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return lastName(e.X)
	}
	return ""
}

// door returns the package here that has the names which are the same.
func (t *table) door() string {
	if t.pkg == "sonyflake" {
		return "snowflake"
	}
	return t.pkg
}
