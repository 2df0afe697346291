package main

import "slices"

// A shrinker looks for the shortest plan that still breaks a promise.
type shrinker struct {
	fails func(*plan) *violation
	tries int // how many plans it may still try
	best  *plan
	found *violation // of best
}

// shrink returns the shortest plan it can find that still breaks a promise, starting
// from one that does, and what becomes of it. It tries at most tries plans.
func shrink(p *plan, fails func(*plan) *violation, tries int) (*plan, *violation) {
	s := &shrinker{fails: fails, tries: tries, best: p, found: fails(p)}
	if s.found == nil {
		return p, nil
	}
	for changed := true; changed && s.tries > 0; {
		changed = s.drop()
		changed = s.simplify() || changed
		changed = s.plain() || changed
	}
	return s.best, s.found
}

// attempt makes q the best plan if it breaks a promise, and reports whether it does.
func (s *shrinker) attempt(q plan) bool {
	if s.tries--; s.tries < 0 {
		return false
	}
	v := s.fails(&q)
	if v == nil {
		return false
	}
	s.best, s.found = &q, v
	return true
}

// drop leaves out events: halves, then quarters, and so on to single ones.
func (s *shrinker) drop() (changed bool) {
	for size := max(len(s.best.events)/2, 1); ; size /= 2 {
		for at := len(s.best.events) - size; at > -size; at -= size {
			q := *s.best
			if from, to := max(at, 0), min(at+size, len(q.events)); from < to {
				q.events = slices.Delete(slices.Clone(q.events), from, to)
				changed = s.attempt(q) || changed
			}
		}
		if size <= 1 {
			return changed
		}
	}
}

// simplify makes the numbers in events smaller or rounder.
func (s *shrinker) simplify() (changed bool) {
	for i := range s.best.events {
		change := func(f func(*event)) bool {
			q := *s.best
			q.events = slices.Clone(q.events)
			f(&q.events[i])
			return q.events[i] != s.best.events[i] && s.attempt(q)
		}
		if a := s.best.events[i].action; a <= saw || a == smear || a == loop {
			for cut := s.best.events[i].n / 2; cut > 0; {
				if !change(func(e *event) { e.n = max(e.n-cut, 1) }) {
					cut /= 2
					continue
				}
				changed = true
				cut = min(cut, s.best.events[i].n/2)
			}
		}
		for _, f := range simpler {
			changed = change(f) || changed
		}
	}
	return changed
}

// simpler are ways to make an event simpler.
var simpler = []func(*event){
	func(e *event) {
		if e.action <= mix {
			e.d = 0
		}
	},
	func(e *event) {
		if e.action == mix || e.action == run {
			e.action = mint
		}
	},
	func(e *event) { e.machine = 0 },
	func(e *event) {
		// Down to a power of ten.
		if e.action > mix && e.d != 0 {
			round := int64(1)
			for n := e.d / 10; n != 0; n /= 10 {
				round *= 10
			}
			if e.d < 0 {
				round = -round
			}
			e.d = round
		}
	},
}

// plain gives machines plain options.
func (s *shrinker) plain() (changed bool) {
	for i := range s.best.machines {
		for _, f := range []func(*options){
			func(o *options) { o.tolerance = 0 },
			func(o *options) { o.maxAhead = 0 },
			func(o *options) { o.safe, o.slow = false, false },
			func(o *options) { o.safe, o.slow, o.limited, o.reach = false, false, false, 0 },
			func(o *options) { o.reach = 0 },
			func(o *options) { o.after = past },
			func(o *options) { o.zoned = false },
			func(o *options) { o.steep = false },
			func(o *options) { o.early = false },
		} {
			q := *s.best
			q.machines = slices.Clone(q.machines)
			f(&q.machines[i])
			if q.machines[i] != s.best.machines[i] {
				changed = s.attempt(q) || changed
			}
		}
	}
	return changed
}
