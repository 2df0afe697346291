package main

// This file contains the analyzers for IDs that are not written as text: verb (IDs that are
// formatted with an unsuitable fmt verb) and plaintype (IDs that are passed to encoding/json, but
// whose types lack the methods of an ID).

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/passes/printf"

	"github.com/oneclock/ids/cmd/idsvet/internal/syntax"
)

var verb = newAnalyzer("verb", "report %x of an ID, and %d of a UUID or a ULID"+
	"\n\nIt also checks calls of functions that forward a format. It is silent for %d of a Snowflake, and for %x of id[:].", verbs)

func verbs(p *target) {
	for _, call := range each[*ast.CallExpr](p) {
		f := p.callee(call)
		if f == nil || call.Ellipsis.IsValid() || !f.Signature().Variadic() {
			continue
		}
		kind := p.ResultOf[printfs].(*printf.Result).Kind(f)
		last := f.Signature().Params().Len() - 1
		if kind != printf.KindPrintf && kind != printf.KindErrorf || len(call.Args) <= last {
			continue
		}
		format, args := p.constantText(call.Args[last-1]), call.Args[last:]
		if strings.Contains(format, "[") { // explicit argument indexes
			continue
		}
		for _, m := range verbRE.FindAllStringSubmatch(format, -1) {
			stars := strings.Count(m[0], "*")
			args = args[min(stars, len(args)):]
			if len(args) > 0 && m[4] != "%" {
				p.reportVerb(args[0], m[4])
				args = args[1:]
			}
		}
	}
}

// verbRE matches a verb with its flags, width and precision, but without an argument index.
var verbRE = regexp.MustCompile(`%[-+# 0]*(\*|[0-9]*)(\.(\*|[0-9]*))?([a-zA-Z%])`)

// reportVerb reports the expression id if its value is an ID and the verb formats IDs of its type
// incorrectly.
func (p *target) reportVerb(id ast.Expr, verb string) {
	t := innermost(p.TypeOf(id))
	kind := receiverName(methodOf(t, "String"))
	instead := "id[:]"
	if kind == "Snowflake" {
		instead = "int64(id)"
	}
	switch {
	case kind == "" || methodOf(t, "Format") != nil:
	case verb == "x" || verb == "X":
		p.ReportRangef(id, "%%%s writes the characters of the text of this %s in hexadecimal; pass %s, or use %%s", verb, kind, instead)
	case verb == "d" && (kind == "UUID" || kind == "ULID" || kind == "Binary" || kind == "ID"):
		p.ReportRangef(id, "%%d writes a list of 16 numbers for this %s; use %%s", kind)
	}
}

var plainType = newAnalyzer("plaintype", "report values of a type T that is declared as T uuid.UUID, in encoding/json"+
	"\n\nIt is silent if T has a method that encoding/json uses.", plainTypes, new(isPlain))

// isPlain is an analysis fact. It marks a type that is defined in terms of uuid.UUID or ulid.ULID,
// as in "type T uuid.UUID". Such a type has none of the ID's methods.
type isPlain struct{ Of string }

func (*isPlain) AFact() {}

// plain returns the name of type t and the name of the ID type from which t is defined, such as
// "ids.UUID". If t is not a plain type, plain returns nil and "".
func (p *target) plain(t types.Type) (*types.TypeName, string) {
	named, ok := types.Unalias(t).(*types.Named)
	var fact isPlain
	if !ok || !p.ImportObjectFact(named.Obj(), &fact) {
		return nil, ""
	}
	return named.Obj(), fact.Of
}

func plainTypes(p *target) {
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
	for _, call := range each[*ast.CallExpr](p) {
		f := p.callee(call)
		if f == nil || f.Pkg() == nil || !strings.HasPrefix(f.Pkg().Path(), "encoding/json") {
			continue
		}
		for _, arg := range call.Args {
			if t, of := p.plain(p.inJSON(p.TypeOf(arg), map[types.Type]bool{})); t != nil {
				p.ReportRangef(arg, "%s is a list of 16 numbers in JSON, because it has no methods of %s; declare it as struct{ %s }, or as an alias", t.Name(), of, of)
			}
		}
	}
}

// inJSON returns the first plain type that encoding/json finds in a value of type t, or nil.
func (p *target) inJSON(t types.Type, seen map[types.Type]bool) types.Type {
	t = innermost(t)
	read := func(name string) bool { return methodOf(t, name) != nil }
	if seen[t] || slices.ContainsFunc([]string{"MarshalJSON", "MarshalText", "MarshalJSONTo", "UnmarshalJSON", "UnmarshalText", "UnmarshalJSONFrom"}, read) {
		return nil
	}
	if plain, _ := p.plain(t); plain != nil {
		return t
	}
	seen[t] = true
	if e := syntax.Element(t); e != nil {
		return p.inJSON(e, seen)
	}
	u, ok := t.Underlying().(*types.Struct)
	for i := 0; ok && i < u.NumFields(); i++ {
		if u.Field(i).Exported() && !strings.Contains(u.Tag(i), `json:"-"`) {
			if found := p.inJSON(u.Field(i).Type(), seen); found != nil {
				return found
			}
		}
	}
	return nil
}
