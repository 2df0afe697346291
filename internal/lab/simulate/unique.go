package main

import "slices"

// A set holds ids that must all differ. It knows them as segments that ascend: within one, an id
// differs from all before it by being greater, and it is compared with the other segments where
// they overlap. So an id costs 16 bytes and, as a rule, two comparisons.
type set struct {
	segments []*segment
	total    int // ids, ever
}

// A segment is ids in ascending order.
type segment struct {
	ids  []key
	open bool // more may come
}

// maxSegments is how many segments a set keeps before it merges them.
const maxSegments = 64

// An appender adds the ids of one stream to a set.
type appender struct {
	set  *set
	own  *segment // nil at first
	seen int      // ids in the set when next was found
	next key      // the least id of the other segments above the last of own
	any  bool     // whether there is one
}

// add adds x and reports whether it is new.
func (a *appender) add(x key) bool {
	s := a.set
	if a.own == nil || len(a.own.ids) > 0 && !a.last().less(x) {
		a.turn()
	}
	if a.seen != s.total || a.any && !x.less(a.next) {
		if !a.look(x) {
			a.seen = -1 // it has not looked everywhere
			return false
		}
	}
	a.own.ids = append(a.own.ids, x)
	s.total++
	a.seen = s.total
	return true
}

// last returns the latest id of the segment in progress.
func (a *appender) last() key { return a.own.ids[len(a.own.ids)-1] }

// turn begins a new segment.
func (a *appender) turn() {
	a.close()
	if len(a.set.segments) >= maxSegments {
		a.set.merge()
	}
	a.own = &segment{open: true}
	a.set.segments = append(a.set.segments, a.own)
	a.seen = -1
}

// close ends the segment in progress.
func (a *appender) close() {
	if a.own != nil {
		a.own.open = false
		a.own = nil
	}
}

// look finds the least id from x on in all other segments, and reports whether it is not x.
func (a *appender) look(x key) bool {
	a.any = false
	for _, g := range a.set.segments {
		if g == a.own {
			continue
		}
		i, found := slices.BinarySearchFunc(g.ids, x, compare)
		if found {
			return false
		}
		if i < len(g.ids) && (!a.any || g.ids[i].less(a.next)) {
			a.next, a.any = g.ids[i], true
		}
	}
	return true
}

// compare orders keys for package slices.
func compare(a, b key) int {
	switch {
	case a.less(b):
		return -1
	case a == b:
		return 0
	}
	return 1
}

// merge makes one segment of all that are closed, and returns its ids.
func (s *set) merge() []key {
	var all []key
	var open []*segment
	for _, g := range s.segments {
		if g.open {
			open = append(open, g)
		} else {
			all = append(all, g.ids...)
		}
	}
	slices.SortFunc(all, compare)
	s.segments = append(open, &segment{ids: all})
	return all
}

// reset makes the set hold the given ids, in ascending order, and no others.
func (s *set) reset(ids []key) {
	s.segments = append(s.segments[:0], &segment{ids: ids})
	s.total++ // so that appenders look again
}
