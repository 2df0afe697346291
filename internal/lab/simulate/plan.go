package main

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/oneclock/ids"
)

// An action is what an event does.
type action string

const (
	mint     action = "mint"     // n ids of a stream, d apart
	run      action = "run"      // a run of n ids of a stream
	try      action = "try"      // n attempts at a Snowflake, d apart
	mix      action = "mix"      // n ids of all streams in turn, d apart
	saw      action = "saw"      // n ids of a stream, for which the clock is set back and forward by d
	crowd    action = "crowd"    // goroutines mint Snowflakes in a loop, n for each 100 ids in 20 ms
	idle     action = "idle"     // d passes
	step     action = "step"     // the clock is set by d
	suspend  action = "suspend"  // the host is suspended for d: clocks go on, processes do not
	drift    action = "drift"    // the clock runs d billionths too fast
	grain    action = "grain"    // the clock moves in steps of d
	jitter   action = "jitter"   // readings are up to d off
	withhold action = "withhold" // the zero time becomes the limit
	renew    action = "renew"    // a horizon d ahead is saved, and then becomes the limit
	crash    action = "crash"    // the process ends, and another starts after the latest time, or the horizon saved last
	overtake action = "overtake" // a call reads the clock, which is set forward by d, and loses its turn to another
	contexts action = "contexts" // n calls wait for a limit until their contexts end, d after one another
	finish   action = "finish"   // the clock ends in d, n ids are asked for, and another process begins
)

// An event happens to one machine.
type event struct {
	action  action
	machine int
	stream  int
	n       int
	d       int64 // ns
}

// A plan is all that a run follows from.
type plan struct {
	seed     uint64
	schemes  []scheme
	machines []options
	events   []event
}

// options are the options of a machine and its processes.
type options struct {
	start               int64 // what the clock shows at first
	tolerance, maxAhead time.Duration
	after               int64 // of the first process
	steep               bool  // its random bits are high
	limited             bool  // the clocks of its processes have limits: horizons that were saved
}

// A planner draws a plan from a seed.
type planner struct {
	*rand.Rand
	plan   *plan
	budget int // ids still to be planned
}

// newPlan returns the plan of a seed.
func newPlan(seed uint64) *plan {
	d := &planner{Rand: rand.New(rand.NewPCG(seed, 0)), plan: &plan{seed: seed, schemes: uuidSchemes()}}
	for _, i := range d.Perm(len(layouts))[:3] {
		d.plan.schemes = append(d.plan.schemes, layouts[i])
	}
	for range 1 + d.IntN(3) {
		d.plan.machines = append(d.plan.machines, d.machine())
	}
	d.budget = int(d.log(1e3, 2e5))
	if d.IntN(10) == 0 {
		d.budget = int(d.log(1e5, 1e6))
	}
	for d.budget > 0 {
		d.event()
	}
	return d.plan
}

// layouts are those that plans draw from.
var layouts = []scheme{
	{"Twitter", snowflake, ids.TwitterLayout()},
	{"Discord", snowflake, ids.DiscordLayout()},
	{"Sonyflake", snowflake, ids.SonyflakeLayout()},
	{"1 us", snowflake, ids.SnowflakeLayout{Epoch: time.Unix(1.4e9, 0), Tick: time.Microsecond, NodeBits: 5}},
	{"100 ns", snowflake, ids.SnowflakeLayout{Epoch: time.Unix(1.4e9, 0), Tick: 100, NodeBits: 2, SequenceBits: 4}},
	{"1 ms", snowflake, ids.SnowflakeLayout{Epoch: time.Unix(-8.2e9, 0), Tick: time.Millisecond, NodeBits: 13, SequenceBits: 2}},
	{"15 ms", snowflake, ids.SnowflakeLayout{Epoch: time.Unix(-8.2e9, 7), Tick: 15 * time.Millisecond, NodeBits: 16, SequenceBits: 2}},
	{"1 s", snowflake, ids.SnowflakeLayout{Epoch: time.Unix(1e9, 0), Tick: time.Second, NodeBits: 10, SequenceBits: 16}},
	{"7 ms", snowflake, ids.SnowflakeLayout{Epoch: time.Unix(1.2e9, 123456789), Tick: 7 * time.Millisecond, NodeBits: 14, SequenceBits: 3, NodeLast: true}},
	{"1 ns", snowflake, ids.SnowflakeLayout{Epoch: time.Unix(1.4e9, 0), Tick: 1, NodeBits: 3}},
	{"1 h", snowflake, ids.SnowflakeLayout{Epoch: time.Unix(0, 0), Tick: time.Hour, NodeBits: 16, SequenceBits: 20}},
}

// log returns a number from low to high whose logarithm is evenly spread.
func (d *planner) log(low, high float64) float64 {
	return low * math.Pow(high/low, d.Float64())
}

// one returns one of values.
func one[T any](d *planner, values ...T) T { return values[d.IntN(len(values))] }

// machine draws a machine.
func (d *planner) machine() options {
	o := options{start: least + d.Int64N(greatest-least), steep: d.IntN(4) == 0, limited: d.IntN(3) > 0}
	if d.IntN(3) == 0 {
		o.tolerance = one[time.Duration](d, -1, 1, time.Millisecond, time.Second, time.Hour, 1000*24*time.Hour)
	}
	if d.IntN(3) == 0 {
		o.maxAhead = one[time.Duration](d, -1, 1, time.Microsecond, time.Millisecond, 100*time.Millisecond, time.Minute)
	}
	if d.IntN(3) == 0 {
		o.after = o.start + one[int64](d, -1, 1)*int64(d.log(1, 1e15))
	}
	return o
}

// event draws an event.
func (d *planner) event() {
	e := event{machine: d.IntN(len(d.plan.machines)), stream: d.IntN(len(d.plan.schemes)), d: d.pace()}
	node := len(d.plan.schemes) - 1 - d.IntN(3) // a stream of Snowflakes
	switch n := d.IntN(100); {
	case n < 40: // sometimes as many as fill the ticks there are
		e.action, e.n = mint, int(d.log(1, 3000))
		if d.IntN(20) == 0 {
			e.n, e.d = min(int(d.log(1e4, 1e6)), d.budget), one[int64](d, 0, 10, 20)
		}
	case n < 48:
		e.action, e.stream, e.n = run, int(v7)+d.IntN(len(d.plan.schemes)-int(v7)), int(d.log(1, 20000))
	case n < 53:
		e.action, e.stream, e.n = try, node, int(d.log(1, 3000))
	case n < 57:
		e.action, e.n = mix, int(d.log(10, 3000))
	case n < 59:
		d.saw(&e)
	case n < 61:
		e.action, e.stream, e.n = crowd, node, 1+d.IntN(120)
	case n < 85:
		d.fault(&e)
	case n < 87:
		e.action, e.stream, e.n, e.d = contexts, node, 1+d.IntN(200), 1+d.Int64N(2e9)
	case n < 88:
		e.action, e.stream, e.n, e.d = finish, node, 1+d.IntN(20), d.Int64N(3e8)-1e8
	case n < 91:
		e.action, e.d = overtake, 1+d.Int64N(2e9)*(1+d.Int64N(1e4))
	case n < 93:
		e.action = withhold
	case n < 96:
		e.action, e.d = renew, one[int64](d, 1, 1e7, 1e9, 1e10, 1e12)
	default:
		e.action = crash
	}
	d.budget -= e.n + 20
	d.plan.events = append(d.plan.events, e)
}

// pace draws the time between ids.
func (d *planner) pace() int64 {
	return one[int64](d, 0, 0, 0, 10, 25, 30, 100, 250, 1000, 50_000, 1e6, 1e7, 3e9)
}

// saw draws ids of a clock that is set back and forward, sometimes until all clock sequences have
// been used.
func (d *planner) saw(e *event) {
	o := d.plan.machines[e.machine]
	e.action, e.n = saw, 2*int(d.log(1, 1000))
	e.d = max(orDefault(o.maxAhead, 10*time.Millisecond), 1e6) + one[int64](d, -1, 0, 0, 1, 1000)
	if d.IntN(4) == 0 {
		e.d = max(orDefault(o.tolerance, 10*time.Second), e.d) + 1e6
	}
	if e.stream <= int(v6) && d.IntN(3) == 0 {
		e.n = 2*rounds + 100
	}
}

// fault draws a fault of the clock.
func (d *planner) fault(e *event) {
	near := one[int64](d, 1e7, 1e10, 1e6, 1e9, 100, 1000, 15_600_000, 3600e9) // which the promises speak of, and others
	switch n := d.IntN(100); {
	case n < 20:
		e.action, e.d = step, one[int64](d, -1, -1, 1)*max(near+one[int64](d, -1, 0, 1, 100), 1)
	case n < 48:
		e.action, e.d = step, one[int64](d, -1, -1, 1)*int64(d.log(1, 10*365*24*3600e9))
	case n < 56:
		e.action, e.d = idle, int64(d.log(1, 1e15))
	case n < 60:
		e.action, e.d = suspend, int64(d.log(1e6, 1e15))
	case n < 80: // it stops
		e.action, e.d = drift, one[int64](d, 0, 0, 0, 1, -1, 200_000, -200_000, 100_000_000, -900_000_000, -1e9, -1e9)
	case n < 90:
		e.action, e.d = jitter, one[int64](d, 0, 0, 0, 1, 100, 10_000, 1e6, 5e6, 1e7, int64(d.log(1e7, 1e14)))
	default:
		e.action, e.d = grain, one[int64](d, 0, 0, 100, 1e6, 15_600_000, 5e7, 1e9)
	}
}
