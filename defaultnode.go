package ids

import (
	"cmp"
	"errors"
	"os"
	"strconv"
	"sync/atomic"
)

// defaultNode is the node of [NextSnowflake], once there is one.
var defaultNode atomic.Pointer[SnowflakeNode]

// NextSnowflake returns the next Snowflake of the default node, as [SnowflakeNode.Next] does: the node
// given to [SetDefaultSnowflakeNode], or else one of Twitter's layout on the default clock, with the
// number in the environment variable IDS_SNOWFLAKE_NODE. It panics if that is not a number from 0 to
// 1023. While the clock is before Twitter's epoch, as in a testing/synctest
// bubble, ids begin at the epoch.
//
// Without the variable, the number is random. Two processes then share one with probability 1/1024;
// among 38 processes two share one with probability 1/2, and can issue the same ids. If several
// processes mint into one table, give each its own number, and call
// [SetDefaultSnowflakeNodeFromEnv] in main, which takes no random one.
func NextSnowflake() Snowflake {
	n := defaultNode.Load()
	if n == nil {
		n = must(DefaultSnowflakeNode())
	}
	return n.Next()
}

// DefaultSnowflakeNode returns the node of [NextSnowflake], and makes it if there is none. Call it
// in main to see a bad IDS_SNOWFLAKE_NODE before the first id: that is an error that matches
// [ErrRange].
func DefaultSnowflakeNode() (*SnowflakeNode, error) {
	if n := defaultNode.Load(); n != nil {
		return n, nil
	}
	f := must(newFormat(TwitterLayout()))
	number, err := numberFromEnv(f.lastNode)
	switch {
	case err == errNoVariable:
		_, bits := defaultGenerator.bits(8)
		number = int64(bits >> (64 - twitterNodeBits))
	case err != nil:
		return nil, err
	}
	defaultClock.mu.Lock()
	n := defaultClock.newNode(f, number)
	defaultClock.mu.Unlock()
	if !defaultNode.CompareAndSwap(nil, n) {
		return DefaultSnowflakeNode() // another call was faster
	}
	return n, nil
}

// SetDefaultSnowflakeNode makes n the node of [NextSnowflake]. Nil restores what NextSnowflake
// would make itself. Call it at startup: n is not coordinated with the node that it replaces.
func SetDefaultSnowflakeNode(n *SnowflakeNode) {
	mustBe(n == nil || n.clock != nil, "SnowflakeNode")
	defaultNode.Store(n)
}

// SetDefaultSnowflakeNodeFromEnv makes the default node, with the number in the environment variable
// IDS_SNOWFLAKE_NODE and the given options: another layout, or the clock of a clockfile.
// Nil options mean the default. Call it in main of a program that runs in many processes: unlike
// NextSnowflake it does not take a random number. It is an error if the variable is not set, if
// [NewSnowflakeNode] refuses its number, or if there is such a node already, since that may have the
// same number on another clock; then nothing has changed.
func SetDefaultSnowflakeNodeFromEnv(opts *SnowflakeOptions) error {
	opts = cmp.Or(opts, new(SnowflakeOptions))
	f, err := newFormat(opts.Layout)
	if err != nil {
		return err
	}
	number, err := numberFromEnv(f.lastNode)
	if err != nil {
		return err
	}
	n, err := NewSnowflakeNode(number, opts)
	if err == nil && !defaultNode.CompareAndSwap(nil, n) {
		err = errors.New("ids: there is a default Snowflake node already: make it in main, before the first Snowflake")
	}
	return err
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
