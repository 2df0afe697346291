package main

import "slices"

// shrink returns the shortest plan that it finds by leaving out events, first halves of them and at last single
// ones, of a plan that breaks a promise, and what becomes of it.
func shrink(p *plan, fails func(*plan) *violation) (*plan, *violation) {
	found := fails(p)
	for size := len(p.events) / 2; size > 0; size /= 2 {
		for at := len(p.events) - size; at >= 0; at -= size {
			q := *p
			q.events = slices.Delete(slices.Clone(p.events), at, at+size)
			if v := fails(&q); v != nil {
				p, found = &q, v
			}
		}
	}
	return p, found
}
