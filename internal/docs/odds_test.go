package docs

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
)

// inWords writes a number of years with two digits that count.
func inWords(years *big.Rat) string {
	v, _ := years.Float64()
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	v = math.Round(v/unit) * unit
	name := ""
	for _, word := range []string{" thousand", " million", " billion"} {
		if v >= 1000 {
			v, name = v/1000, word
		}
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) + name + " years"
}

// yearsUntilEqual returns after how long processes that mint at a rate, in ids a second, can expect to have made one id twice: each two ids
// of different processes that have one tick are equal in all their bits with probability 2^-bits.
func yearsUntilEqual(processes, rate, ticks int64, bits uint) *big.Rat {
	const year = 365*24*3600 + 6*3600
	pairs := big.NewRat(processes*(processes-1)/2, 1)
	pairs.Mul(pairs, big.NewRat(rate*rate, ticks)) // in a second
	pairs.Mul(pairs, big.NewRat(year, 1))
	space := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), bits))
	return space.Quo(space, pairs)
}

// TestOdds computes what docs/questions.md says of ids that different processes make.
func TestOdds(t *testing.T) {
	page := read(t, Root(t), "docs", "questions.md")
	const v7Ticks, v7Bits, ulidTicks, ulidBits = 4_096_000, 61, 1000, 79 // ticks in a second; bits of the first id of a tick
	var want []string
	for _, c := range []struct {
		processes, rate int64
		name            string
	}{{100, 1000, "100 processes, 1,000 ids a second each"}, {1000, 10_000, "1,000 processes, 10,000 ids a second each"}} {
		v7, ulid := yearsUntilEqual(c.processes, c.rate, v7Ticks, v7Bits), yearsUntilEqual(c.processes, c.rate, ulidTicks, ulidBits)
		want = append(want, fmt.Sprintf("| %s | once in %s | once in %s |\n", c.name, inWords(v7), inWords(ulid)))
	}

	trillion := big.NewInt(1_000_000_000_000)
	pairs := new(big.Int).Mul(trillion, trillion)
	pairs.Rsh(pairs, 1)
	odds := new(big.Rat).SetFrac(pairs, new(big.Int).Lsh(big.NewInt(1), 122)) // of version 4
	v, _ := odds.Float64()
	want = append(want, fmt.Sprintf("10¹² version 4 UUIDs, two are equal with a probability of %.0f × 10⁻¹⁴", v*1e14))

	differ, processes := big.NewRat(1, 1), int64(0) // of random node numbers from 0 to 1023
	for differ.Cmp(big.NewRat(1, 2)) > 0 {
		differ.Mul(differ, big.NewRat(1024-processes, 1024))
		processes++
	}
	want = append(want, fmt.Sprintf("of %d processes that take a random Snowflake number", processes))
	for _, text := range want {
		if !strings.Contains(page, text) {
			t.Errorf("docs/questions.md lacks %q", text)
		}
	}
}
