package faults_test

// A test of the error for a list of faults.

import (
	"errors"
	"testing"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/faults"
)

func TestErr(t *testing.T) {
	var all faults.List
	for _, test := range []struct {
		grade   faults.Grade // of one additional fault
		unsafe  bool
		want    string
		refused bool
	}{
		{faults.Noted, false, "", false},
		{faults.Told, false, "", false},
		{faults.Unsafe, true, "", false},
		{faults.Passing, true, "passing", false},
		{faults.Passing, false, "unsafe: for tests, set Options.AllowNoFsync; passing; passing", true},
		{faults.Lasting, true, "passing; passing; lasting", true},
	} {
		all.Add(test.grade, "%s", test.grade)
		err := all.Err(test.unsafe)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want || errors.Is(err, nodelease.ErrRefused) != test.refused {
			t.Errorf("%v: %q, refused %v", all, got, errors.Is(err, nodelease.ErrRefused))
		}
	}
}
