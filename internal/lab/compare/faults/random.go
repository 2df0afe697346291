package faults

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/oneclock/ids"
)

// A mintFunc mints an id and says whether it failed.
type mintFunc func() error

// either is a constructor that returns an error.
func either[T any](mint func() (T, error)) mintFunc {
	return func() error {
		_, err := mint()
		return err
	}
}

// never is a constructor that returns none.
func never[T any](mint func() T) mintFunc {
	return func() error {
		mint()
		return nil
	}
}

// generator returns a generator of this library that draws from r.
func generator(r io.Reader) *ids.Generator {
	return ids.NewGenerator(&ids.GeneratorOptions{Random: r})
}

// errSource is the error of a broken source.
var errSource = errors.New("the random source is broken")

// broken gives some bytes, then no more.
type broken struct{ left int }

func (b *broken) Read(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	if n < len(p) {
		return n, errSource
	}
	return n, nil
}

// failing gives a library a source that breaks, after each number of bytes up to 100, and sees
// what becomes of the calls. Some read ahead, so the first calls after that may be in order.
func failing(kind string, start func(io.Reader) mintFunc) probe {
	return probe{kind, func(*testing.T, int) Outcome {
		const sources, calls = 100, 10_000
		count := map[string]int{}
		for i := range sources {
			mint, what := start(&broken{left: i}), issues
			for n := 0; n < calls && what == issues; n++ {
				what = attempt(mint)
			}
			count[what]++
		}
		for what, n := range count {
			if n == sources {
				return Outcome{Kind: kind, Verdict: what}
			}
		}
		return Outcome{Kind: kind, Verdict: fmt.Sprintf("of %d sources %d lead to a panic, %d to an error, %d go unnoticed",
			sources, count[panics], count[refuses], count[issues])}
	}}
}

// What a call can do.
const (
	panics  = "panics"
	refuses = "returns an error"
	issues  = "goes on"
)

// attempt says what a call does.
func attempt(mint mintFunc) (what string) {
	defer func() {
		if recover() != nil {
			what = panics
		}
	}()
	if mint() != nil {
		return refuses
	}
	return issues
}
