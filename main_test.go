package ids_test

// Which file tests what:
//
//	main_test.go       what comes before all tests, and what starts the program again;  helpers_test.go  what many tests use
//	model_test.go      an exact model of the rule of the clock: every tick, place, clock sequence, wait and refusal
//	model_play_test.go TestModel, which plays it beside clocks through random histories
//	step_test.go       promises for a wall clock that is set back: who follows it
//	wait_test.go       promises for waits: for how long, how far ids run ahead, TryNext
//	restart_test.go    After, Latest, NextHorizon and Set, over restarts and crashes
//	limit_test.go      limits from birth, their causes, Ahead
//	end_test.go        EndAt;  context_test.go  NextContext, and contexts that end
//	clock_test.go      the clock itself: readings, Now that panics and is overtaken, wild times
//	overflow_test.go   the ends of random parts, of the last tick of a format
//	runs_test.go       AppendV4, AppendV7, AppendULID and SnowflakeNode.Append
//	race_test.go       many goroutines
//	generator_test.go  injected random bytes: the same ids in every run, readers that fail
//	v1_test.go         v7_test.go  versions 1, 2 and 6; times and bounds of version 7 and ULID
//	node_test.go       nodes: numbers, the default node, its variable;  twin_test.go  what may replace the default node
//	layout_test.go     layouts beside an oracle
//	fields_test.go     times and fields beside slow oracles
//	uuid_test.go       ulid_test.go  snowflake_test.go  published ids, and what a type prints
//	rfc_test.go        vectors of RFC 9562
//	text_test.go       codec_test.go  fuzz_test.go  text and binary forms beside slow oracles
//	null_test.go       what a Null cannot read, and types with a JSON of their own
//	encodings_test.go  ids in JSON, XML, gob, flags and logs;  types_test.go  types of your own there
//	sql_test.go        error_test.go  databases, errors
//	zero_test.go       zero values;  internal_test.go  readings, debts and pieces of runs, from within
//	alloc_test.go      bench_test.go  memory, speed
//
// What a door has of its own is tested beside it, and what the packages export in internal/docs.

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// TestMain lets crypto/rand begin outside all bubbles, whichever test comes first. With
// GODEBUG=fips140=on it measures the jitter of the clock for that, and the clock of a bubble has none.
func TestMain(m *testing.M) {
	ids.NewV4()
	m.Run()
}

// again returns a command that runs the tests' own program with other arguments. If an emulator
// runs that, the environment variable IDS_TEST_EMULATOR must name it.
func again(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skip("the program of the tests cannot be started again here: ", err)
	}
	args = append(append(strings.Fields(os.Getenv("IDS_TEST_EMULATOR")), exe), args...)
	t.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0") // else it takes a second to end
	try := exec.Command(args[0], append(args[1:], "-test.list=^$")...)
	if err := try.Run(); try.ProcessState == nil {
		t.Skip("the program of the tests cannot be started again here, except by an emulator that IDS_TEST_EMULATOR names: ", err)
	}
	return exec.Command(args[0], args[1:]...)
}
