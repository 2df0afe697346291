// Package snowflake mints, parses and stores Snowflake ids. Each process that calls [Next] needs a
// number of its own.
//
// The types are aliases of types in package [ids], under shorter names. Their methods are
// documented there: see [ids.Snowflake], [ids.SnowflakeNode], [ids.SnowflakeLayout], [ids.Null] and
// [ids.ParseError]. Package ids also documents what is promised about uniqueness, order and time,
// and has the clock: see [ids.NewClock]. In a terminal: go doc github.com/oneclock/ids.SnowflakeNode.Next.
// The module needs Go 1.25 or later.
package snowflake

import (
	"github.com/oneclock/ids"
)

// ID is a 63-bit identifier: a time, a node number and a sequence, in fields whose widths a
// [Layout] gives: its Split returns them. Snowflakes of one layout sort by time. None is negative, and no
// decoder accepts a negative number. For a type of your own, embed ids.Snowflake alone: [Null] takes no struct
// that embeds snowflake.ID, since the field is then called ID.
//
// For its fields and methods see [ids.Snowflake].
type ID = ids.Snowflake

// Null is an id that may be absent: NULL in a database, null in JSON, the empty text elsewhere. An
// empty string in a database or in JSON is an error. The zero value is absent.
//
// For its fields and methods see [ids.Null].
type Null = ids.Null[ids.Snowflake]

// Node mints the Snowflakes of one node number. It is safe for concurrent use. Nodes of
// one clock that have the same layout and number share one sequence, and repeat no id. Nodes of one
// number on different clocks, and so in different processes, can repeat ids; so can nodes with different
// layouts, whatever their numbers. Give ids that are kept together one layout, and each clock a number of
// its own. Make a node with [NewNode]; minting with the zero value panics.
//
// For its fields and methods see [ids.SnowflakeNode].
type Node = ids.SnowflakeNode

// Options are the options of [NewNode]. The zero value is the default.
//
// For its fields and methods see [ids.SnowflakeOptions].
type Options = ids.SnowflakeOptions

// Layout gives the fields of a Snowflake, from the top: the time, in ticks since an
// epoch, then node and sequence. The time takes the rest of the 63 bits, 62 at most: [ids.SnowflakeLayout.Last] says when
// it ends. The zero value is [Twitter].
//
// Any other layout must have an Epoch and a positive Tick, and leave at least one bit for the time. If
// the tick is 20 ms or longer, ids run ever further ahead of the clock while a node is asked for more than
// 2^SequenceBits of them per tick. Times more than 2^39 s (some 17,000 years) from 1970 or from Epoch, and
// times at or before 0001-01-01T00:00:00Z, are out of range.
//
// For its fields and methods see [ids.SnowflakeLayout].
type Layout = ids.SnowflakeLayout

// Parts holds the fields of a Snowflake.
//
// For its fields and methods see [ids.SnowflakeParts].
type Parts = ids.SnowflakeParts

// ParseError says what is wrong with the text or binary form of an id, and where. The Parse
// functions and Unmarshal methods return a *ParseError. The errors of Scan wrap one, except for
// NULL and for a value of a type that is not accepted. It does not repeat the input, and costs no allocation.
//
// For its fields and methods see [ids.ParseError].
type ParseError = ids.ParseError

// The errors of [Parse] match ErrSyntax or ErrRange by [errors.Is], and ErrLength if the length is
// wrong. The errors of [NewNode] and [Default] match ErrRange.
var (
	ErrSyntax = ids.ErrSyntax
	ErrLength = ids.ErrLength
	ErrRange  = ids.ErrRange
)

// The errors of the methods TryNext and NextContext of a [Node] match these or ErrRange, and the cause if
// there is one. Where TryNext returns ErrClockBehind or ErrExhausted, NextContext does as Next. It returns
// ErrWithheld only with the error of its context, and that error alone if the context has ended before the
// call. Next panics with ErrEnded or ErrRange.
var (
	ErrClockBehind = ids.ErrClockBehind
	ErrExhausted   = ids.ErrExhausted
	ErrWithheld    = ids.ErrWithheld
	ErrEnded       = ids.ErrEnded
)

// Next returns the next Snowflake of the default node, as [ids.SnowflakeNode.Next] does: the node given to
// [SetDefault], or else one of Twitter's layout on the default clock, with the number in the
// environment variable IDS_SNOWFLAKE_NODE. If the variable holds anything but "random", the call that makes the node
// panics unless that is a number from 0 to 1023 and the clock is between Twitter's epoch and its end.
//
// Without the variable, the number is random, and the call that draws it says so by [log.Print]. Two processes
// then share one with probability 1/1024; among 38 processes two share one with probability 1/2, and can issue the
// same ids. If several processes mint into one table, give each its own number, and call
// [SetDefaultFromEnv] in main: it never takes a random number. The value "random" of the variable asks
// for a random number, and nothing is logged: it is for tests, and for a program that runs in one process. With a
// random number, ids begin at the epoch while the clock is before it (in a testing/synctest bubble it is), unless the
// default clock has issued later ones.
func Next() ID { return ids.NextSnowflake() }

// Default returns the node of [Next], and makes it if there is none. In main, call it after
// SetDefault or [SetDefaultFromEnv], not before. Where neither is called, it returns an
// error that matches [ErrRange] for a bad IDS_SNOWFLAKE_NODE, before the first id.
func Default() (*Node, error) { return ids.DefaultSnowflakeNode() }

// SetDefault makes n the node of [Next]. Call it in main, before anything makes a
// Snowflake. It panics, and changes nothing, if n would repeat ids of the default node that it replaces:
// if both have the same number and layout on two clocks. Only the current default node is compared, and only
// if its number is not a random one.
//
// Nil is for tests: Next makes a node again when it needs one. That drops the guard against nodes
// that repeat ids.
func SetDefault(n *Node) { ids.SetDefaultSnowflakeNode(n) }

// SetDefaultFromEnv makes the default node, and returns it. Its number comes from the environment
// variable IDS_SNOWFLAKE_NODE; the options may give another layout, or the clock of a clockfile. Nil options mean
// the default. Call it in main of a program that runs in many processes: unlike Next it never takes a
// random number. The error matches [ErrRange] if the variable is no number of the layout, as the value "random", or
// [NewNode] refuses. It is also an error if the variable is not set, or if there is a default node already,
// since it may have the same number on another clock; then nothing has changed.
func SetDefaultFromEnv(opts *Options) (*Node, error) {
	return ids.SetDefaultSnowflakeNodeFromEnv(opts)
}

// NewNode returns a node with the given number, from 0 to 2^NodeBits-1. Nil options mean the default. The
// error matches [ErrRange] if the number does not fit the layout, if the layout can hold no id, or if the wall
// clock is before its first tick or after its last. A clock keeps its nodes: each new layout and number costs
// memory for as long as the clock lives. A clock is for some thousand nodes, since [ids.Clock.Latest] and [ids.ClockLimit]
// stop all calls while they look at each one.
func NewNode(number int64, opts *Options) (*Node, error) {
	return ids.NewSnowflakeNode(number, opts)
}

// Twitter returns Twitter's layout, the default: 41 bits of milliseconds since
// 2010-11-04T01:42:54.657Z (until 2080), 10 of node, 12 of sequence.
func Twitter() Layout { return ids.TwitterLayout() }

// Discord returns Discord's layout: 41 bits of milliseconds since 2015-01-01 (until 2084),
// 10 of node (the upper 5 of worker, the lower 5 of process), 12 of sequence.
func Discord() Layout { return ids.DiscordLayout() }

// Instagram returns Instagram's layout: 40 bits of milliseconds since
// 2011-08-24T21:07:01.721Z (until 2046), 13 of node (the logical shard), 10 of sequence.
func Instagram() Layout { return ids.InstagramLayout() }

// Sonyflake returns the layout of Sonyflake's version 1: 39 bits of 10 ms since 2014-09-01 (until
// 2188), 8 of sequence, 16 of node. Its version 2 counts from 2025-01-01.
func Sonyflake() Layout { return ids.SonyflakeLayout() }

// TwitterNumber returns the node number of a datacenter and a worker in Twitter's layout. Each is 0 to 31;
// else the error matches [ErrRange].
func TwitterNumber(datacenter, worker int64) (number int64, err error) {
	return ids.TwitterNumber(datacenter, worker)
}

// TwitterDatacenterWorker returns the datacenter and the worker, 0 to 31 each, of a node number in Twitter's
// layout, 0 to 1023. A number out of this range has a datacenter out of range.
func TwitterDatacenterWorker(number int64) (datacenter, worker int64) {
	return ids.TwitterDatacenterWorker(number)
}

// Parse returns the Snowflake that s holds in 1 to 19 decimal digits, 0 to
// 9223372036854775807. The error is a *[ParseError].
func Parse(s string) (ID, error) { return ids.ParseSnowflake(s) }

// MustParse is like [Parse] but panics if s is invalid. The panic value is an
// error that quotes s.
func MustParse(s string) ID { return ids.MustParseSnowflake(s) }

// ParseBase32 returns the Snowflake that s holds in the 13 characters that
// [ids.Snowflake.Base32] writes, in either case. The error is a *[ParseError].
func ParseBase32(s string) (ID, error) { return ids.ParseSnowflakeBase32(s) }
