package from

import (
	"go/types"
	"slices"
)

func (t *table) isOld(pkg *types.Package) bool {
	return pkg != nil && slices.Contains(t.paths, pkg.Path())
}

// owned reports whether obj belongs to the old library.
func (t *table) owned(obj types.Object) bool { return obj != nil && t.isOld(obj.Pkg()) }

// oldName returns the name of an object of the old library as tables write it, "New" or "UUID.String", or "".
func (t *table) oldName(obj types.Object) string {
	if !t.owned(obj) {
		return ""
	}
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
		if n := named(f.Signature().Recv().Type()); n != nil {
			return n.Obj().Name() + "." + obj.Name()
		}
	}
	return obj.Name()
}

// named returns the named type that t is, or to which it points, or nil.
func named(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}
