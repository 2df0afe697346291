package from

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

// The tables, one for each library. A line that begins with a tab goes on with the row before. A row is one of
//
//	package PATH…                 the import paths of the library's packages, the first word of its patterns being the last name
//	let LETTER TYPE               what the letter stands for: see bind. x is an error in all tables
//	same NAME…                    functions, types and methods that are the same here
//	name TYPE.FIELD NEW           a field that has another name here
//	PATTERN -> EXPRESSION         what is written instead; a letter, which each has once and in the same order, stands
//	                              for any expression. A row of two errors stands for comparisons with ==, != and them, too
//	PATTERN -> EXPRESSION, nil    the same, for a function whose error cannot occur here
//	PATTERN -> EXPRESSION, ok     the same, for one that has a second result here, which is dropped
//	                              if the first one is assigned; else the next row of the pattern counts
//	PATTERN -> _, EXPRESSION      the same, for one whose first result is dropped
//	PATTERN -> EXPRESSION, read   the same, for a list that shares its bytes with a variable: where they are only read
//	PATTERN | PATTERN -> …        the same for each of several patterns; in the expression, same is the name in the pattern, and
//	                              value the constant that it is
//	set NAME… for NAME…           while the program uses the first names, the second ones are left
//	text TEXT                     a part of the texts of its errors
//	left NAME…: SENTENCE          what is left, and what to write
//	differs NAME…: SENTENCE       what is another value here where these are used, if constants do not decide it
//	stored TYPE WHERE: SENTENCE   what differs where the type is written and read: "codecs=PART,…" are parts of import paths,
//	                              "tags=KEY,…" keys of fields' tags, "omits=KEY:OPTION,…" those whose option leaves out what is
//	                              zero by a method IsZero that the type gains, and "queries" are arguments of a database.
//	                              "unless=METHOD" is for versions in which the type does not have the method yet
//	unseen SENTENCE               what no type shows
//	unseen for NAME…: SENTENCE    the same, where the program has one of the names: of the library, of a verb in a format, as
//	                              "%#v", or of a package that it needs, as "database/sql"
//
//go:embed rules
var rulesFS embed.FS

// A table is what is known of one library.
type table struct {
	name    string   // "google"
	paths   []string // of its packages
	pkg     string   // the name of its package in patterns
	door    string   // the package here that has the names which are the same
	letters map[string]string
	same    map[string]bool
	names   map[string]string   // new names of fields
	rules   []*rule             // in the order in which they are tried
	set     map[string][]string // names that are left, by the names whose use is the cause
	texts   []string
	left    map[string]string
	differs map[string]string
	stored  []stored
	unseen  []unseen
}

// stored is what differs where values of a type are written and read.
type stored struct {
	name                string
	codecs, tags, omits []string
	queries             bool
	unless              string // the method of the type without which the row counts, or ""
	what                string
}

// about reports whether the row is for a type of the library.
func (s stored) about(of *types.TypeName) bool {
	method, _, _ := types.LookupFieldOrMethod(of.Type(), true, nil, s.unless)
	return of.Name() == s.name && method == nil
}

// unseen is what no type shows, in programs that have one of the names, or in all.
type unseen struct {
	names []string
	what  string
}

// A rule is a pattern and what is written instead.
type rule struct {
	row     string
	pattern ast.Expr
	parts   []part
	values  values
}

// values is how many values the template has, beside those of the pattern, and what they are.
type values int

const (
	asBefore     values = iota
	withNil             // EXPRESSION, nil
	withoutOK           // EXPRESSION, ok
	withoutFirst        // _, EXPRESSION
	onlyRead            // EXPRESSION, read
)

var suffixes = map[string]values{", nil": withNil, ", ok": withoutOK, ", read": onlyRead}

// A part of a template is text, a letter, the name of a package, or what the old expression has.
type part struct {
	text, letter, pkg string
	result            bool // the type of the old call's first result
	value             bool // the value of the old constant
	naked             bool // the letter needs no parentheses
}

// newPackages are the packages that templates name, with their import paths.
var newPackages = map[string]string{
	"ids": root, "uuid": root + "/uuid", "ulid": root + "/ulid", "snowflake": root + "/snowflake",
	"base64": "encoding/base64", "bytes": "bytes", "errors": "errors", "strconv": "strconv", "strings": "strings", "time": "time",
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

// page returns the name of the library's page in docs/from.
func (t *table) page() string {
	if t.name == "satori" {
		return "others"
	}
	return t.name
}

// readTable returns the table of a library.
func readTable(name string) (*table, error) {
	text, err := rulesFS.ReadFile("rules/" + name + ".txt")
	if err != nil {
		return nil, fmt.Errorf("-from %s is none of %s", name, strings.Join(Libraries(), ", "))
	}
	t := &table{name: name, letters: map[string]string{"x": "error"}, same: map[string]bool{}, names: map[string]string{}, set: map[string][]string{}, left: map[string]string{}, differs: map[string]string{}}
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

// same is the word for the name in the pattern.
var same = regexp.MustCompile(`\bsame\b`)

var ofErrors = regexp.MustCompile(`^\w+\.Err\w+ -> \w+\.Err\w+$`)

func (t *table) row(line string) error {
	patterns, expression, ok := strings.Cut(line, " -> ")
	if !ok {
		return t.words(line)
	}
	var errs []error
	for old := range strings.SplitSeq(patterns, " | ") {
		name := regexp.MustCompile(t.pkg + `\.\w+`).FindString(old)
		errs = append(errs, t.rule(old, same.ReplaceAllString(expression, name)))
	}
	return errors.Join(errs...)
}

// rule adds the rules of one pattern.
func (t *table) rule(old, now string) error {
	rows := []string{old, now}
	switch {
	case strings.HasSuffix(now, ", nil"):
		rows = []string{t.pkg + ".Must(" + old + ")", strings.TrimSuffix(now, ", nil"), old, now}
	case ofErrors.MatchString(old + " -> " + now): // here they are wrapped, so that none is equal to its sentinel
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

// words reads a row without a pattern.
func (t *table) words(line string) error {
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
		t.unseen = append(t.unseen, unseen{words[1:], sentence})
	case kind == "unseen":
		t.unseen = append(t.unseen, unseen{nil, rest})
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
		t.stored = append(t.stored, stored{words[0], where["codecs"], where["tags"], where["omits"], where["queries"] != nil, strings.Join(where["unless"], ""), sentence})
	default:
		return fmt.Errorf("%q is no row", line)
	}
	return nil
}

var isLetter = regexp.MustCompile(`^[a-z]$`).MatchString

func newRule(old, expression string) (r *rule, err error) {
	r = &rule{row: old + " -> " + expression}
	if last, ok := strings.CutPrefix(expression, "_, "); ok {
		expression, r.values = last, withoutFirst
	}
	for suffix, values := range suffixes {
		if first, ok := strings.CutSuffix(expression, suffix); ok {
			expression, r.values = first, values
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

// parts returns the parts of a template: text, and between it letters and names of packages.
func parts(template string) (all []part) {
	at := 0
	for _, word := range wordRE.FindAllStringIndex(template, -1) {
		name, after := template[word[0]:word[1]], template[word[1]:]
		p := part{result: name == "result", value: name == "value"}
		switch {
		case isLetter(name):
			p.letter, p.naked = name, opens(template[:word[0]]) && closes(after)
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
