package ids

// This file contains the default node and the environment variable that sets its number.

import (
	"cmp"
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"
	"sync/atomic"
)

// defaultNode is the node that [NextSnowflake] uses, or nil if there is none yet.
var defaultNode atomic.Pointer[SnowflakeNode]

// NextSnowflake returns the next Snowflake from the default node, as [SnowflakeNode.Next] does. If
// several processes generate Snowflakes for one table, call [SetDefaultSnowflakeNodeFromEnv] in
// main to set the default node.
//
// If no default node has been set, the first call creates one with Twitter's layout and the default
// clock. Its number comes from the environment variable IDS_SNOWFLAKE_NODE. The call panics with an
// error that matches [ErrRange] if the variable is neither a number from 0 to 1023 nor "random" (an
// empty variable is neither), or if the wall clock is outside the range of the layout.
//
// If the variable is not set, the number is random, and a goroutine logs it with [log.Print]. The
// call does not wait for this goroutine, so a program that ends immediately may not log the number.
// Two processes with random numbers have the same number with probability 1/1024, and can then
// generate the same IDs. Among 38 such processes, the probability that at least two have the same
// number is about 1/2. If the variable is "random", the number is random and nothing is logged. Use
// this value for tests and for a program that runs as a single process. If the number is random and
// the wall clock is before the epoch, IDs begin at the epoch, unless the default clock has already
// generated later IDs.
func NextSnowflake() Snowflake {
	n := defaultNode.Load()
	if n == nil {
		n = must(DefaultSnowflakeNode())
	}
	return n.Next()
}

// DefaultSnowflakeNode returns the default node. If there is none, it creates one in the same way
// as [NextSnowflake], so call SetDefaultSnowflakeNode or [SetDefaultSnowflakeNodeFromEnv] first. If
// NextSnowflake would panic because IDS_SNOWFLAKE_NODE does not contain a valid node number or the
// wall clock is outside the range of the layout, DefaultSnowflakeNode returns an error that matches
// [ErrRange].
func DefaultSnowflakeNode() (*SnowflakeNode, error) {
	if n := defaultNode.Load(); n != nil {
		return n, nil
	}
	value, isSet := os.LookupEnv(nodeVariable)
	if !isSet {
		value = randomNumber
	}
	n, err := newDefaultNode(value)
	if err != nil {
		return nil, err
	}
	if !defaultNode.CompareAndSwap(nil, n) {
		return DefaultSnowflakeNode() // another call was faster
	}
	if !isSet {
		logRandomNumber(n.number)
	}
	return n, nil
}

// newDefaultNode returns a node with Twitter's layout. The parameter is the value of the
// environment variable, which determines the node's number.
func newDefaultNode(value string) (*SnowflakeNode, error) {
	if value == randomNumber {
		return newRandomNode(), nil
	}
	number, err := parseNumber(value, 1<<twitterNodeBits-1)
	if err != nil {
		return nil, err
	}
	n, err := NewSnowflakeNode(number, nil)
	if err != nil {
		err = fmt.Errorf("%w: set the clock or, in a testing/synctest bubble, which begins in the year 2000, set "+nodeVariable+" to random", err)
	}
	return n, err
}

// newRandomNode returns a node with Twitter's layout and a random number. If the wall clock is
// before the epoch, the node's IDs begin at the epoch. NewSnowflakeNode rejects such a wall clock,
// because a node with a fixed number would then generate the same IDs at each start.
func newRandomNode() *SnowflakeNode {
	f := must(newFields(TwitterLayout()))
	_, bits := defaultGenerator.bits(8)
	defaultClock.mu.Lock()
	defer defaultClock.mu.Unlock()
	n := defaultClock.newNode(f, int64(bits>>(64-twitterNodeBits)))
	n.drawn = true
	return n
}

// logRandomNumber logs that the node number is random. It does not wait for the log, because the
// log's writer may itself wait for the first Snowflake, for example to number its lines. It
// recovers from a panic in the log's writer, because no other code can recover from a panic in this
// goroutine.
func logRandomNumber(number int64) {
	go func() {
		defer func() { _ = recover() }()
		log.Print("ids: "+nodeVariable+" is not set, so this process has the random Snowflake node number ", number,
			". Two processes with the same number generate the same IDs: set a different number in each. See https://pkg.go.dev/github.com/oneclock/ids/snowflake#Next")
	}()
}

// SetDefaultSnowflakeNode makes n the default node. Call it in main, before the first Snowflake is
// generated. It panics and changes nothing if the current default node has the same number and
// layout but a different clock, because the nodes could generate the same IDs. It does not check n
// against earlier default nodes, and it checks nothing if either node has a random number.
//
// Tests may pass nil. The next call to [NextSnowflake] then creates a new node, which is not
// checked against the old one.
func SetDefaultSnowflakeNode(n *SnowflakeNode) {
	mustBe(n == nil || n.clock != nil, "SnowflakeNode")
	for {
		old := defaultNode.Load()
		if old != nil && n != nil && old.repeats(n) {
			panic(fmt.Errorf("ids: node %d is already the default Snowflake node, on another clock, so IDs would repeat: "+
				"call SetDefaultSnowflakeNode or SetDefaultSnowflakeNodeFromEnv in main, before the first Snowflake", n.number))
		}
		if defaultNode.CompareAndSwap(old, n) {
			return
		}
	}
}

// repeats reports whether n and m can generate the same IDs because they have equal keys but
// different clocks. It returns false if either number is random.
func (n *SnowflakeNode) repeats(m *SnowflakeNode) bool {
	return n.clock != m.clock && n.key == m.key && !n.drawn && !m.drawn
}

// SetDefaultSnowflakeNodeFromEnv creates the default node with the number from the environment
// variable IDS_SNOWFLAKE_NODE, and returns the node. Call it in main, before the first Snowflake is
// generated. The options can set a layout or the clock of a clockfile. If opts is nil, the default
// options are used.
//
// It returns an error if the variable is not set, if its value is "random" or is not a valid node
// number for the layout, or if there is already a default node. The error matches [ErrRange] if the
// number, the layout or the wall clock is out of range. A call that returns an error changes
// nothing.
func SetDefaultSnowflakeNodeFromEnv(opts *SnowflakeOptions) (*SnowflakeNode, error) {
	opts = cmp.Or(opts, new(SnowflakeOptions))
	f, err := newFields(opts.Layout)
	if err != nil {
		return nil, err
	}
	value, isSet := os.LookupEnv(nodeVariable)
	if !isSet {
		return nil, errors.New("ids: environment variable " + nodeVariable + " is not set: set it to a number from 0 to " +
			strconv.FormatInt(f.lastNode, 10) + " that no other process has")
	}
	number, err := parseNumber(value, f.lastNode)
	if err != nil {
		return nil, err
	}
	n, err := NewSnowflakeNode(number, opts)
	if err != nil {
		return nil, err
	}
	if !defaultNode.CompareAndSwap(nil, n) {
		return nil, errors.New("ids: there is already a default Snowflake node: call SetDefaultSnowflakeNodeFromEnv once in main, before the first Snowflake")
	}
	return n, nil
}

const (
	nodeVariable = "IDS_SNOWFLAKE_NODE"
	randomNumber = "random" // value that selects a random number
)

// parseNumber parses text, which is the variable's value, as a number from 0 to last.
func parseNumber(text string, last int64) (int64, error) {
	v, err := strconv.ParseUint(text, 10, 63)
	if err != nil || int64(v) > last {
		return 0, rangeError("ids: environment variable " + nodeVariable + " is " + strconv.Quote(text) +
			", not a number from 0 to " + strconv.FormatInt(last, 10))
	}
	return int64(v), nil
}
