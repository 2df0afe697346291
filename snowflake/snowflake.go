// Package snowflake makes, parses and stores Snowflakes: ids of 63 bits. Each process needs its own node number:
//
//	node, err := snowflake.SetDefaultFromEnv(nil) // reads IDS_SNOWFLAKE_NODE
//	s := node.Next()
//
// The types are aliases of types in package [ids], which documents their methods; the comments of [ID], [Node] and
// [Layout] list them. In a terminal: go doc github.com/oneclock/ids.SnowflakeNode.Next. Package ids also has the promises
// and clocks.
package snowflake

import (
	"github.com/oneclock/ids"
)

// ID is an integer of 63 bits: a time, a node number and a sequence. A [Layout] gives their
// widths, and its Split returns them. Snowflakes of one layout sort by time. None is negative:
// a negative number that is converted is written, and never read.
//
// For a type of your own, embed ids.Snowflake alone, not snowflake.ID: [Null] needs this field name.
//
// ID is another name of [ids.Snowflake], which has:
//
//   - Text: [ids.Snowflake.String], [ids.Snowflake.Base32]
//   - Comparison: [ids.Snowflake.Compare], [ids.Snowflake.IsZero]
//   - Databases: [ids.Snowflake.Value], [ids.Snowflake.Scan]
//   - Encodings: [ids.Snowflake.AppendText], [ids.Snowflake.MarshalText],
//     [ids.Snowflake.UnmarshalText], [ids.Snowflake.AppendBinary], [ids.Snowflake.MarshalBinary],
//     [ids.Snowflake.UnmarshalBinary], [ids.Snowflake.MarshalJSON], [ids.Snowflake.UnmarshalJSON]
type ID = ids.Snowflake

// Null is an id or nothing. The zero value is absent, and so is an ID whose Valid is false. Absent is NULL in a database, null
// in JSON and the empty text elsewhere. An empty string in a database or in JSON is an error. Do not use a Null as the
// key of a map in JSON: before Go 1.27 an absent key is written, and cannot be read.
//
// For its fields and methods see [ids.Null].
type Null = ids.Null[ids.Snowflake]

// Node makes the Snowflakes of one node number. It is safe for concurrent use. Make one with
// [NewNode]; methods that make ids panic on the zero value.
//
// Two nodes can make the same ids if they have one number on two clocks, for example in two processes, or if
// their layouts differ. So give each clock its own number, and ids that are kept together one layout. Nodes of
// one clock, layout and number share a sequence, and repeat nothing.
//
// Node is another name of [ids.SnowflakeNode], which has:
//
//   - IDs: [ids.SnowflakeNode.Next], [ids.SnowflakeNode.NextContext], [ids.SnowflakeNode.TryNext],
//     [ids.SnowflakeNode.Append]
//   - Settings: [ids.SnowflakeNode.Number], [ids.SnowflakeNode.Layout]
type Node = ids.SnowflakeNode

// Options are the options of [NewNode]. The zero value is the default.
//
// For its fields and methods see [ids.SnowflakeOptions].
type Options = ids.SnowflakeOptions

// Layout gives the fields of a Snowflake, from the top: the time, in ticks since an epoch, then node
// number and sequence. The time takes the rest of the 63 bits, at most 62: [ids.SnowflakeLayout.Last] returns its
// end. The zero value is [Twitter].
//
// Any other layout must have an Epoch and a positive Tick, and leave at least one bit for the time. If the tick
// is 20 ms or longer, ids run ever further ahead of the wall clock while a node is asked for more than
// 2^SequenceBits of them per tick. Times more than 2^39 s (some 17,000 years) from 1970 or from Epoch, and
// times at or before 0001-01-01T00:00:00Z, are out of range.
//
// Layout is another name of [ids.SnowflakeLayout], which has:
//
//   - Settings: [ids.SnowflakeLayout.Epoch], [ids.SnowflakeLayout.Tick],
//     [ids.SnowflakeLayout.NodeBits], [ids.SnowflakeLayout.SequenceBits],
//     [ids.SnowflakeLayout.NodeLast], [ids.SnowflakeLayout.Validate], [ids.SnowflakeLayout.Equal]
//   - Fields: [ids.SnowflakeLayout.Split], [ids.SnowflakeLayout.Compose]
//   - Bounds of a time: [ids.SnowflakeLayout.MinAt], [ids.SnowflakeLayout.MaxAt],
//     [ids.SnowflakeLayout.Last]
type Layout = ids.SnowflakeLayout

// Parts are the fields of a Snowflake.
//
// For its fields and methods see [ids.SnowflakeParts].
type Parts = ids.SnowflakeParts

// ParseError says what is wrong with the text or bytes of an id, and at which byte. It does not contain the
// input. Parse functions and Unmarshal methods return a *ParseError. Errors of Scan wrap one, except for a
// value of a type that Scan does not read.
//
// For its fields and methods see [ids.ParseError].
type ParseError = ids.ParseError

// The errors of [Parse] match ErrSyntax or ErrRange by [errors.Is], and ErrLength if the length is wrong. Errors of
// [NewNode] and [Default] match ErrRange.
var (
	ErrSyntax = ids.ErrSyntax
	ErrLength = ids.ErrLength
	ErrRange  = ids.ErrRange
)

// The errors of a [Node]: see [ids.SnowflakeNode.TryNext] and [ids.SnowflakeNode.NextContext]. Next and Append panic with
// ErrEnded or ErrRange.
var (
	ErrClockBehind = ids.ErrClockBehind
	ErrExhausted   = ids.ErrExhausted
	ErrWithheld    = ids.ErrWithheld
	ErrEnded       = ids.ErrEnded
)

// Next returns the next Snowflake of the default node, as [ids.SnowflakeNode.Next] does. If several
// processes make Snowflakes for one table, call [SetDefaultFromEnv] in main, which chooses that
// node.
//
// If main has not chosen one, the first call makes a node of Twitter's layout on the default clock, with the
// number in the environment variable IDS_SNOWFLAKE_NODE. It panics, with an error that matches
// [ErrRange], if the variable is neither a number from 0 to 1023 nor "random" (empty is neither), or if the wall
// clock is outside the layout.
//
// If the variable is not set, the number is random, and a goroutine logs it by [log.Print]: the call does not
// wait for the log, so a program that ends at once may not log it. Two processes then have one number, and can
// make the same ids, with probability 1/1024; of 38 processes two do with probability 1/2. If the variable is
// "random", the number is random and nothing is logged: this is for tests, and for a program that runs in one
// process. With a random number, ids begin at the epoch while the wall clock is before it, unless the default
// clock has made later ones.
func Next() ID { return ids.NextSnowflake() }

// Default returns the default node, and makes it as [Next] does if there is none: so call
// SetDefault or [SetDefaultFromEnv] first. The error matches [ErrRange] if
// Next would panic, since IDS_SNOWFLAKE_NODE is no number of the layout, or the wall clock is outside
// it.
func Default() (*Node, error) { return ids.DefaultSnowflakeNode() }

// SetDefault makes n the default node. Call it in main, before anything makes a Snowflake. It
// panics, and changes nothing, if the default node has the same number and layout on another clock, since ids
// would repeat. It compares no earlier default nodes, and no random numbers.
//
// Nil is for tests: the next [Next] makes a new node, and nothing compares it with the old one.
func SetDefault(n *Node) { ids.SetDefaultSnowflakeNode(n) }

// SetDefaultFromEnv makes the default node, with the number in the environment variable
// IDS_SNOWFLAKE_NODE, and returns it. Call it in main, before anything makes a Snowflake. The options can give
// a layout, or the clock of a clockfile; nil means the default.
//
// It is an error if the variable is not set, if it is "random" or no number of the layout, or if there is a
// default node already. The error matches [ErrRange] if the number, the layout or the wall clock is out of
// range. After an error nothing has changed.
func SetDefaultFromEnv(opts *Options) (*Node, error) {
	return ids.SetDefaultSnowflakeNodeFromEnv(opts)
}

// NewNode returns a node with the given number, from 0 to 2^NodeBits-1. Nil options mean the default.
// The error matches [ErrRange] if the number does not fit the layout, if the layout can hold no id, or if the
// wall clock is before its first tick or after its last. A clock keeps its nodes as long as it lives: make no
// more than some thousand.
func NewNode(number int64, opts *Options) (*Node, error) {
	return ids.NewSnowflakeNode(number, opts)
}

// Twitter returns Twitter's layout, the default: 41 bits of milliseconds since 2010-11-04T01:42:54.657Z
// (until 2080), 10 of node number, 12 of sequence.
func Twitter() Layout { return ids.TwitterLayout() }

// Discord returns Discord's layout: 41 bits of milliseconds since 2015-01-01 (until 2084), 10 of node
// number (the upper 5 of worker, the lower 5 of process), 12 of sequence.
func Discord() Layout { return ids.DiscordLayout() }

// Instagram returns Instagram's layout: 40 bits of milliseconds since 2011-08-24T21:07:01.721Z (until
// 2046), 13 of node number (the logical shard), 10 of sequence.
func Instagram() Layout { return ids.InstagramLayout() }

// Sonyflake returns the layout of Sonyflake's version 1: 39 bits of 10 ms since 2014-09-01 (until 2188),
// 8 of sequence, 16 of node number. Its version 2 counts from 2025-01-01.
func Sonyflake() Layout { return ids.SonyflakeLayout() }

// TwitterNumber returns the node number of a datacenter and a worker, each from 0 to 31, in Twitter's layout.
// For others the error matches [ErrRange].
func TwitterNumber(datacenter, worker int64) (number int64, err error) {
	return ids.TwitterNumber(datacenter, worker)
}

// TwitterDatacenterWorker returns the datacenter and the worker, each from 0 to 31, of a node number of
// Twitter's layout, from 0 to 1023. For another number the datacenter is out of this range.
func TwitterDatacenterWorker(number int64) (datacenter, worker int64) {
	return ids.TwitterDatacenterWorker(number)
}

// Parse reads a Snowflake of 1 to 19 decimal digits, from 0 to 9223372036854775807. The error is a
// *[ParseError].
func Parse(s string) (ID, error) { return ids.ParseSnowflake(s) }

// MustParse is like [Parse] but panics if s is invalid. The panic value is an
// error that quotes s.
func MustParse(s string) ID { return ids.MustParseSnowflake(s) }

// ParseBase32 reads the 13 characters that [ids.Snowflake.Base32] returns, in upper or lower case. The
// error is a *[ParseError].
func ParseBase32(s string) (ID, error) { return ids.ParseSnowflakeBase32(s) }
