package ids_test

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// TestTextForms writes and reads numbers in each text form, beside the oracle.
func TestTextForms(t *testing.T) {
	for _, f := range textForms {
		t.Run(f.name, func(t *testing.T) {
			for _, n := range samples(f.bits, 2000) {
				text := f.format(n)
				if want := f.spell(n); text != want {
					t.Fatalf("%x is written %q, want %q", n, text, want)
				}
				f.judge(t, text)
			}
		})
	}
}

// TestSpellings reads each text form in each case.
func TestSpellings(t *testing.T) {
	for _, f := range textForms {
		t.Run(f.name, func(t *testing.T) {
			for _, s := range spellings(&f) {
				f.judge(t, s)
			}
		})
	}
}

// spellings returns accepted texts of f in each case, and some in which only the case is wrong.
func spellings(f *textForm) (texts []string) {
	last := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), f.bits), big.NewInt(1))
	ns := samples(f.bits, 1)
	for _, n := range []*big.Int{new(big.Int), last, ns[len(ns)-1]} {
		s := f.spell(n)
		texts = append(texts, s, strings.ToUpper(s), strings.ToLower(s), strings.ToUpper(s[:len(s)/2])+strings.ToLower(s[len(s)/2:]))
	}
	if f.name == "UUID" {
		for _, s := range slices.Clone(texts) {
			texts = append(texts, "urn:uuid:"+s, "URN:UUID:"+s, "Urn:uUid:"+s, "{"+s+"}", strings.ReplaceAll(s, "-", ""))
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// TestMutations puts each byte at each position of texts in each form, leaves each byte out,
// and doubles each.
func TestMutations(t *testing.T) {
	for _, f := range textForms {
		t.Run(f.name, func(t *testing.T) {
			for _, s := range spellings(&f) {
				for i := range len(s) {
					text := []byte(s)
					for b := range 256 {
						text[i] = byte(b)
						f.judge(t, string(text))
					}
					f.judge(t, s[:i])
					f.judge(t, s[:i]+s[i+1:])
					f.judge(t, s[:i+1]+s[i:])
				}
			}
		})
	}
}

// TestOverflow reads the numbers just above the largest, and the largest that the digits can write.
func TestOverflow(t *testing.T) {
	for _, f := range textForms {
		if f.name == "UUID" {
			continue // its digits are bits
		}
		end := new(big.Int).Lsh(big.NewInt(1), f.bits)
		last := f.spell(new(big.Int).Sub(end, big.NewInt(1)))
		highest := map[string]string{"Snowflake": "9"}[f.name]
		if highest == "" {
			highest = map[bool]string{true: "z", false: "Z"}[strings.HasSuffix(f.name, "Base58")]
		}
		for _, s := range []string{f.spell(end), f.spell(new(big.Int).Add(end, big.NewInt(1))), strings.Repeat(highest, len(last))} {
			if got := f.oracle(s); got.err != ids.ErrRange {
				t.Fatalf("%s: the oracle has no ErrRange for %q", f.name, s)
			}
			f.judge(t, s)
		}
		if f.bits == 63 {
			// All that 64 bits can hold besides, for which the decoders have an overflow of
			// their own.
			f.judge(t, f.spell(new(big.Int).Sub(new(big.Int).Lsh(end, 1), big.NewInt(1))))
			f.judge(t, f.spell(new(big.Int).Lsh(end, 1)))
		}
	}
}

// TestNegativeBases shows that the bases, which have no sign, write a negative Snowflake as its
// 64 bits and do not read it.
func TestNegativeBases(t *testing.T) {
	if got := ids.Snowflake(-1).Base32(); got != "FZZZZZZZZZZZZ" {
		t.Errorf("Snowflake(-1).Base32() = %q", got)
	}
	if got := ids.Snowflake(-1).Base58(); got != "jpXCZedGfVQ" {
		t.Errorf("Snowflake(-1).Base58() = %q", got)
	}
	if got := ids.Snowflake(-1).String(); got != "-1" {
		t.Errorf("Snowflake(-1).String() = %q", got)
	}
}

// TestExcludedLetters reads each letter that an alphabet leaves out.
func TestExcludedLetters(t *testing.T) {
	for _, f := range textForms {
		var out string
		switch {
		case strings.HasSuffix(f.name, "Base58"):
			out = "0OIl"
		case f.name == "ULID", strings.HasSuffix(f.name, "Base32"):
			out = "IiLlOoUu"
		}
		zero := f.spell(new(big.Int))
		for _, c := range out {
			s := zero[:len(zero)-1] + string(c)
			_, err := f.parse(s)
			checkRefusal(t, f.name, s, err, f.scheme, verdict{nil, ids.ErrSyntax, len(s) - 1})
		}
	}
}

// TestOrder sorts ids and each of their fixed-width texts: all must come in one order.
func TestOrder(t *testing.T) {
	for _, f := range textForms {
		if f.name == "Snowflake" {
			continue // decimal has no fixed width
		}
		ns := samples(f.bits, 2000)
		slices.SortFunc(ns, (*big.Int).Cmp)
		for i, n := range ns[1:] {
			if got, want := cmp.Compare(f.format(ns[i]), f.format(n)), ns[i].Cmp(n); got != want {
				t.Fatalf("%s of %x and of %x compare as %d, want %d", f.name, ns[i], n, got, want)
			}
		}
	}
}

// TestCompare compares ids beside their numbers.
func TestCompare(t *testing.T) {
	sign := func(bits uint, compare func(a, b *big.Int) int) {
		t.Helper()
		ns := samples(bits, 20)
		for _, a := range ns[len(ns)-60:] {
			for _, b := range ns {
				if got, want := compare(a, b), a.Cmp(b); got != want {
					t.Fatalf("%x and %x compare as %d, want %d", a, b, got, want)
				}
			}
		}
	}
	sign(128, func(a, b *big.Int) int { return toID[ids.UUID](a).Compare(toID[ids.UUID](b)) })
	sign(128, func(a, b *big.Int) int { return toID[ids.ULID](a).Compare(toID[ids.ULID](b)) })
	sign(63, func(a, b *big.Int) int { return toID[ids.Snowflake](a).Compare(toID[ids.Snowflake](b)) })
	if ids.Snowflake(-1).Compare(0) != -1 || ids.Snowflake(0).Compare(-1) != 1 {
		t.Error("a negative Snowflake does not sort before zero")
	}
}
