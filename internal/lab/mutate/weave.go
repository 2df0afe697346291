package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// prefix begins the names of the copies of a function. The number of the mutant follows; 0 is the
// function as it is.
const prefix = "mutant"

// variable selects the mutant that runs.
const variable = "IDS_MUTANT"

// selector is the file that a woven package has besides its own.
const selector = `package %s

import (
	"os"
	"strconv"
)

var ` + prefix + `, _ = strconv.Atoi(os.Getenv("` + variable + `"))
`

// A piece is the part of a woven file that is a mutant's.
type piece struct {
	start, end int
	m          *mutant
}

// weave returns s with a copy of each function for each of the given mutants. The function itself calls
// the copy that is selected when the program starts. Mutants outside functions are left out.
func (c *code) weave(s *source, mutants []*mutant) (text []byte, pieces []piece) {
	of := make(map[*ast.FuncDecl][]*mutant)
	for _, m := range mutants {
		if m.fn != nil && m.file == s {
			of[m.fn] = append(of[m.fn], m)
		}
	}
	at := 0
	for _, d := range s.syntax.Decls {
		fn, _ := d.(*ast.FuncDecl)
		if len(of[fn]) == 0 || fn == nil {
			continue
		}
		start, end := c.fset.Position(fn.Type.Func).Offset, c.fset.Position(fn.End()).Offset
		text = append(append(text, s.text[at:start]...), c.dispatcher(s, fn, of[fn])...)
		name := c.fset.Position(fn.Name.Pos()).Offset
		for _, m := range append([]*mutant{{start: end, end: end}}, of[fn]...) {
			from := len(text)
			text = fmt.Appendf(text, "\n\n%s%s%d_%s%s%s", s.text[start:name], prefix, m.id, s.text[name:m.start], m.text, s.text[m.end:end])
			pieces = append(pieces, piece{from, len(text), m})
		}
		at = end
	}
	return append(text, s.text[at:]...), pieces
}

// dispatcher returns the function that selects one of the copies of fn.
func (c *code) dispatcher(s *source, fn *ast.FuncDecl, mutants []*mutant) string {
	src := func(from, to token.Pos) string {
		return string(s.text[c.fset.Position(from).Offset:c.fset.Position(to).Offset])
	}
	var b strings.Builder
	var params, args []string
	for _, p := range fn.Type.Params.List {
		for range max(len(p.Names), 1) {
			arg := fmt.Sprintf("p%d", len(params))
			params = append(params, arg+" "+src(p.Type.Pos(), p.Type.End()))
			if _, ok := p.Type.(*ast.Ellipsis); ok {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	b.WriteString("func ")
	target := ""
	if fn.Recv != nil {
		t := fn.Recv.List[0].Type
		fmt.Fprintf(&b, "(receiver %s) ", src(t.Pos(), t.End()))
		target = "receiver."
	}
	b.WriteString(fn.Name.Name)
	instance := ""
	if p := fn.Type.TypeParams; p != nil {
		b.WriteString(src(p.Pos(), p.End()))
		for _, field := range p.List {
			for _, name := range field.Names {
				instance += name.Name + ", "
			}
		}
		instance = "[" + instance + "]"
	}
	fmt.Fprintf(&b, "(%s)", strings.Join(params, ", "))
	result := ""
	if r := fn.Type.Results; r != nil {
		b.WriteString(" " + src(r.Pos(), r.End()))
		result = "return "
	}
	call := func(id int) {
		fmt.Fprintf(&b, "\t\t%s%s%s%d_%s%s(%s)\n", result, target, prefix, id, fn.Name.Name, instance, strings.Join(args, ", "))
	}
	fmt.Fprintf(&b, " {\n\tswitch %s {\n\tdefault:\n", prefix)
	call(0)
	for _, m := range mutants {
		fmt.Fprintf(&b, "\tcase %d:\n", m.id)
		call(m.id)
	}
	b.WriteString("\t}\n}")
	return b.String()
}

// sieve drops the mutants that do not compile.
func (c *code) sieve() error {
	bad := make(map[*mutant]bool)
	for range 5 { // an error may hide others
		texts := map[string][]byte{prefix + ".go": fmt.Appendf(nil, selector, c.files[0].syntax.Name)}
		pieces := make(map[string][]piece)
		for _, s := range c.files {
			s.mutants = slices.DeleteFunc(s.mutants, func(m *mutant) bool { return bad[m] })
			texts[s.path], pieces[s.path] = c.weave(s, s.mutants)
		}
		clear(bad)
		for _, e := range c.compile(texts) {
			own := pieces[e.Pos.Filename]
			i := slices.IndexFunc(own, func(p piece) bool {
				return p.start <= e.Pos.Offset && e.Pos.Offset <= p.end && p.m.file != nil
			})
			if i < 0 {
				return fmt.Errorf("the woven package does not compile: %w", e)
			}
			bad[own[i].m] = true
		}
		if len(bad) == 0 {
			for _, s := range c.files {
				s.mutants = slices.DeleteFunc(s.mutants, func(m *mutant) bool {
					return m.fn == nil && len(c.compile(map[string][]byte{s.path: m.apply()})) > 0
				})
			}
			return nil
		}
	}
	return errors.New("the woven package does not compile")
}

// compile returns the errors of the package with other texts of some files: the first of the syntax of each file,
// or else all errors of types.
func (c *code) compile(texts map[string][]byte) (list scanner.ErrorList) {
	var files []*ast.File
	for _, s := range c.files {
		if texts[s.path] == nil {
			files = append(files, s.syntax)
		}
	}
	for path, text := range texts {
		file, err := parser.ParseFile(c.fset, path, text, parser.SkipObjectResolution|parser.AllErrors)
		if found, ok := errors.AsType[scanner.ErrorList](err); ok {
			list = append(list, found[0]) // the others may follow from it
		}
		files = append(files, file)
	}
	if len(list) == 0 {
		conf := types.Config{Importer: c.imports, Error: func(err error) {
			if e, ok := errors.AsType[types.Error](err); ok {
				list.Add(c.fset.Position(e.Pos), e.Msg)
			}
		}}
		_, _ = conf.Check(c.path, c.fset, files, nil) // Error has all errors
	}
	return list
}

// apply returns the text of the file with the mutant in it.
func (m *mutant) apply() []byte {
	return slices.Concat(m.file.text[:m.start], []byte(m.text), m.file.text[m.end:])
}

var (
	header      = regexp.MustCompile(`(?m)^(\S+) STEXT `)
	instruction = regexp.MustCompile(`^\t0x[0-9a-f]+ \d+ \(.*?\)\t(.*)`)
	copyName    = regexp.MustCompile(prefix + `(\d+)_`)
)

// identical returns the ids of the mutants whose instructions, as the compiler lists them, are
// those of the function as it is.
func identical(listing string) map[int]bool {
	listed := make(map[string]map[string]string) // by id, and by the name without it
	heads := header.FindAllStringSubmatchIndex(listing, -1)
	for i, h := range heads {
		name := listing[h[2]:h[3]]
		id := copyName.FindStringSubmatch(name)
		if id == nil {
			continue
		}
		end := len(listing)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		var b strings.Builder
		for line := range strings.Lines(listing[h[1]:end]) {
			in := instruction.FindStringSubmatch(line)
			if in == nil || strings.HasPrefix(in[1], "PCDATA") || strings.HasPrefix(in[1], "FUNCDATA") {
				continue
			}
			b.WriteString(copyName.ReplaceAllString(in[1], prefix+"_") + "\n")
		}
		if listed[id[1]] == nil {
			listed[id[1]] = make(map[string]string)
		}
		listed[id[1]][copyName.ReplaceAllString(name, prefix+"_")] = b.String()
	}
	same := make(map[int]bool)
	for id, functions := range listed {
		equal := id != "0"
		for name, text := range functions {
			equal = equal && listed["0"][name] == text
		}
		if equal {
			n, err := strconv.Atoi(id)
			if err == nil {
				same[n] = true
			}
		}
	}
	return same
}
