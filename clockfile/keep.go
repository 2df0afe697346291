package clockfile

import "time"

// suspended is a limit before the first tick of every scheme. The zero time would be none.
var suspended = time.Time{}.Add(1)

// keep renews the horizon before it is reached. It looks often: so it soon notices a wall clock
// that was set forward past the horizon, and tries again soon after a save that failed.
func (f *File) keep() {
	defer close(f.done)
	look := time.NewTicker(f.ahead / 100)
	defer look.Stop()
	failing := false
	for {
		select {
		case <-f.stop:
			return
		case <-look.C:
		}
		if !f.due() {
			continue
		}
		err := f.renew()
		if (err != nil) == failing {
			continue
		}
		failing = err != nil
		if failing {
			err = f.failed(err)
		}
		f.report(err)
	}
}

// due reports whether a later horizon must be saved: if the wall clock has come half of the way to
// this one, or the latest id within the small step that Horizon goes ahead of an id. While ids are
// ahead of the wall clock, that is at each look: to wait for longer would withhold ids.
func (f *File) due() bool {
	return f.clock.Horizon(f.ahead/2).After(f.saved.horizon) ||
		f.clock.Latest().Add(f.ahead/100).After(f.saved.horizon)
}

// renew saves a later horizon and then lets the clock go up to it. The order matters: the file
// must cover an id before the clock can issue it.
func (f *File) renew() error {
	next := record{f.clock.Horizon(f.ahead), f.saved.owner}
	if err := save(f.disk, f.path, next); err != nil {
		return err
	}
	f.clock.SetLimit(next.horizon)
	f.saved = next
	return nil
}
