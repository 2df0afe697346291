package from

// This file reads the tables of the old libraries and describes their format.

import (
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// rulesFS contains the tables, one for each library. A line that begins with a tab continues the
// previous row. A row has one of these forms:
//
//   - The row "package NAME PATH…" lists the import paths of the library's packages. In patterns,
//     NAME refers to any of these packages.
//   - The row "let LETTER TYPE" limits the values that the letter matches (see bind). In all
//     tables, the letter x matches an error value.
//   - The row "same NAME…" lists functions, types and methods that are the same in ids.
//   - The row "name TYPE.FIELD NEW" gives a field's name in ids if it differs from the old name.
//   - The row "PATTERN -> EXPRESSION" replaces code that matches the pattern with the expression.
//     The same letters occur in both, each once and in the same order. A letter without a let row
//     matches any expression. If the row replaces one error with another, it also applies to
//     comparisons with == and !=.
//   - The row "PATTERN -> EXPRESSION, nil" applies to a function that returns an error, if its
//     replacement in ids returns none. The old error is replaced with nil.
//   - The row "PATTERN -> EXPRESSION, ok" applies to a function whose replacement in ids has an
//     additional second result. This result is dropped. The row applies only if the first result is
//     assigned. Otherwise, the pattern's next row applies.
//   - The row "PATTERN -> _, EXPRESSION" applies to a function whose replacement in ids has an
//     additional first result. This result is dropped.
//   - The row "PATTERN -> EXPRESSION, read" replaces code that matches the pattern with a slice
//     that aliases a variable. The row applies only if the surrounding code does nothing but read
//     the bytes.
//   - The row "PATTERN | PATTERN -> …" applies to each of several patterns.
//   - The row "set NAME… for NAME…" disables the rules for the names after "for" if the program
//     uses one of the names before "for".
//   - The row "text TEXT" contains part of an error message of the library.
//   - The row "left NAME…: SENTENCE" lists names that stay unchanged. The sentence tells the user
//     what to write instead.
//   - The row "differs NAME…: SENTENCE" lists names that have a different value in ids. The report
//     contains the sentence and the positions at which the program uses these names. It omits a
//     position if the name is used there only with constants (see differenceNotes).
//   - The row "stored TYPE WHERE: SENTENCE" describes a difference that occurs when values of the
//     type are written or read. WHERE is one or more of the words in the list below.
//   - The row "unseen SENTENCE" describes a difference that type information does not reveal.
//   - The row "unseen for NAME…: SENTENCE" describes such a difference for programs that use one of
//     the names. NAME is a name of the library, a format verb such as "%#v", or the import path of
//     a dependency, such as "database/sql".
//
// In an expression, three words refer to the old code. The word "same" represents the matched name,
// "value" represents the value of the matched constant, and "result" represents the type of the
// first result of the matched call.
//
// In a stored row, these words can follow the type:
//
//   - The word "codecs=PART,…" means that the row applies to codecs whose import paths contain one
//     of these parts.
//   - The word "tags=KEY,…" means that the row applies to struct fields that contain the type and
//     whose tags have one of these keys.
//   - The word "omits=KEY:OPTION,…" means that the row applies to struct fields whose tags have one
//     of these options. With such an option, a codec omits a value if the value's IsZero method
//     returns true. Only the new type has this method.
//   - The word "queries" means that the row applies to values that are passed to a database.
//   - The word "unless=METHOD" limits the row to versions of the library in which the type lacks
//     the method.
//
//go:embed rules
var rulesFS embed.FS

// A table contains the rows for one library.
type table struct {
	name    string   // such as "google"
	paths   []string // import paths of the library's packages
	pkg     string   // name that patterns use for these packages
	door    string   // name of the package in ids that replaces these packages
	letters map[string]string
	same    map[string]bool
	names   map[string]string   // new names of fields, by old name
	rules   []*rule             // in the order in which they are tried
	set     map[string][]string // for each old name, the names whose use disables that name's rules
	texts   []string
	left    map[string]string
	differs map[string]string
	stored  []storedRow
	unseen  []unseenRow
}

// A storedRow describes a difference in how values of a type are written and read.
type storedRow struct {
	name                string
	codecs, tags, omits []string
	queries             bool
	unless              string // method that the type must not have, or ""
	sentence            string
}

// about reports whether the row applies to the given type from the old library.
func (s storedRow) about(of *types.TypeName) bool {
	method, _, _ := types.LookupFieldOrMethod(of.Type(), true, nil, s.unless)
	return of.Name() == s.name && method == nil
}

// An unseenRow describes a difference that idsvet cannot detect from type information. If names is
// nil, the row applies to all programs. Otherwise, it applies only to programs that use one of the
// names.
type unseenRow struct {
	names    []string
	sentence string
}

// A rule is a pattern and its replacement.
type rule struct {
	row          string
	pattern      ast.Expr
	parts        []part
	resultChange resultChange
}

// resultChange describes how the results of a template differ from those of its pattern.
type resultChange int

const (
	asBefore     resultChange = iota
	withNil                   // EXPRESSION, nil
	withoutOK                 // EXPRESSION, ok
	withoutFirst              // _, EXPRESSION
	onlyRead                  // EXPRESSION, read
)

var suffixes = map[string]resultChange{", nil": withNil, ", ok": withoutOK, ", read": onlyRead}

// A part is a piece of a template: literal text, a letter, the name of a package, or the word
// "result" or "value".
type part struct {
	text, letter, pkg string
	result            bool // represents the type of the old call's first result
	value             bool // represents the value of the old constant
	noParens          bool // the expression bound to the letter needs no parentheses
}

// newPackages maps the package names in templates to import paths.
var newPackages = map[string]string{
	"ids": root, "uuid": root + "/uuid", "ulid": root + "/ulid", "snowflake": root + "/snowflake",
	"base64": "encoding/base64", "bytes": "bytes", "errors": "errors", "strconv": "strconv", "strings": "strings", "time": "time",
}

const root = "github.com/oneclock/ids"

// Libraries returns the names of the libraries that have a table.
func Libraries() (names []string) {
	entries, _ := rulesFS.ReadDir("rules") // the directory is embedded, so reading cannot fail
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

// page returns the name of the old library's page in docs/from.
func (t *table) page() string {
	if t.name == "satori" {
		return "others"
	}
	return t.name
}

// readTable returns the table of the named library.
func readTable(name string) (*table, error) {
	text, err := rulesFS.ReadFile("rules/" + name + ".txt")
	if err != nil {
		return nil, fmt.Errorf("-from %s: unknown library; use one of %s", name, strings.Join(Libraries(), ", "))
	}
	t := &table{name: name, letters: map[string]string{"x": "error"}, same: map[string]bool{}, names: map[string]string{}, set: map[string][]string{}, left: map[string]string{}, differs: map[string]string{}}
	for i, line := range strings.Split(strings.ReplaceAll(string(text), "\n\t", " "), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := t.addRow(line); err != nil {
			return nil, fmt.Errorf("rules/%s.txt, row %d: %w", name, i+1, err)
		}
	}
	return t, nil
}

// sameWord matches the word "same" in an expression.
var sameWord = regexp.MustCompile(`\bsame\b`)

// errorRow matches a row that replaces one error variable with another.
var errorRow = regexp.MustCompile(`^\w+\.Err\w+ -> \w+\.Err\w+$`)

// addRow adds a row to the table.
func (t *table) addRow(line string) error {
	patterns, expression, ok := strings.Cut(line, " -> ")
	if !ok {
		return t.addWordRow(line)
	}
	var errs []error
	for old := range strings.SplitSeq(patterns, " | ") {
		name := regexp.MustCompile(t.pkg + `\.\w+`).FindString(old)
		errs = append(errs, t.addRule(old, sameWord.ReplaceAllString(expression, name)))
	}
	return errors.Join(errs...)
}

// addRule adds the rules for one pattern.
func (t *table) addRule(old, now string) error {
	rows := []string{old, now}
	switch {
	case strings.HasSuffix(now, ", nil"):
		rows = []string{t.pkg + ".Must(" + old + ")", strings.TrimSuffix(now, ", nil"), old, now}
	case errorRow.MatchString(old + " -> " + now): // ids wraps errors, so == never matches
		is := "errors.Is(x, " + now + ")"
		rows = []string{"x == " + old, is, old + " == x", is, "x != " + old, "!" + is, old + " != x", "!" + is, old, now}
	}
	for pair := range slices.Chunk(rows, 2) {
		r, err := newRule(strings.TrimSpace(pair[0]), strings.TrimSpace(pair[1]))
		if err != nil {
			return err
		}
		t.rules = append(t.rules, r)
	}
	return nil
}

// addWordRow adds a row that begins with a word instead of a pattern.
func (t *table) addWordRow(line string) error {
	kind, rest, _ := strings.Cut(line, " ")
	names, sentence, _ := strings.Cut(rest, ": ")
	words := strings.Fields(names)
	switch {
	case kind == "package":
		t.pkg, t.paths = words[0], words[1:]
		t.door = strings.Replace(t.pkg, "sonyflake", "snowflake", 1)
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
	case kind == "unseen" && words[0] == "for" && sentence != "":
		t.unseen = append(t.unseen, unseenRow{words[1:], sentence})
	case kind == "unseen":
		t.unseen = append(t.unseen, unseenRow{nil, rest})
	case kind == "set":
		at := slices.Index(words, "for")
		for _, w := range words[at+1:] {
			t.set[w] = words[:at]
		}
	case kind == "left" && sentence != "":
		for _, w := range words {
			t.left[w] = sentence
		}
	case kind == "differs" && sentence != "":
		for _, w := range words {
			t.differs[w] = sentence
		}
	case kind == "stored" && sentence != "":
		where := map[string][]string{}
		for _, w := range words[1:] {
			key, list, _ := strings.Cut(w, "=")
			where[key] = strings.Split(list, ",")
		}
		t.stored = append(t.stored, storedRow{words[0], where["codecs"], where["tags"], where["omits"], where["queries"] != nil, strings.Join(where["unless"], ""), sentence})
	default:
		return fmt.Errorf("%q is not a row", line)
	}
	return nil
}

var isLetter = regexp.MustCompile(`^[a-z]$`).MatchString

func newRule(old, expression string) (r *rule, err error) {
	r = &rule{row: old + " -> " + expression}
	if last, ok := strings.CutPrefix(expression, "_, "); ok {
		expression, r.resultChange = last, withoutFirst
	}
	for suffix, values := range suffixes {
		if first, ok := strings.CutSuffix(expression, suffix); ok {
			expression, r.resultChange = first, values
		}
	}
	r.parts = parts(expression)
	r.pattern, err = parser.ParseExpr(old)
	return r, err
}

var (
	wordRE = regexp.MustCompile(`\w+`)
	opens  = regexp.MustCompile(`(^|[(,] *)$`).MatchString
	closes = regexp.MustCompile(`^($|[),])`).MatchString
)

// parts splits a template into literal text, letters, package names, and the words "result" and
// "value".
func parts(template string) (all []part) {
	at := 0
	for _, word := range wordRE.FindAllStringIndex(template, -1) {
		name, after := template[word[0]:word[1]], template[word[1]:]
		p := part{result: name == "result", value: name == "value"}
		switch {
		case isLetter(name):
			p.letter, p.noParens = name, opens(template[:word[0]]) && closes(after)
		case newPackages[name] != "" && strings.HasPrefix(after, "."):
			p.pkg = name
		case !p.result && !p.value:
			continue
		}
		all = append(all, part{text: template[at:word[0]]}, p)
		at = word[1]
	}
	return append(all, part{text: template[at:]})
}
