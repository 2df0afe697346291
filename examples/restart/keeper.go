package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/oneclock/ids"
)

// ErrLocked is matched by the error for a file that another process has open.
var ErrLocked = errors.New("in use by another process")

// A Keeper keeps the horizon of a clock in a file, so that no id is issued twice, whenever the
// process ends and whatever its wall clock shows when it starts again. To use it in a program of
// your own, copy keeper.go, file.go and the lock files.
//
// The horizon is a time ahead of the clock ([ids.Clock.Horizon]). The clock issues nothing after
// the one in the file, and the keeper saves a later one before that is reached.
type Keeper struct {
	path   string
	ahead  time.Duration
	report func(error)

	lock    *os.File
	clock   *ids.Clock
	horizon time.Time // in the file, and the limit of the clock

	stop, done chan struct{}
}

// KeeperOptions are the options of [OpenKeeper].
type KeeperOptions struct {
	// Init says that this is the first start, which makes the file. Then the file must not
	// exist. Without Init it must: to start without a file that was lost could repeat ids.
	Init bool

	// Ahead is how far the horizon is ahead of the wall clock. A longer one means fewer writes,
	// which are at least half of it apart; and after a crash, Snowflakes go on from the horizon.
	// It must be at least 100 times the longest tick of the layouts in use. Zero means 10 s.
	Ahead time.Duration

	// Clock are the options of the clock. Its After is replaced by what the file holds.
	Clock ids.ClockOptions

	// Report, if it is not nil, is called with the error when saving begins to fail, and with
	// nil when it works again. Meanwhile ids go on up to the horizon. Then they wait until a
	// save succeeds.
	Report func(error)
}

// OpenKeeper returns a keeper of the file at path, whose directory must exist. No other process
// can open it until this one calls Close or ends. The error matches [fs.ErrNotExist] if there
// is no file, [fs.ErrExist] if there is one and Init is set, [ErrLocked] if it is in use, and
// [ErrBadFile] if it holds no horizon.
func OpenKeeper(path string, opts KeeperOptions) (k *Keeper, err error) {
	lock, err := acquire(path + ".lock")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	opts.Clock.After, err = load(path)
	switch {
	case opts.Init && err == nil:
		return nil, fmt.Errorf("%s exists: this is not the first start: %w", path, fs.ErrExist)
	case err != nil && !(opts.Init && errors.Is(err, fs.ErrNotExist)):
		return nil, err
	}
	k = &Keeper{
		path: path, ahead: opts.Ahead, report: opts.Report,
		lock: lock, clock: ids.NewClock(&opts.Clock),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	if k.ahead <= 0 {
		k.ahead = 10 * time.Second
	}
	if k.report == nil {
		k.report = func(error) {}
	}
	// The clock is limited before anybody has it, so it cannot issue what the file does not cover.
	if err := k.renew(); err != nil {
		return nil, err
	}
	go k.keep()
	return k, nil
}

// Clock returns the clock.
func (k *Keeper) Clock() *ids.Clock { return k.clock }

// Close, to be called once, suspends the clock for good, saves the time of its latest id and lets
// another process open the file. Calls for ids of versions 1 and 6 and Snowflakes that begin or
// wait after it never return. After an error the file still holds a horizon, which keeps ids
// unique as after a crash.
func (k *Keeper) Close() error {
	close(k.stop)
	<-k.done
	k.clock.SetLimit(time.Time{}.Add(1)) // before the first tick of every scheme
	return errors.Join(save(k.path, k.clock.Latest()), k.lock.Close())
}

// keep renews the horizon before it is reached. It looks often, so that it soon notices a wall
// clock that was set forward past the horizon.
func (k *Keeper) keep() {
	defer close(k.done)
	often := max(k.ahead/100, time.Millisecond)
	look := time.NewTicker(often)
	defer look.Stop()
	failed := false
	for {
		select {
		case <-k.stop:
			return
		case <-look.C:
		}
		if !k.due() {
			continue
		}
		err := k.renew()
		if (err != nil) != failed {
			failed = err != nil
			look.Reset(often)
			if failed { // spare a disk in trouble
				look.Reset(10 * often)
			}
			k.report(err)
		}
	}
}

// due reports whether a later horizon must be saved: when the wall clock has come half of the
// way to this one, or the latest id within the small step that Horizon goes ahead of an id. While
// ids are ahead of the wall clock, that is at each look: to wait for longer would withhold ids.
func (k *Keeper) due() bool {
	return k.clock.Horizon(k.ahead/2).After(k.horizon) || k.clock.Latest().Add(k.ahead/100).After(k.horizon)
}

// renew saves a later horizon and then lets the clock go up to it. The order matters: the file
// must cover an id before the clock can issue it.
func (k *Keeper) renew() error {
	horizon := k.clock.Horizon(k.ahead)
	if err := save(k.path, horizon); err != nil {
		return err
	}
	k.clock.SetLimit(horizon)
	k.horizon = horizon
	return nil
}
