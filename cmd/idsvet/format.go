package main

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/passes/printf"
)

var verb = rule("verb", "report %x of an id, and %d of a UUID or a ULID", verbs)

func verbs(p *program) {
	for _, call := range each[*ast.CallExpr](p) {
		p.formatted(call, func(arg ast.Expr, verb string) {
			t := elem(p.TypeOf(arg))
			kind := receiver(method(t, "String"))
			instead := "the bytes, as id[:]"
			if kind == "Snowflake" {
				instead = "int64(id)"
			}
			switch {
			case kind == "" || has(t, "Format"):
			case verb == "x" || verb == "X":
				p.ReportRangef(arg, "%%%s writes the digits of the text of this %s, in hexadecimal; pass %s, or write %%s", verb, kind, instead)
			case verb == "d" && (kind == "UUID" || kind == "ULID" || kind == "Binary" || kind == "ID"):
				p.ReportRangef(arg, "%%d writes a list of 16 numbers for this %s; write %%s", kind)
			}
		})
	}
}

// verbRE is a verb with its flags, width and precision, but without the index of an argument.
var verbRE = regexp.MustCompile(`%[-+# 0]*(\*|[0-9]*)(\.(\*|[0-9]*))?([a-zA-Z%])`)

// formatted calls written for each argument that the call writes by a verb, if the function is one of fmt, or passes its
// arguments on to one. What fmt.Print writes has the verb v.
func (p *program) formatted(call *ast.CallExpr, written func(arg ast.Expr, verb string)) {
	f := p.callee(call)
	if f == nil || call.Ellipsis.IsValid() || !f.Signature().Variadic() || len(call.Args) < f.Signature().Params().Len() {
		return
	}
	first := f.Signature().Params().Len() - 1
	args := call.Args[first:]
	switch p.ResultOf[printf.Analyzer].(*printf.Result).Kind(f) {
	case printf.KindPrint:
		for _, arg := range args {
			written(arg, "v")
		}
	case printf.KindPrintf, printf.KindErrorf:
		format := p.text(call.Args[first-1])
		if strings.Contains(format, "[") { // arguments by number
			return
		}
		for _, m := range verbRE.FindAllStringSubmatch(format, -1) {
			stars := strings.Count(m[0], "*")
			args = args[min(stars, len(args)):]
			if len(args) > 0 && m[4] != "%" {
				written(args[0], m[4])
				args = args[1:]
			}
		}
	}
}

var plainType = rule("plaintype", "report values of type T uuid.UUID that are scanned, marshalled or formatted", plainTypes, new(isPlain))

// isPlain is the fact that a type is declared as uuid.UUID or ulid.ULID is, and so has none of their methods.
type isPlain struct{ Of string }

func (*isPlain) AFact() {}

// plain returns the named type t and the id that it is declared as, or nil.
func (p *program) plain(t types.Type) (*types.TypeName, string) {
	named, ok := types.Unalias(t).(*types.Named)
	var fact isPlain
	if !ok || !p.ImportObjectFact(named.Obj(), &fact) {
		return nil, ""
	}
	return named.Obj(), fact.Of
}

// exportPlain exports the facts of the types that the package declares.
func (p *program) exportPlain() {
	for _, spec := range each[*ast.TypeSpec](p) {
		t := p.TypeOf(spec.Type)
		_, of := p.plain(t)
		if name := idName(t); name == "UUID" || name == "ULID" {
			of = "ids." + name
		}
		if of != "" && !spec.Assign.IsValid() {
			p.ExportObjectFact(p.Defs[spec.Name], &isPlain{of})
		}
	}
}

func plainTypes(p *program) {
	p.exportPlain()
	report := func(e ast.Expr, t *types.TypeName, of, what string) {
		p.ReportRangef(e, "%s %s: it has no methods of %s; declare it as struct{ %s }, or as an alias", t.Name(), what, of, of)
	}
	for _, call := range each[*ast.CallExpr](p) {
		f := p.callee(call)
		if f == nil {
			continue
		}
		p.formatted(call, func(arg ast.Expr, verb string) {
			t, of := p.plain(elem(p.TypeOf(arg)))
			if t != nil && strings.Contains("vsq", verb) && !has(t.Type(), "String", "Error", "Format") {
				report(arg, t, of, "is written as a list of 16 numbers or as 16 bytes")
			}
		})
		for _, arg := range call.Args {
			if f.Pkg() != nil && strings.HasPrefix(f.Pkg().Path(), "encoding/json") {
				find := func(t types.Type) bool { name, _ := p.plain(t); return name != nil }
				if t, of := p.plain(inJSON(p.TypeOf(arg), find, map[types.Type]bool{})); t != nil {
					report(arg, t, of, "is a list of 16 numbers in JSON")
				}
			}
			t, of := p.plain(elem(p.TypeOf(arg)))
			if t != nil && strings.HasPrefix(f.FullName(), "(*database/sql.Row") && f.Name() == "Scan" && !has(t.Type(), "Scan") {
				report(arg, t, of, "cannot be scanned")
			}
		}
	}
}

func has(t types.Type, methods ...string) bool {
	return slices.ContainsFunc(methods, func(name string) bool { return method(t, name) != nil })
}

// inJSON returns the first type that find finds in t, as encoding/json goes through it, or nil.
func inJSON(t types.Type, find func(types.Type) bool, seen map[types.Type]bool) types.Type {
	t = elem(t)
	if seen[t] || has(t, "MarshalJSON", "MarshalText", "MarshalJSONTo", "UnmarshalJSON", "UnmarshalText", "UnmarshalJSONFrom") {
		return nil
	}
	if find(t) {
		return t
	}
	seen[t] = true
	if e := element(t); e != nil {
		return inJSON(e, find, seen)
	}
	u, ok := t.Underlying().(*types.Struct)
	for i := 0; ok && i < u.NumFields(); i++ {
		if u.Field(i).Exported() && !strings.Contains(u.Tag(i), `json:"-"`) {
			if found := inJSON(u.Field(i).Type(), find, seen); found != nil {
				return found
			}
		}
	}
	return nil
}
