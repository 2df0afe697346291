package storetest

// This file contains tests of stores that New or Take must refuse.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
)

// A Harm is a kind of damage that [Refusals] does to a store before it tests the store.
type Harm string

// New must refuse a store that is damaged in one of these ways, except that New may accept
// NoNumber. If a store was opened before it was damaged, Take must return an error.
const (
	// NoHeader means that the record of the schema version and the layout is missing.
	NoHeader Harm = "no header"
	// OtherVersion means that the header has a different schema version.
	OtherVersion Harm = "another version"
	// NoNumber means that the record of one of the numbers, including its horizon, is missing.
	NoNumber Harm = "a number is missing"
	// NoRead means that the user lacks permission to read.
	NoRead Harm = "no right to read"
	// NoWrite means that the user may read but not write.
	NoWrite Harm = "no right to write"
	// NoWrites means that the server accepts no writes from any user, for example because it is a
	// replica or its disk is full. This condition can resolve itself, for example after a failover,
	// so the error must not match [nodelease.ErrRefused]. For all other damage, the error must
	// match ErrRefused.
	NoWrites Harm = "no writes"
)

var harms = []Harm{NoHeader, OtherVersion, NoNumber, NoRead, NoWrite, NoWrites}

// A Place describes how to initialize, open and damage a store in one location, such as a table.
// The location must be empty at first.
type Place struct {
	// Init initializes a store with the numbers 0 to 2 for IDs with the layout l.
	Init func(l ids.SnowflakeLayout) error
	// New opens that store with a TTL of a minute or more, as a user that has only the privileges
	// that a holder needs.
	New func(l ids.SnowflakeLayout) (nodelease.Store, error)
	// Harm maps each kind of damage to a function that causes it. The function must not change the
	// number that is held. It returns a second function, which undoes the damage. If the damage
	// cannot occur in this kind of store, the function is nil. The map may also contain kinds of
	// damage for which this package has no constant. These must be permanent.
	Harm map[Harm]func(held int64) (undo func() error, err error)
}

// Refusals tests that New and Take refuse a store with certain faults. New must refuse a store that
// was never initialized, a store for a different layout, and a store that one of the functions in
// p.Harm has damaged. If the store was opened before the fault occurred, Take must refuse it.
// Without these refusals, IDs could repeat, or a program could wait until a person repairs the
// store. New may accept a store that lacks a number (NoNumber) if Take refuses that store. While
// the store is damaged, calls by the current holder of a number may succeed or fail, but must not
// return [nodelease.ErrLost].
func Refusals(t *testing.T, p Place) {
	if err := p.testInit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, h := range p.allHarms() {
		t.Run(string(h), func(t *testing.T) {
			if err := p.testHarm(t.Context(), h); err != nil {
				t.Error(err)
			}
		})
	}
}

// allHarms returns the kinds of damage that this package defines, followed by the other keys of
// p.Harm.
func (p Place) allHarms() []Harm {
	more := maps.Clone(p.Harm)
	for _, h := range harms {
		delete(more, h)
	}
	return append(slices.Clone(harms), slices.Sorted(maps.Keys(more))...)
}

// testInit initializes the store. It also tests calls that must fail because the store is not
// initialized yet, and calls that must fail because it already is.
func (p Place) testInit(ctx context.Context) error {
	var twitter ids.SnowflakeLayout
	s, err := p.New(twitter)
	if err == nil {
		_, err = s.Take(ctx, nodelease.Request{Now: time.Now()})
	}
	if !errors.Is(err, nodelease.ErrRefused) || !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("a store that was never made: error %v, want one that matches ErrRefused and fs.ErrNotExist", err)
	}
	if err := p.Init(twitter); err != nil {
		return fmt.Errorf("a first Init: %w", err)
	}
	if err := p.Init(twitter); !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("a second Init: error %v, want one that matches fs.ErrExist", err)
	}
	if err := p.Init(ids.SonyflakeLayout()); !errors.Is(err, nodelease.ErrRefused) {
		return fmt.Errorf("an Init for another layout: error %v, want one that matches ErrRefused", err)
	}
	if _, err := p.New(ids.SonyflakeLayout()); !errors.Is(err, nodelease.ErrRefused) {
		return fmt.Errorf("a New for another layout: error %v, want one that matches ErrRefused", err)
	}
	return nil
}

// testHarm damages the store, tests it, and undoes the damage.
func (p Place) testHarm(ctx context.Context, h Harm) error {
	do, known := p.Harm[h]
	if !known {
		return errors.New("the Place does not say how it comes to this: nil is for what cannot be")
	}
	if do == nil {
		return nil
	}
	var s nodelease.Store
	err := answered(func() (err error) {
		s, err = p.New(ids.SnowflakeLayout{})
		return err
	})
	if err != nil {
		return fmt.Errorf("a New before: %w", err)
	}
	request := nodelease.Request{Now: time.Now()}
	var g nodelease.Grant
	err = answered(func() (err error) {
		g, err = s.Take(ctx, request)
		return err
	})
	if err != nil {
		return fmt.Errorf("a Take before: %w", err)
	}
	horizon := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	open := func() error { _, err := p.New(ids.SnowflakeLayout{}); return err }
	take := func() error { _, err := s.Take(ctx, request); return err }
	extend := func() error { return g.Lease.Extend(ctx, horizon) }
	release := func() error { return g.Lease.Release(ctx, time.Time{}) }
	undo, err := do(g.Number)
	if err != nil {
		return fmt.Errorf("the harm: %w", err)
	}
	var all []error
	fail := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	refused := func(what string, err error) {
		if err == nil || errors.Is(err, nodelease.ErrNoNumber) || errors.Is(err, nodelease.ErrRefused) != (h != NoWrites) {
			fail("%s: error %v, want one that matches ErrRefused: %v", what, err, h != NoWrites)
		}
	}
	if err := answered(open); err != nil || h != NoNumber {
		refused("New", err)
	}
	refused("Take", answered(take))
	err = answered(extend)
	if errors.Is(err, nodelease.ErrLost) || err == nil && (h == NoWrite || h == NoWrites) {
		fail("Extend: error %v, want another", err)
	}
	if err := undo(); err != nil {
		fail("what undoes the harm: %w", err)
		return errors.Join(all...)
	}
	if err := answered(open); err != nil {
		fail("New afterwards: %w", err)
	}
	if err := cmp.Or(answered(extend), answered(release)); err != nil {
		fail("the holder afterwards: %w", err)
	}
	return errors.Join(all...)
}

// answered calls f repeatedly for up to a minute while f's error matches
// [context.DeadlineExceeded], because a busy server may not answer in time.
func answered(f func() error) (err error) {
	_ = within(time.Minute, func() error {
		if err = f(); errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return nil
	})
	return err
}
