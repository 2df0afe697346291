package from

// The code in this file collects the notes about the differences in a source file. It also finds
// three kinds of code: uses of names whose values differ in ids; comparisons with the errors, error
// messages, type names and import paths of the old library; and calls to gob.Register. The code in
// stored.go, methods.go, refused.go and foreign.go finds the other differences.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oneclock/ids/cmd/idsvet/internal/syntax"
)

// differences returns notes about places in a file where the program will behave differently after
// the migration, and about places where other modules will still use the old type.
func (f *file) differences() (notes []note) {
	for c := range f.root.Preorder() {
		if e, ok := c.Node().(ast.Expr); ok && f.info.Types[e].IsValue() {
			notes = append(notes, f.storedNotes(c)...)
			notes = append(notes, f.interfaceNotes(c)...)
		}
		switch n := c.Node().(type) {
		case *ast.Ident:
			notes = append(notes, f.instanceNotes(n)...)
			notes = append(notes, f.foreignNotes(n)...)
			notes = append(notes, f.differenceNotes(c, f.lib.oldName(f.info.Uses[n]))...)
		case *ast.TypeAssertExpr:
			types := []ast.Expr{n.Type}
			if s, ok := c.Parent().Parent().Node().(*ast.TypeSwitchStmt); ok && n.Type == nil {
				types = nil
				for _, clause := range s.Body.List {
					types = append(types, clause.(*ast.CaseClause).List...)
				}
			}
			for _, t := range types {
				notes = append(notes, f.assertionNotes(t, f.info.TypeOf(n.X))...)
			}
		case *ast.CallExpr:
			notes = append(notes, f.assertingNotes(n)...)
			notes = append(notes, f.panicNotes(n)...)
			if fun := f.callee(n); fun != nil && fun.FullName() == "encoding/gob.Register" && f.contained(f.info.TypeOf(n.Args[0]), noFields) != nil {
				notes = append(notes, f.note(n.Pos(), "gob writes the path of the type before an ID in an interface; use gob.RegisterName with the old path, or stored data is rejected"))
			}
			if comparer.MatchString(f.calledName(n)) {
				notes = append(notes, f.comparisonNotes(n, n.Args...)...)
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				notes = append(notes, f.comparisonNotes(n, n.X, n.Y)...)
			}
		case *ast.CaseClause:
			parts := n.List
			if s, ok := c.Parent().Parent().Node().(*ast.SwitchStmt); ok {
				if s.Tag != nil {
					parts = append(slices.Clip(parts), s.Tag)
				}
				if first, ok := s.Init.(*ast.AssignStmt); ok {
					parts = append(slices.Clip(parts), first.Rhs...)
				}
			}
			notes = append(notes, f.comparisonNotes(n, parts...)...)
		case *ast.KeyValueExpr: // possibly in a map[error]T
			if f.sentinel(n.Key) != "" {
				notes = append(notes, f.comparisonNotes(n, n.Key)...)
			}
		case *ast.StructType:
			notes = append(notes, f.tagNotes(n)...)
		}
	}
	return notes
}

// differenceNotes returns a note about the use of name at c if name has a different value in ids.
// It omits the note for a call with arguments if each argument is a constant or the result of one
// of the old library's functions. It also omits the note for a value that is compared only with the
// old library's constants and with non-constant values of the old library's types.
func (f *file) differenceNotes(c inspector.Cursor, name string) []note {
	if f.lib.differs[name] == "" {
		return nil
	}
	at := c.Node().Pos()
	if c.ParentEdgeKind() == edge.SelectorExpr_Sel {
		c = c.Parent()
	}
	if call, ok := c.Parent().Node().(*ast.CallExpr); ok && c.ParentEdgeKind() == edge.CallExpr_Fun {
		c = c.Parent()
		variable := func(arg ast.Expr) bool {
			made, ok := ast.Unparen(arg).(*ast.CallExpr)
			return f.info.Types[arg].Value == nil && !(ok && f.callee(made) != nil && f.lib.owns(f.callee(made)))
		}
		if len(call.Args) > 0 && !slices.ContainsFunc(call.Args, variable) {
			return nil
		}
	}
	if others := syntax.ComparedWith(c); len(others) > 0 && !slices.ContainsFunc(others, f.isNumber) {
		return nil
	}
	return f.firstNote(at, name, f.lib.differs[name])
}

// isNumber reports whether e counts as a number. An expression counts as a number if its type does
// not belong to the old library. If the type belongs to the old library, the expression counts as a
// number only if it is a constant that the old library does not declare.
func (f *file) isNumber(e ast.Expr) bool {
	tv := f.info.Types[e]
	n := named(tv.Type)
	return n == nil || !f.lib.owns(n.Obj()) || tv.Value != nil && !f.lib.owns(f.objectOf(e))
}

// calledName returns the name of the function or method that n calls, or "".
func (f *file) calledName(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || f.callee(call) == nil {
		return ""
	}
	return f.callee(call).Name()
}

// comparer matches the names of functions that compare values or strings. Some of the matching
// functions in testify compare errors or the names of types.
var comparer = regexp.MustCompile(`^((Deep|Not)?Equal|ErrorContains|Contains|HasPrefix|HasSuffix|Index|Cut|AnythingOfType)`)

// comparisonNotes returns notes about the operands of the comparison n whose values differ between
// the old library and ids. Such operands are errors, error messages, type names and import paths.
func (f *file) comparisonNotes(n ast.Node, parts ...ast.Expr) (notes []note) {
	ofError := strings.Contains(f.calledName(n), "Error") // also set below if an operand calls Error
	for _, e := range parts {
		for part := range ast.Preorder(e) {
			ofError = ofError || f.calledName(part) == "Error"
		}
	}
	binary, _ := n.(*ast.BinaryExpr)
	for _, e := range parts {
		if name := f.sentinel(e); name != "" && (binary == nil || len(f.matches(binary)) == 0) {
			notes = append(notes, f.note(e.Pos(), "no error is equal to "+name+" here, because errors are wrapped; use errors.Is"))
		}
		s, _ := constant.Val(f.info.Types[e].Value).(string)
		pkg, name, _ := strings.Cut(strings.TrimLeft(s, "*[]"), ".")
		switch {
		case ofError && slices.ContainsFunc(f.lib.texts, func(text string) bool {
			return strings.Contains(s, text) || strings.Contains(s, " ") && strings.Contains(text, s)
		}):
			notes = append(notes, f.note(e.Pos(), "the texts of errors differ here; use errors.Is"))
		case slices.Contains(f.lib.paths, s) && s != f.lib.pkg:
			notes = append(notes, f.note(e.Pos(), "this text is the path of the old library; the types are now in "+root))
		case pkg == f.lib.pkg && f.lib.uses[name] && ast.IsExported(name), s == "NullUUID" && f.lib.uses[s]:
			notes = append(notes, f.note(e.Pos(), "no type is named "+s+" here; compare types, or use mock.IsType with a value"))
		}
	}
	return notes
}

// sentinel returns the name of e if e is an error variable of the old library, or a variable of the
// program that is initialized with such an error. Otherwise, it returns "".
func (f *file) sentinel(e ast.Expr) string {
	obj, ok := f.objectOf(e).(*types.Var)
	if !ok || !types.AssignableTo(obj.Type(), errorType) || !(f.lib.sentinels[objectPath(obj)] && f.declares(obj.Pkg())) && !f.lib.owns(obj) {
		return ""
	}
	return obj.Name()
}

// objectPath returns a name for an object of a package. The name does not depend on the package
// that imports the object.
func objectPath(obj types.Object) string { return obj.Pkg().Path() + "." + obj.Name() }
