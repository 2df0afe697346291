package faults

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/oneclock/ids/internal/lab/compare/report"
)

// A text is an id as text, and how to spoil it.
type text struct {
	good  string
	other string // another id
	junk  string // characters that no id has in it
	cut   bool   // a part of it is not an id
	quote bool   // it stands within quotes, as in JSON
}

var (
	uuidText    = text{"017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "ffffffff-ffff-4fff-bfff-ffffffffffff", "ghjkxyzGHXYZ!#$%&*+./;<>?@_ ", true, false}
	ulidText    = text{"01ARZ3NDEKTSV4RRFFQ69G5FAV", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "Uu!#$%&*+-./:;<>?@_ {}", true, false}
	decimalText = text{"1541815603606036480", "9223372036854775807", "abcxyzABCXYZ!#$%&*+-/:;<>?@_ {}", false, false}
	quotedText  = text{decimalText.good, decimalText.other, decimalText.junk, false, true}
)

// spoil returns text that is not an id: with a wrong character, with more at one end or both, or
// with less.
func (t *text) spoil(random *rand.Rand) string {
	junk := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = t.junk[random.IntN(len(t.junk))]
		}
		return string(b)
	}
	spoiled := ""
	switch i := random.IntN(len(t.good)); random.IntN(5) {
	case 0:
		spoiled = t.good[:i] + junk(1) + t.good[i+1:]
	case 1:
		spoiled = junk(1) + t.good + junk(1)
	case 2:
		spoiled = junk(1+random.IntN(9)) + t.good
	case 3:
		spoiled = t.good + junk(1+random.IntN(9))
	case 4:
		if spoiled = t.good[:i]; !t.cut {
			spoiled += junk(1)
		}
	}
	return t.quoted(spoiled)
}

// quoted returns s as the decoder wants it.
func (t *text) quoted(s string) string {
	if t.quote {
		return `"` + s + `"`
	}
	return s
}

// parsing gives n spoiled texts to a parser and counts those that it takes.
func parsing[T any](kind string, t text, parse func(string) (T, error)) probe {
	return probe{kind, func(_ *testing.T, n int) Outcome {
		random, taken := rand.New(rand.NewPCG(1, 2)), 0
		for range n {
			if _, err := parse(t.spoil(random)); err == nil {
				taken++
			}
		}
		return Outcome{Kind: kind, Verdict: acceptance(taken, n)}
	}}
}

// decoding gives n spoiled texts to a decoder whose receiver holds another id, and counts the
// errors that leave it changed.
func decoding[T comparable](kind string, t text, decode func(*T, []byte) error) probe {
	return probe{kind, func(test *testing.T, n int) Outcome {
		var held T
		if err := decode(&held, []byte(t.quoted(t.other))); err != nil {
			test.Fatal(err)
		}
		random, failed, changed := rand.New(rand.NewPCG(1, 2)), 0, 0
		for range n {
			v := held
			if err := decode(&v, []byte(t.spoil(random))); err != nil {
				failed++
				if v != held {
					changed++
				}
			}
		}
		verdict := "keeps its value on an error"
		if changed > 0 {
			verdict = fmt.Sprintf("loses its value in %s of %s errors", report.Thousands(changed), report.Thousands(failed))
		}
		if taken := n - failed; taken > 0 {
			verdict = acceptance(taken, n) + ", otherwise " + verdict
		}
		return Outcome{Kind: kind, Verdict: verdict}
	}}
}

// acceptance says how many texts of n were taken.
func acceptance(taken, n int) string {
	if taken == 0 {
		return "refused"
	}
	return fmt.Sprintf("%s of %s accepted", report.Thousands(taken), report.Thousands(n))
}
