package ids

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

// defaultNode is the node of [NextSnowflake], once there is one.
var defaultNode atomic.Pointer[SnowflakeNode]

// NextSnowflake returns the next Snowflake of the default node, as [SnowflakeNode.Next] does: the node given to
// [SetDefaultSnowflakeNode], or else one of Twitter's layout on the default clock, with the number in the
// environment variable IDS_SNOWFLAKE_NODE. If the variable is set, the call that makes the node panics unless it
// holds a number from 0 to 1023 and the clock is between Twitter's epoch and its end.
//
// Without the variable, the number is random. Two processes then share one with probability 1/1024;
// among 38 processes two share one with probability 1/2, and can issue the same ids. If several
// processes mint into one table, give each its own number, and call [SetDefaultSnowflakeNodeFromEnv]
// in main: it never takes a random number. With a random number, ids begin at the epoch while the clock
// is before it (in a testing/synctest bubble it is), unless the default clock has issued later ones.
func NextSnowflake() Snowflake {
	n := defaultNode.Load()
	if n == nil {
		n = must(DefaultSnowflakeNode())
	}
	return n.Next()
}

// DefaultSnowflakeNode returns the node of [NextSnowflake], and makes it if there is none. In main, call it after
// SetDefaultSnowflakeNode or [SetDefaultSnowflakeNodeFromEnv], not before. Where neither is called, it returns an
// error that matches [ErrRange] for a bad IDS_SNOWFLAKE_NODE, before the first id.
func DefaultSnowflakeNode() (*SnowflakeNode, error) {
	if n := defaultNode.Load(); n != nil {
		return n, nil
	}
	n, err := newDefaultNode()
	if err != nil {
		return nil, err
	}
	if !defaultNode.CompareAndSwap(nil, n) {
		return DefaultSnowflakeNode() // another call was faster
	}
	return n, nil
}

// newDefaultNode returns a node of Twitter's layout, with the number in the environment or a random one. Only
// a random one may begin at the epoch: a given number would make the same ids at each start.
func newDefaultNode() (*SnowflakeNode, error) {
	f := must(newFormat(TwitterLayout()))
	number, err := numberFromEnv(f.lastNode)
	switch {
	case err == errNoVariable:
		_, bits := defaultGenerator.bits(8)
		defaultClock.mu.Lock()
		defer defaultClock.mu.Unlock()
		n := defaultClock.newNode(f, int64(bits>>(64-twitterNodeBits)))
		n.drawn = true
		return n, nil
	case err != nil:
		return nil, err
	}
	n, err := NewSnowflakeNode(number, nil)
	if err != nil {
		err = fmt.Errorf("%w; in a testing/synctest bubble, which begins in the year 2000, unset "+nodeVariable, err)
	}
	return n, err
}

// SetDefaultSnowflakeNode makes n the node of [NextSnowflake]. Call it in main, before anything makes a
// Snowflake. It panics, and changes nothing, if n would repeat ids of the default node that it replaces:
// if both have the same number and layout on two clocks. Only the current default node is compared, and only
// if its number is not a random one.
//
// Nil is for tests: NextSnowflake makes a node again when it needs one. That drops the guard against nodes
// that repeat ids.
func SetDefaultSnowflakeNode(n *SnowflakeNode) {
	mustBe(n == nil || n.clock != nil, "SnowflakeNode")
	for {
		old := defaultNode.Load()
		if old != nil && n != nil && old.repeats(n) {
			panic(fmt.Errorf("ids: node %d is the default Snowflake node already, on another clock: ids would repeat. "+
				"Call SetDefaultSnowflakeNode or SetDefaultSnowflakeNodeFromEnv in main, before the first Snowflake", n.number))
		}
		if defaultNode.CompareAndSwap(old, n) {
			return
		}
	}
}

// repeats reports whether n and m, whose numbers were given, make the same ids on two clocks.
func (n *SnowflakeNode) repeats(m *SnowflakeNode) bool {
	return n.clock != m.clock && n.key == m.key && !n.drawn && !m.drawn
}

// SetDefaultSnowflakeNodeFromEnv makes the default node, and returns it. Its number comes from the environment
// variable IDS_SNOWFLAKE_NODE; the options may give another layout, or the clock of a clockfile. Nil options mean
// the default. Call it in main of a program that runs in many processes: unlike NextSnowflake it never takes a
// random number. The error matches [ErrRange] if the variable is no number of the layout, or [NewSnowflakeNode]
// refuses. It is also an error if the variable is not set, or if there is a default node already, since it may
// have the same number on another clock; then nothing has changed.
func SetDefaultSnowflakeNodeFromEnv(opts *SnowflakeOptions) (*SnowflakeNode, error) {
	opts = cmp.Or(opts, new(SnowflakeOptions))
	f, err := newFormat(opts.Layout)
	if err != nil {
		return nil, err
	}
	number, err := numberFromEnv(f.lastNode)
	if err != nil {
		return nil, err
	}
	n, err := NewSnowflakeNode(number, opts)
	if err != nil {
		return nil, err
	}
	if !defaultNode.CompareAndSwap(nil, n) {
		return nil, errors.New("ids: there is a default Snowflake node already: make it in main, before the first Snowflake")
	}
	return n, nil
}

const nodeVariable = "IDS_SNOWFLAKE_NODE"

var errNoVariable = errors.New("ids: environment variable " + nodeVariable + " is not set")

// numberFromEnv returns the number in the environment, which is at most last, or errNoVariable.
func numberFromEnv(last int64) (int64, error) {
	s, ok := os.LookupEnv(nodeVariable)
	if !ok {
		return 0, errNoVariable
	}
	v, err := strconv.ParseUint(s, 10, 63)
	if err != nil || int64(v) > last {
		return 0, rangeError("ids: environment variable " + nodeVariable + " is " + strconv.Quote(s) +
			", not a number from 0 to " + strconv.FormatInt(last, 10))
	}
	return int64(v), nil
}
