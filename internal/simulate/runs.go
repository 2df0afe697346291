package main

// resync takes an id of a call that was held up by a limit, of which only the order is checked.
func (j *judge) resync(c *call, x key, tick int64, seq uint16) *violation {
	least := c.readings[0]
	for _, r := range c.readings {
		least = min(least, r)
		j.observeWaiting(r)
	}
	if j.ordered() && j.minted && !j.prev.less(x) && !j.allows(sub(j.high, least)) {
		return problem("ordered: it is not above the one before")
	}
	if tick < j.last || seq != j.seq {
		high := j.high
		j.rebase(c.readings[len(c.readings)-1])
		j.high = high
	}
	j.based = min(j.based, least)
	j.issued, j.minted, j.last, j.prev, j.seq = true, true, tick, x, seq
	from := add(max(j.present(), j.start(tick)), patience) // since the call may have waited for the clock, too
	j.setback = max(sub(from, j.peak), 0)
	return nil
}

// run checks the ids of one run.
func (j *judge) run(c *call, xs []key) (ahead int64, v *violation) {
	before := j.last
	tick, seq, _ := j.fields(xs[0])
	r := c.readings[0]
	if v := j.first(c, xs[0], tick, seq, r, j.at(r)); v != nil {
		return 0, v
	}
	entered := !j.issued
	j.issued, j.minted, j.last, j.prev = true, true, tick, xs[0]
	later := c.readings[1:]
	for _, x := range xs[1:] {
		tick, _, _ := j.fields(x)
		if !j.prev.less(x) {
			return 0, problem("ordered: within a run, %s is not above the one before", j.text(x))
		}
		if tick > j.last+1 {
			// A part of the run that has a reading of its own.
			i := 0
			for i < len(later) && j.at(later[i]) != tick {
				i++
			}
			if i == len(later) {
				return 0, problem("true: within a run, it skips from %s to %s", clock(j.start(j.last)), clock(j.start(tick)))
			}
			j.rebase(later[i])
			later = later[i+1:]
		}
		j.last, j.prev = tick, x
	}
	return j.bound(c, entered || j.last != before, later)
}
