// Package snowflake generates, parses and stores Snowflakes, which are 63-bit IDs. Each process
// needs its own node number:
//
//	node, err := snowflake.SetDefaultFromEnv(nil) // reads IDS_SNOWFLAKE_NODE
//	s := node.Next()
//
// The types are aliases for types in package [ids], which documents their methods. The
// documentation of [ID], [Node] and [Layout] lists their methods. To read about a method in a
// terminal, run: go doc github.com/oneclock/ids.SnowflakeNode.Next. Package ids also documents the
// promises and clocks.
package snowflake

import (
	"github.com/oneclock/ids"
)

// ID is a 63-bit integer that contains a time, a node number and a sequence. A
// [Layout] defines the widths of these fields, and its Split method returns their values.
// Snowflakes with the same layout sort by time. No Snowflake is negative. A negative number that
// was converted to a Snowflake can be encoded but not decoded.
//
// To define your own type, embed ids.Snowflake and nothing else in a struct. Do not embed
// snowflake.ID, because [Null] needs the field name Snowflake.
//
// ID is an alias for [ids.Snowflake], which has these fields and methods:
//
//   - Text: [ids.Snowflake.String], [ids.Snowflake.Base32]
//   - Comparison: [ids.Snowflake.Compare], [ids.Snowflake.IsZero]
//   - Databases: [ids.Snowflake.Value], [ids.Snowflake.Scan]
//   - Encodings: [ids.Snowflake.AppendText], [ids.Snowflake.MarshalText],
//     [ids.Snowflake.UnmarshalText], [ids.Snowflake.AppendBinary], [ids.Snowflake.MarshalBinary],
//     [ids.Snowflake.UnmarshalBinary], [ids.Snowflake.MarshalJSON], [ids.Snowflake.UnmarshalJSON]
type ID = ids.Snowflake

// Null is an ID that may be absent. It is absent if Valid is false, as in the zero value. An absent
// ID is NULL in a database, null in JSON and an empty string in other text. An empty string in a
// database or in JSON is an error. Do not use a Null as a map key in JSON, because before Go 1.27,
// an absent key can be marshaled but not unmarshaled.
//
// For its fields and methods, see [ids.Null].
type Null = ids.Null[ids.Snowflake]

// Node generates Snowflakes with one node number. It is safe for concurrent use. Create
// one with [NewNode]; methods that generate IDs panic on the zero value.
//
// Two nodes with the same number can generate the same IDs if their clocks differ, for example
// because the nodes are in two processes. Two nodes with different layouts can also generate the
// same IDs. So give each clock its own number, and use one layout for all IDs that are stored
// together. Nodes with the same clock, layout and number share a sequence and never repeat an ID.
//
// Node is an alias for [ids.SnowflakeNode], which has these fields and methods:
//
//   - IDs: [ids.SnowflakeNode.Next], [ids.SnowflakeNode.NextContext], [ids.SnowflakeNode.TryNext],
//     [ids.SnowflakeNode.Append]
//   - Settings: [ids.SnowflakeNode.Number], [ids.SnowflakeNode.Layout]
type Node = ids.SnowflakeNode

// Options are options for [NewNode]. The zero value selects the defaults.
//
// For its fields and methods, see [ids.SnowflakeOptions].
type Options = ids.SnowflakeOptions

// Layout defines the fields of a Snowflake. From the most significant bit, they are the
// time in ticks since an epoch, the node number and the sequence. The time takes up the rest of the
// 63 bits, but at most 62 of them. [ids.SnowflakeLayout.Last] returns the start of the layout's
// last tick. The zero value means [Twitter].
//
// Any other layout must have an Epoch and a positive Tick, and leave at least one bit for the time;
// see [ids.SnowflakeLayout.Validate]. If the tick is 20 ms or longer and a node is asked for more
// than 2^SequenceBits IDs per tick, its IDs get further and further ahead of the wall clock. Times
// more than 2^39 s (about 17,000 years) from 1970 or from Epoch, and times at or before
// 0001-01-01T00:00:00Z, are out of range.
//
// Layout is an alias for [ids.SnowflakeLayout], which has these fields and methods:
//
//   - Settings: [ids.SnowflakeLayout.Epoch], [ids.SnowflakeLayout.Tick],
//     [ids.SnowflakeLayout.NodeBits], [ids.SnowflakeLayout.SequenceBits],
//     [ids.SnowflakeLayout.NodeLast], [ids.SnowflakeLayout.Validate], [ids.SnowflakeLayout.Equal]
//   - Fields: [ids.SnowflakeLayout.Split], [ids.SnowflakeLayout.Compose]
//   - Bounds for a time: [ids.SnowflakeLayout.MinAt], [ids.SnowflakeLayout.MaxAt],
//     [ids.SnowflakeLayout.Last]
type Layout = ids.SnowflakeLayout

// Parts are the fields of a Snowflake.
//
// For its fields and methods, see [ids.SnowflakeParts].
type Parts = ids.SnowflakeParts

// ParseError describes an error in the text or bytes of an ID. It contains the offset of the
// invalid byte, if there is one, but not the input. Parse functions and Unmarshal methods return a
// *ParseError. Errors from Scan methods wrap a *ParseError, unless Scan does not accept the type of
// the value.
//
// For its fields and methods, see [ids.ParseError].
type ParseError = ids.ParseError

// Errors from [Parse] match ErrSyntax or ErrRange when tested with [errors.Is]. If the length is
// wrong, they also match ErrLength. Errors from [NewNode] and [Default] match ErrRange.
var (
	ErrSyntax = ids.ErrSyntax
	ErrLength = ids.ErrLength
	ErrRange  = ids.ErrRange
)

// These are the errors that the methods of a [Node] can return. See [ids.SnowflakeNode.TryNext] and
// [ids.SnowflakeNode.NextContext]. Next and Append panic with an error that matches ErrEnded or
// ErrRange.
var (
	ErrClockBehind = ids.ErrClockBehind
	ErrExhausted   = ids.ErrExhausted
	ErrWithheld    = ids.ErrWithheld
	ErrEnded       = ids.ErrEnded
)

// Next returns the next Snowflake from the default node, as [ids.SnowflakeNode.Next] does. If
// several processes generate Snowflakes for one table, call [SetDefaultFromEnv] in
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
func Next() ID { return ids.NextSnowflake() }

// Default returns the default node. If there is none, it creates one in the same way
// as [Next], so call SetDefault or [SetDefaultFromEnv] first. If
// Next would panic because IDS_SNOWFLAKE_NODE does not contain a valid node number or the
// wall clock is outside the range of the layout, Default returns an error that matches
// [ErrRange].
func Default() (*Node, error) { return ids.DefaultSnowflakeNode() }

// SetDefault makes n the default node. Call it in main, before the first Snowflake is
// generated. It panics and changes nothing if the current default node has the same number and
// layout but a different clock, because the nodes could generate the same IDs. It does not check n
// against earlier default nodes, and it checks nothing if either node has a random number.
//
// Tests may pass nil. The next call to [Next] then creates a new node, which is not
// checked against the old one.
func SetDefault(n *Node) { ids.SetDefaultSnowflakeNode(n) }

// SetDefaultFromEnv creates the default node with the number from the environment
// variable IDS_SNOWFLAKE_NODE, and returns the node. Call it in main, before the first Snowflake is
// generated. The options can set a layout or the clock of a clockfile. If opts is nil, the default
// options are used.
//
// It returns an error if the variable is not set, if its value is "random" or is not a valid node
// number for the layout, or if there is already a default node. The error matches [ErrRange] if the
// number, the layout or the wall clock is out of range. A call that returns an error changes
// nothing.
func SetDefaultFromEnv(opts *Options) (*Node, error) {
	return ids.SetDefaultSnowflakeNodeFromEnv(opts)
}

// NewNode returns a node with the given number, from 0 to 2^NodeBits-1. If opts is nil, it
// uses the default options. The error matches [ErrRange] if the number does not fit the layout, if
// the layout has no room for an ID, or if the wall clock is before the layout's first tick or after
// its last. A clock never frees its nodes, so create no more than a few thousand of them.
func NewNode(number int64, opts *Options) (*Node, error) {
	return ids.NewSnowflakeNode(number, opts)
}

// Twitter returns Twitter's layout, which is the default. It has 41 bits for milliseconds
// since 2010-11-04T01:42:54.657Z (until 2080), 10 bits for the node number and 12 bits for the
// sequence.
func Twitter() Layout { return ids.TwitterLayout() }

// Discord returns Discord's layout. It has 41 bits for milliseconds since 2015-01-01 (until
// 2084), 10 bits for the node number (the upper 5 for the worker, the lower 5 for the process) and
// 12 bits for the sequence.
func Discord() Layout { return ids.DiscordLayout() }

// Instagram returns Instagram's layout. It has 40 bits for milliseconds since
// 2011-08-24T21:07:01.721Z (until 2046), 13 bits for the node number (the logical shard) and 10
// bits for the sequence.
func Instagram() Layout { return ids.InstagramLayout() }

// Sonyflake returns the layout of Sonyflake version 1. It has 39 bits for units of 10 ms
// since 2014-09-01 (until 2188), 8 bits for the sequence and 16 bits for the node number. Sonyflake
// version 2 counts the time from 2025-01-01.
func Sonyflake() Layout { return ids.SonyflakeLayout() }

// TwitterNumber returns the node number for a datacenter and a worker in Twitter's layout. Both
// must be from 0 to 31; otherwise, the error matches [ErrRange].
func TwitterNumber(datacenter, worker int64) (number int64, err error) {
	return ids.TwitterNumber(datacenter, worker)
}

// TwitterDatacenterWorker returns the datacenter and the worker that a node number of Twitter's
// layout contains. For a number from 0 to 1023, both are from 0 to 31. For any other number, the
// datacenter is outside this range.
func TwitterDatacenterWorker(number int64) (datacenter, worker int64) {
	return ids.TwitterDatacenterWorker(number)
}

// Parse reads a decimal number of 1 to 19 digits, from 0 to 9223372036854775807. The error
// is a *[ParseError].
func Parse(s string) (ID, error) { return ids.ParseSnowflake(s) }

// MustParse is like [Parse] but panics if s is invalid. The panic value is an
// error that quotes s.
func MustParse(s string) ID { return ids.MustParseSnowflake(s) }

// ParseBase32 reads the 13 characters that [ids.Snowflake.Base32] returns, in upper or lower
// case. The error is a *[ParseError].
func ParseBase32(s string) (ID, error) { return ids.ParseSnowflakeBase32(s) }
