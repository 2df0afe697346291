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
		lane := len(d.plan.schemes)
		d.plan.schemes = append(d.plan.schemes, snowflakeScheme(layouts[i].name, layouts[i].layout, lane))
		if d.IntN(4) == 0 {
			d.plan.schemes = append(d.plan.schemes, snowflakeScheme(layouts[i].name+" alike", alike(layouts[i].layout), lane))
		}
	}
	for range 1 + d.IntN(3) {
		d.plan.machines = append(d.plan.machines, d.machine())
	}
	d.plan.limits()
	d.budget = int(d.log(1e3, 2e5))
	if d.IntN(10) == 0 {
		d.budget = int(d.log(1e5, 1e6))
	}
	for d.budget > 0 {
		d.event()
	}
	d.plan.endings()
	return d.plan
}

// limits draws which clocks have limits, from a stream of random numbers of their own, as endings does. A third has none.
func (p *plan) limits() {
	r := rand.New(rand.NewPCG(p.seed, 4))
	for i := range p.machines {
		o := &p.machines[i]
		o.limited = o.safe || r.IntN(2) == 0
		o.slow = r.IntN(2) == 0
		o.reach = [...]int64{0, 0, 3600e9, 50 * 365 * 24 * 3600 * 1e9}[r.IntN(4)]
	}
}

type layout struct {
	name   string
	layout ids.SnowflakeLayout
}

// layouts are those that plans draw from. The last tick of each is before the year 19000, since
// readings later than that are all alike to package ids.
var layouts = []layout{
	{"Twitter", ids.TwitterLayout()},
	{"Discord", ids.DiscordLayout()},
	{"Instagram", ids.InstagramLayout()},
	{"Sonyflake", ids.SonyflakeLayout()},
	{"1 us", ids.SnowflakeLayout{Epoch: time.Unix(1.6e9, 0), Tick: time.Microsecond, NodeBits: 5}},
	{"100 ns", ids.SnowflakeLayout{Epoch: time.Unix(1.6e9, 0), Tick: 100, SequenceBits: 4}},
	{"1 ms", ids.SnowflakeLayout{Epoch: time.Unix(-8.2e9, 0), Tick: time.Millisecond, NodeBits: 13, SequenceBits: 2}},
	{"15 ms", ids.SnowflakeLayout{Epoch: time.Unix(-8.2e9, 7), Tick: 15 * time.Millisecond, NodeBits: 16, SequenceBits: 2}},
	{"1 s", ids.SnowflakeLayout{Epoch: time.Unix(1e9, 0), Tick: time.Second, NodeBits: 10, SequenceBits: 16}},
	{"7 ms", ids.SnowflakeLayout{
		Epoch: time.Unix(1.2e9, 123456789), Tick: 7 * time.Millisecond, NodeBits: 14, SequenceBits: 3, NodeLast: true,
	}},
	{"1 ns", ids.SnowflakeLayout{Epoch: time.Unix(1.7e9, 0), Tick: 1, NodeBits: 3}},
	{"1 h", ids.SnowflakeLayout{Epoch: time.Unix(0, 0), Tick: time.Hour, NodeBits: 16, SequenceBits: 20}},
}

// alike returns another layout with the same ids.
func alike(l ids.SnowflakeLayout) ids.SnowflakeLayout {
	if l == ids.TwitterLayout() {
		return ids.SnowflakeLayout{}
	}
	l.Epoch = l.Epoch.In(time.FixedZone("", 3600))
	if l.NodeBits == 0 || l.SequenceBits == 0 {
		l.NodeLast = !l.NodeLast
	}
	return l
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
	o.zoned, o.early, o.steep, o.after = d.IntN(2) == 0, d.IntN(2) == 0, d.IntN(4) == 0, past
	if d.IntN(3) == 0 {
		o.after = o.start + one[int64](d, -1, 1)*int64(d.log(1, 1e15))
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
	case n < 64:
		d.saw(e)
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

// saw draws ids of a clock that is set back and forward, sometimes until all clock sequences have
// been used.
func (d *planner) saw(e event) {
	o := d.plan.machines[min(e.machine, len(d.plan.machines)-1)]
	maxAhead := orDefault(o.maxAhead, 10*time.Millisecond)
	e.action, e.n, e.d = saw, 2*int(d.log(1, 1000)), max(maxAhead, 1e6)+one[int64](d, -1, 0, 0, 1, 1000)
	if d.IntN(4) == 0 {
		e.d = max(orDefault(o.tolerance, 10*time.Second), e.d) + 1e6
	}
	if e.stream <= int(v6) && d.IntN(3) == 0 {
		e.n = 2*rounds + 100
	}
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
	case n < 48:
		// By more than a time.Duration can hold.
		e.action, e.d = step, one[int64](d, -1, -1, 1)*155*365*24*3600*1e9
		d.plan.events = append(d.plan.events, e)
	case n < 54:
		e.action, e.d = idle, int64(d.log(1, 1e15))
	case n < 57:
		e.action, e.n, e.d = edge, one(d, 0, 1, 1), one[int64](d, -1, -1, 1)*int64(d.log(1, 1e10))
	case n < 62:
		e.action = freeze
	case n < 72:
		e.action = thaw
	case n < 75:
		e.action, e.d = suspend, int64(d.log(1e6, 1e15))
	case n < 80:
		e.action, e.d = drift, one[int64](d, 0, 0, 1, -1, 200_000, -200_000, 100_000_000, -900_000_000)
	case n < 85:
		e.action, e.d = jitter, one[int64](d, 0, 0, 0, 1, 100, 10_000, 1e6, 5e6, 1e7)
		if d.IntN(10) == 0 {
			d.wobble(e)
			return
		}
	case n < 91:
		e.action, e.d = grain, one[int64](d, 0, 0, 100, 1e6, 15_600_000, 5e7, 1e9)
	case n < 92:
		e.action, e.n, e.d = glitch, 1+d.IntN(20), d.duration()*one[int64](d, -1, 1)
	case n < 94:
		e.action, e.n = smear, int(d.log(2, 500))
		d.budget -= e.n
	case n < 97:
		e.action = leap
	default:
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

// tighten draws a limit that is below what was issued, and a clock that is set back to between the
// two.
func (d *planner) tighten(e event) {
	all := event{action: mix, machine: e.machine, n: 16}
	for _, next := range []event{
		{action: persist, d: 1}, {action: extend, d: 7200e9}, {action: idle, d: 3600e9}, all, {action: step, d: -1800e9}, {action: enforce},
	} {
		next.machine = e.machine
		d.plan.events = append(d.plan.events, next)
	}
	d.spend(all, 2*all.n)
}

// life draws what happens to a process.
func (d *planner) life(e event) {
	switch n := d.IntN(100); {
	case d.copies && !d.copied && n < 30 && len(d.plan.events) > 5:
		e.action, d.copied = clone, true
		e.machine = d.IntN(len(d.plan.machines))
	case n < 20:
		e.action = save
	case n < 30:
		e.action, e.n = fail, d.IntN(20)
	case d.copies:
		e.action, e.n = crash, d.IntN(3)
	case n < 45:
		e.action, e.d = persist, one[int64](d, 1, 1e7, 1e9, 1e10, 1e12)
	case n < 60:
		e.action = enforce
	case n < 63:
		e.action, e.d = extend, one[int64](d, 1, 1e7, 1e10, 7200e9)
	case n < 65:
		e.action = withhold
	case n < 67:
		d.tighten(e)
		return
	case n < 70:
		e.action, e.n = loop, int(d.log(2, 200))
	default:
		e.action, e.n = crash, d.IntN(3)
	}
	d.plan.events = append(d.plan.events, e)
}
