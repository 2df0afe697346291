package main

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/oneclock/ids"
)

// A planner draws a plan from a seed.
type planner struct {
	*rand.Rand
	plan   *plan
	budget int  // ids still to be planned
	copies bool // a virtual machine is to be copied
	copied bool
}

// newPlan returns the plan of a seed.
func newPlan(seed uint64) *plan {
	d := &planner{Rand: rand.New(rand.NewPCG(seed, 0)), plan: &plan{seed: seed}}
	d.copies = d.IntN(8) == 0
	d.plan.schemes = uuidSchemes()
	if d.copies {
		// Monotonic ULIDs stay equal in the copies, within the millisecond.
		d.plan.schemes = d.plan.schemes[:4]
	}
	for _, i := range d.Perm(len(layouts))[:3] {
		d.plan.schemes = append(d.plan.schemes, snowflakeScheme(layouts[i].name, layouts[i].layout))
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

// layouts are those that plans draw from. The last tick of each is before the year 19000, since
// readings later than that are all alike to package ids.
var layouts = []struct {
	name   string
	layout ids.SnowflakeLayout
}{
	{"Twitter", ids.TwitterLayout()},
	{"Discord", ids.DiscordLayout()},
	{"Instagram", ids.InstagramLayout()},
	{"Sonyflake", ids.SonyflakeLayout()},
	{"1 us", ids.SnowflakeLayout{Epoch: time.Unix(1.6e9, 0), Tick: time.Microsecond, NodeBits: 5}},
	{"100 ns", ids.SnowflakeLayout{Epoch: time.Unix(1.6e9, 0), Tick: 100, NodeBits: 3, SequenceBits: 2}},
	{"1 s", ids.SnowflakeLayout{Epoch: time.Unix(1e9, 0), Tick: time.Second, NodeBits: 10, SequenceBits: 16}},
	{"7 ms", ids.SnowflakeLayout{Epoch: time.Unix(1.2e9, 123456789), Tick: 7 * time.Millisecond, NodeBits: 14, SequenceBits: 3, NodeLast: true}},
	{"1 ns", ids.SnowflakeLayout{Epoch: time.Unix(1.7e9, 0), Tick: 1, NodeBits: 3}},
	{"1 h", ids.SnowflakeLayout{Epoch: time.Unix(0, 0), Tick: time.Hour, NodeBits: 16, SequenceBits: 20}},
}

// log returns a number from low to high whose logarithm is evenly spread.
func (d *planner) log(low, high float64) float64 {
	return low * math.Pow(high/low, d.Float64())
}

// one returns one of values.
func one[T any](d *planner, values ...T) T { return values[d.IntN(len(values))] }

// machine draws a machine.
func (d *planner) machine() options {
	o := options{
		start: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano() + d.Int64N(20*365*24*3600*1e9),
		safe:  !d.copies && d.IntN(3) == 0,
	}
	if d.IntN(3) == 0 {
		o.tolerance = one[time.Duration](d, -1, 1, time.Millisecond, time.Second, time.Hour, 1000*24*time.Hour)
	}
	if d.IntN(3) == 0 {
		o.maxAhead = one[time.Duration](d, -1, 1, time.Microsecond, time.Millisecond, 100*time.Millisecond, time.Minute)
	}
	if o.safe || d.IntN(3) == 0 {
		// Often a sequence that is soon to come round.
		seq := uint16(d.IntN(1<<12)) << 2
		if d.IntN(2) == 0 {
			seq = uint16(1<<12-1-d.IntN(20)) << 2
		}
		saved := o.start + one[int64](d, -1, 1)*int64(d.log(1, 1e15))
		o.state = ids.ClockState{Time: time.Unix(0, saved).UTC(), Sequence: seq}
		if d.IntN(3) == 0 {
			o.state.Floor = o.state.Time.Add(-time.Duration(d.log(1, 1e15)))
		}
	}
	return o
}

// event draws an event.
func (d *planner) event() {
	p := d.plan
	machines := len(p.machines)
	if d.copied {
		machines++
	}
	e := event{machine: d.IntN(machines), stream: d.IntN(len(p.schemes))}
	switch n := d.IntN(100); {
	case n < 45:
		d.mint(e)
	case n < 53:
		d.run(e)
	case n < 58:
		d.try(e)
	case n < 62:
		e.action, e.n, e.d = mix, int(d.log(10, 3000)), d.pace()
		d.spend(e, e.n)
	case n < 90:
		d.fault(e)
	default:
		d.life(e)
	}
}

// spend plans an event that costs n ids of the budget.
func (d *planner) spend(e event, n int) {
	d.plan.events = append(d.plan.events, e)
	d.budget -= n + 20
}

// pace draws the time between ids.
func (d *planner) pace() int64 {
	return one[int64](d, 0, 0, 0, 10, 25, 30, 100, 250, 1000, 50_000, 1e6, 1e7, 3e9)
}

// mint draws ids of one stream, sometimes as many as fill the ticks there are.
func (d *planner) mint(e event) {
	e.action, e.d, e.n = mint, d.pace(), int(d.log(1, 3000))
	switch {
	case d.IntN(20) == 0:
		e.n, e.d = int(d.log(1e4, 1e6)), one[int64](d, 0, 10, 20)
	case e.d < 1000 && d.IntN(3) == 0:
		e.n *= 10
	}
	e.n = min(e.n, max(d.budget, 1))
	d.spend(e, e.n)
}

// run draws a run of ids.
func (d *planner) run(e event) {
	for d.plan.schemes[e.stream].sequenced() {
		e.stream = d.IntN(len(d.plan.schemes))
	}
	e.action, e.n = run, int(d.log(1, 20000))
	d.spend(e, e.n)
}

// try draws attempts at Snowflakes.
func (d *planner) try(e event) {
	for d.plan.schemes[e.stream].kind != snowflake {
		e.stream = d.IntN(len(d.plan.schemes))
	}
	e.action, e.n, e.d = try, int(d.log(1, 3000)), d.pace()
	d.spend(e, e.n)
}

// duration draws a time from 1 ns to 100 years, often one that the promises speak of.
func (d *planner) duration() int64 {
	if d.IntN(3) > 0 {
		return int64(d.log(1, 100*365.25*24*3600*1e9))
	}
	near := one[int64](d, 1e7, 1e10, 1e6, 1e9, 100, 1000, 15_600_000, 3600e9)
	return max(near+one[int64](d, -1, 0, 1, 100), 1)
}

// fault draws a fault of the clock.
func (d *planner) fault(e event) {
	switch n := d.IntN(100); {
	case n < 45:
		e.action, e.d = step, d.duration()*one[int64](d, -1, -1, 1)
	case n < 55:
		e.action, e.d = idle, int64(d.log(1, 1e15))
	case n < 62:
		e.action = freeze
	case n < 72:
		e.action = thaw
	case n < 75:
		e.action, e.d = suspend, int64(d.log(1e6, 1e15))
	case n < 80:
		e.action, e.d = drift, one[int64](d, 0, 0, 1, -1, 200_000, -200_000, 100_000_000, -900_000_000)
	case n < 85:
		e.action, e.d = jitter, one[int64](d, 0, 0, 0, 1, 100, 10_000, 1e6, 5e6, 9e6)
		if d.IntN(10) == 0 {
			d.wobble(e)
			return
		}
	case n < 91:
		e.action, e.d = grain, one[int64](d, 0, 0, 100, 1e6, 15_600_000, 1e9)
	case n < 94:
		e.action, e.n = smear, int(d.log(2, 500))
		d.budget -= e.n
	case n < 97:
		e.action = leap
	default:
		// For a few ids only, since many schemes leave the present for good.
		e.action, e.n = wild, one(d, -1, 1)
		d.plan.events = append(d.plan.events, e)
		d.mint(event{machine: e.machine, stream: e.stream, action: mint, n: 1 + d.IntN(4)})
		e.n = 0
	}
	d.plan.events = append(d.plan.events, e)
}

// wobble draws readings that are off by more than any scheme takes for jitter, for a while.
func (d *planner) wobble(e event) {
	e.d = int64(d.log(1e7, 1e14))
	d.plan.events = append(d.plan.events, e)
	m := event{action: mix, machine: e.machine, n: int(d.log(10, 2000)), d: d.pace()}
	d.spend(m, m.n)
	e.d = 0
	d.plan.events = append(d.plan.events, e)
}

// life draws what happens to a process.
func (d *planner) life(e event) {
	switch n := d.IntN(100); {
	case d.copies && !d.copied && n < 30 && len(d.plan.events) > 5:
		e.action, d.copied = clone, true
		e.machine = d.IntN(len(d.plan.machines))
	case n < 25:
		e.action = save
	case n < 50:
		e.action, e.d = persist, one[int64](d, 1e7, 1e9, 1e10, 1e12)
	case n < 70:
		e.action = enforce
	default:
		e.action, e.n = crash, d.IntN(3)
	}
	d.plan.events = append(d.plan.events, e)
}
