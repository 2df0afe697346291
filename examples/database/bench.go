package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// result is what one engine did with one scheme.
type result struct {
	engine string
	scheme scheme
	column string // SQL type of the key
	rows   int

	insert       time.Duration // minting and inserting all rows
	table, index int64         // bytes
	written      int64         // bytes of write-ahead or redo log

	ranged    bool // false for V4, which has no range
	rangeRows int
	rangeTime time.Duration
}

// rate returns the rows inserted in a second.
func (r result) rate() float64 { return float64(r.rows) / r.insert.Seconds() }

// perRow returns the nanoseconds that a row of the span of time took.
func (r result) perRow() float64 { return float64(r.rangeTime) / float64(r.rangeRows) }

// median returns the median of each figure of some runs of one scheme. The rows of the span and the
// time they took are those of one run, since the span differs from run to run.
func median(runs []result) result {
	middle := func(compare func(a, b result) int) result {
		return slices.SortedFunc(slices.Values(runs), compare)[len(runs)/2]
	}
	m := middle(func(a, b result) int { return cmp.Compare(a.perRow(), b.perRow()) })
	m.insert = middle(func(a, b result) int { return cmp.Compare(a.insert, b.insert) }).insert
	m.table = middle(func(a, b result) int { return cmp.Compare(a.table, b.table) }).table
	m.index = middle(func(a, b result) int { return cmp.Compare(a.index, b.index) }).index
	m.written = middle(func(a, b result) int { return cmp.Compare(a.written, b.written) }).written
	return m
}

// measure fills the table of a scheme and asks it for the rows of a span of time. It calls
// progress with the number of rows of each batch. What the engine returns is checked against
// the keys as they were minted.
func measure(ctx context.Context, e engine, s scheme, rows, batch int, progress func(n int)) (r result, err error) {
	r = result{engine: e.name(), scheme: s, column: e.column(s), rows: rows}
	if err := e.create(ctx, s); err != nil {
		return r, err
	}
	defer func() {
		// Drop the table after an interrupt too.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		if e := e.drop(ctx, s); err == nil {
			err = e
		}
	}()

	before, err := e.written(ctx)
	if err != nil {
		return r, err
	}
	times := make([]time.Time, 0, rows) // when each key was minted, as the key itself says
	for first := 0; first < rows; first += batch {
		start := time.Now()
		keys := s.mint(min(batch, rows-first))
		if err := e.insert(ctx, s, keys, first); err != nil {
			return r, err
		}
		r.insert += time.Since(start)
		if s.when != nil {
			for _, key := range keys {
				times = append(times, s.when(key))
			}
		}
		progress(len(keys))
	}
	after, err := e.written(ctx)
	if err != nil {
		return r, err
	}
	r.written = after - before
	if r.table, r.index, err = e.size(ctx, s); err != nil {
		return r, err
	}
	if s.bounds == nil {
		return r, nil
	}

	n, err := e.unordered(ctx, s)
	if err != nil {
		return r, err
	}
	if n != 0 {
		return r, fmt.Errorf("%s: %s: %d rows are out of the order they were minted in", e.name(), s.table(), n)
	}
	return r, r.measureRange(ctx, e, times)
}

// measureRange asks for the middle tenth of the time that the keys span, in whole milliseconds:
// the tick of a ULID.
func (r *result) measureRange(ctx context.Context, e engine, times []time.Time) error {
	from := times[len(times)*45/100].Truncate(time.Millisecond)
	to := times[len(times)*55/100].Truncate(time.Millisecond).Add(time.Millisecond - 1) // the last nanosecond of its millisecond
	want := 0
	for _, t := range times {
		if !t.Before(from) && !t.After(to) {
			want++
		}
	}
	lo, hi := r.scheme.bounds(from, to)
	r.ranged = true
	for i := range 10 { // the fastest of ten: the first may have read from the disk, and the machine may have been busy
		start := time.Now()
		n, err := e.between(ctx, r.scheme, lo, hi)
		if err != nil {
			return err
		}
		if n != want {
			return fmt.Errorf("%s: %s: %d rows between %v and %v, want %d", r.engine, r.scheme.table(), n, lo, hi, want)
		}
		if d := time.Since(start); i == 0 || d < r.rangeTime {
			r.rangeRows, r.rangeTime = n, d
		}
	}
	return nil
}
