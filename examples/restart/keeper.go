package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/oneclock/ids"
)

// A Keeper keeps the state of a clock in a file, so that no id is issued twice, whenever the
// process ends and wherever its wall clock is when it starts again. To use it in a program of
// your own, copy keeper.go, file.go and the lock files.
//
// The file holds a mark: a state somewhat ahead of the clock. The clock issues only what the
// mark in the file covers ([ids.Clock.Limit]), and a new mark is saved before that is used up.
type Keeper struct {
	path   string
	owner  string
	ahead  time.Duration
	report func(error)

	lock  *os.File
	clock *ids.Clock
	mark  ids.ClockState // in the file and in force

	stop, done chan struct{}
}

// KeeperOptions are the options of [OpenKeeper].
type KeeperOptions struct {
	// Init says that this is the first start, which makes the file. It must not exist then, and
	// must exist without Init: to start without it because it got lost could repeat ids.
	Init bool

	// Owner is what tells the ids of this clock from those of others, such as the node number. A
	// file of another owner is refused.
	Owner string

	// Ahead is how far the mark is ahead of the clock. A longer one means fewer writes, at
	// least one in half of it; and after a crash, Snowflakes go on from the mark. Zero means 10
	// s.
	Ahead time.Duration

	// Clock are the options of the clock. Its State is read from the file instead.
	Clock ids.ClockOptions

	// Report, if it is not nil, is called with the error when saving begins to fail, and with
	// nil when it works again. Meanwhile ids go on up to the mark, and then they wait: the next
	// save that works lets them go on.
	Report func(error)
}

// OpenKeeper returns a keeper of the file at path, whose directory must exist. No other process
// can open it until this one calls Close or ends. The error matches [fs.ErrNotExist] if there
// is no file, [fs.ErrExist] if there is one and it must not, [ErrLocked] if it is in use, and
// [ErrBadState] if it holds no state of this owner.
func OpenKeeper(path string, opts KeeperOptions) (*Keeper, error) {
	lock, err := acquire(path + ".lock")
	if err != nil {
		return nil, err
	}
	k, err := open(path, opts)
	if err != nil {
		lock.Close()
		return nil, err
	}
	k.lock = lock
	go k.keep()
	return k, nil
}

// open is OpenKeeper with the lock held.
func open(path string, opts KeeperOptions) (*Keeper, error) {
	saved, err := readState(path, opts.Owner)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && opts.Init:
	case err != nil:
		return nil, err
	case opts.Init:
		return nil, fmt.Errorf("%s is there already: this is not the first start: %w", path, fs.ErrExist)
	}
	opts.Clock.State = saved
	k := &Keeper{
		path: path, owner: opts.Owner, ahead: opts.Ahead, report: opts.Report,
		clock: ids.NewClock(&opts.Clock), mark: saved,
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	if k.ahead <= 0 {
		k.ahead = 10 * time.Second
	}
	if k.report == nil {
		k.report = func(error) {}
	}
	// The clock leaves here with a limit in force, so it cannot issue what no file covers.
	if err := k.renew(); err != nil {
		return nil, err
	}
	return k, nil
}

// Clock returns the clock.
func (k *Keeper) Clock() *ids.Clock { return k.clock }

// Close, to be called once, stops the clock for good, saves its last state and lets another
// process open the file. Calls for ids of versions 1 and 6 and Snowflakes that begin or wait
// after it never return. After an error the file still holds a mark, from which a successor is
// as safe as after a crash.
func (k *Keeper) Close() error {
	close(k.stop)
	<-k.done
	never := ids.ClockState{Time: time.Time{}.Add(1), Sequence: k.mark.Sequence}
	k.clock.Limit(never)
	err := writeState(k.path, k.owner, k.clock.State())
	return errors.Join(err, k.lock.Close())
}

// keep renews the mark before it is used up. It looks often, so that a wall clock that was set
// forward past the mark is noticed soon.
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
			if failed { // a disk in trouble is not to be pressed
				look.Reset(10 * often)
			}
			k.report(err)
		}
	}
}

// due reports whether half of what the mark allows is used up: of its time, or its one change
// of the clock sequence.
func (k *Keeper) due() bool {
	half := k.clock.Ahead(k.ahead / 2)
	return half.Time.After(k.mark.Time) || half.Sequence != k.mark.Sequence
}

// renew saves a new mark, and then puts it in force. The order is what all depends on: an id
// must be covered by the file before it can be issued.
func (k *Keeper) renew() error {
	mark := k.clock.Ahead(k.ahead)
	if err := writeState(k.path, k.owner, mark); err != nil {
		return err
	}
	k.clock.Limit(mark)
	k.mark = mark
	return nil
}
