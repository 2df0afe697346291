package from

// The functions in this file determine whether a package or an object belongs to the old library,
// and return the names that the tables use for objects.

import (
	"go/types"
	"slices"
)

// isOld reports whether pkg belongs to the old library. The argument pkg may be nil.
func (t *table) isOld(pkg *types.Package) bool {
	return pkg != nil && slices.Contains(t.paths, pkg.Path())
}

// owns reports whether obj belongs to the old library. The argument obj may be nil.
func (t *table) owns(obj types.Object) bool { return obj != nil && t.isOld(obj.Pkg()) }

// oldName returns the name that the tables use for an object of the old library, such as "New" or
// "UUID.String". It returns "" for any other object.
func (t *table) oldName(obj types.Object) string {
	if !t.owns(obj) {
		return ""
	}
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
		if n := named(f.Signature().Recv().Type()); n != nil {
			return n.Obj().Name() + "." + obj.Name()
		}
	}
	return obj.Name()
}

// named returns t if t is a named type. If t is a pointer to a named type, named returns that type.
// Otherwise, it returns nil.
func named(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}
