package ids

import "time"

// Version 7 counts ticks of 1/4096 ms from 1970 in 60 bits: 48 of milliseconds, in unix_ts_ms,
// and 12 of their fraction, in rand_a (RFC 9562, Section 6.2, method 3). Ids of one tick are
// told apart by the 62 bits of rand_b: random at a new tick, then raised by a random stride
// (method 2).
const (
	v7PerMilli = 1 << 12
	v7Max      = 1<<60 - 1 // in the year 10889

	// A fresh random part leaves its top bit clear, so that thousands of strides fit above it.
	v7Fresh  = 1<<61 - 1
	v7Random = 1<<62 - 1
)

var v7Scale = scale{perSecond: 1000 * v7PerMilli}

// stride is what is added to the random part of an id for the next one of its tick: 1 to
// 2^48, so that an id does not tell its neighbours.
func stride(bits uint64) uint64 { return bits>>16 + 1 }

// v7Lane is the lane of version 7.
type v7Lane struct {
	lane
	rand uint64 // rand_b of the latest id
}

// draw makes the random part of the next id from 64 random bits, and reports whether it fits: a
// fresh one for the first id of a tick, else the latest one raised.
func (l *v7Lane) draw(first bool, bits uint64) (fits bool) {
	rand := l.rand + stride(bits)
	if first {
		rand = bits & v7Fresh
	}
	if rand > v7Random {
		return false
	}
	l.rand = rand
	return true
}

// overflow moves an id whose random part does not fit its tick to the next one.
func (l *v7Lane) overflow(bits uint64) (over int64) {
	if outcome := l.skip(); outcome < 0 {
		return outcome
	}
	l.used = 1
	l.draw(true, bits)
	return max(l.last-l.ceiling(), 0)
}

// NewV7 returns a version 7 UUID: the time to 1/4096 ms, then random bits. The ids of one clock
// strictly increase while the wall clock is set back by at most its [ClockOptions].Tolerance.
func (g *Generator) NewV7() (u UUID) {
	c, l := g.clock, &g.clock.v7
	bits := g.injected64()
	elapsed := c.elapsed()
	c.mu.Lock()
	over := l.take(c, c.reading(elapsed))
	if g.source == nil {
		bits = c.random.Uint64()
	}
	if !l.draw(l.used == 1, bits) {
		over = l.overflow(bits)
	}
	u.setV7(uint64(l.last), l.rand)
	c.unlock(&l.lane, over)
	return u
}

// AppendV7 appends n version 7 UUIDs to dst, in increasing order. It reads the clock once for
// all of them, and so does it in a fraction of the time that as many calls of [Generator.NewV7]
// take. It panics if n is negative.
func (g *Generator) AppendV7(dst []UUID, n int) []UUID {
	dst, run := extend(dst, n)
	c, l := g.clock, &g.clock.v7
	var bits [pieceLen]uint64
	for first := true; len(run) > 0; first = false {
		// Others get their turn between pieces, and no random bits are drawn under the mutex.
		piece := run[:min(len(run), pieceLen)]
		run = run[len(piece):]
		g.words(bits[:len(piece)])
		c.mu.Lock()
		var over int64
		for i := range piece {
			fresh := false
			if first && i == 0 {
				over = l.take(c, c.read())
				fresh = l.used == 1
			}
			if !l.draw(fresh, bits[i]) {
				over = l.overflow(bits[i])
			}
			piece[i].setV7(uint64(l.last), l.rand)
		}
		c.unlock(&l.lane, over)
	}
	return dst
}

// NewV7At returns a version 7 UUID of time t with fresh random bits, to fill in ids for records
// of the past. Ids of one millisecond sort by their fraction of it and then at random. The
// error matches [ErrRange] if t is before 1970 or after 10889-08-02T05:31:50.655Z.
func (g *Generator) NewV7At(t time.Time) (u UUID, err error) {
	if _, ok := milli(t); !ok {
		return u, errMilli
	}
	bits := g.injected64()
	if g.source == nil {
		_, bits = g.random128()
	}
	u.setV7(uint64(v7Scale.at(newReading(t))), bits)
	return u, nil
}

// setV7 makes u a version 7 UUID:
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------------------+
//	|            unix_ts_ms: milliseconds, bits 12-59 of the tick   |
//	+-------------------------------+-------+-----------------------+
//	|          unix_ts_ms           |   7   | rand_a: bits 0-11     |
//	+---+---------------------------+-------+-----------------------+
//	|1 0|                    rand_b: random                         |
//	+---+-----------------------------------------------------------+
//	|                            rand_b                             |
//	+---------------------------------------------------------------+
func (u *UUID) setV7(tick, rand uint64) { u.set(7, tick>>12<<16|tick&0xfff, rand) }

// MinV7At returns the least version 7 UUID of t's millisecond. With [MaxV7At] it bounds a
// range query: the ids from time a to time b are those from MinV7At(a) to MaxV7At(b), both
// included. A time outside the field is taken as the nearest in it.
func MinV7At(t time.Time) (u UUID) {
	ms, _ := milli(t)
	u.setV7(ms<<12, 0)
	return u
}

// MaxV7At returns the greatest version 7 UUID of t's millisecond: see [MinV7At].
func MaxV7At(t time.Time) (u UUID) {
	ms, _ := milli(t)
	u.setV7(ms<<12|0xfff, v7Random)
	return u
}

// maxMilli is the last millisecond since 1970 that version 7 and ULID can name.
const maxMilli = 1<<48 - 1

// errMilli is the error for all other times.
const errMilli = rangeError("ids: time is not within 1970-01-01T00:00:00Z to 10889-08-02T05:31:50.655Z")

// milli returns t in milliseconds since 1970, or the nearest that 48 bits can name and false.
func milli(t time.Time) (ms uint64, ok bool) {
	switch sec := t.Unix(); {
	case sec < 0:
		return 0, false
	case sec > maxMilli/1000 || t.UnixMilli() > maxMilli:
		return maxMilli, false
	}
	return uint64(t.UnixMilli()), true
}
