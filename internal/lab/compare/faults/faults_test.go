package faults

import (
	"context"
	"os"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Child()
	os.Exit(m.Run())
}

// few is how many ids the tests mint. A process that must end has a minute, since a busy machine may
// stop it for seconds; one that is known to hang need not be waited for so long.
const (
	few      = 4000
	patience = time.Minute
	hanging  = 3 * time.Second
)

// measured returns what came of a fault in a library, by kind.
func measured(t *testing.T, name, module string, patience time.Duration) map[string]Outcome {
	t.Helper()
	f, l := find(name, module)
	if f == nil || l == nil {
		t.Fatalf("there is no fault %q or no library %q", name, module)
	}
	got, err := outcomes(t.Context(), f, l, Options{IDs: few, Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	byKind := map[string]Outcome{}
	for _, o := range got {
		byKind[o.Kind] = o
	}
	return byKind
}

// TestPromises checks what this library promises under each fault.
func TestPromises(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"back1ms", "back1h", "still", "burst", "restart", "saved", "bubble"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for kind, o := range measured(t, name, "oneclock/ids", patience) {
				if o.IDs < few-few%lives {
					t.Errorf("%s: only %d ids", kind, o.IDs)
				}
				if o.Duplicates > 0 && name != "restart" || o.Hangs || name != "burst" && o.Wait > 20*time.Millisecond {
					t.Errorf("%s: %v", kind, o)
				}
				follows := 0
				if name == "back1h" && kind != "V1" && kind != "Snowflake" {
					follows = 1
				}
				if o.Disorder != follows {
					t.Errorf("%s: out of order %d times, want %d", kind, o.Disorder, follows)
				}
			}
		})
	}
}

// TestInjected checks, by what is known of the other libraries, that each fault reaches them.
func TestInjected(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and is about other libraries")
	}
	t.Parallel()
	for _, c := range []struct {
		fault, module, kind string
		holds               func(Outcome) bool
	}{
		{"back1ms", "oklog/ulid/v2", "ULID", func(o Outcome) bool { return o.Disorder > 0 }},
		{"back1h", "google/uuid", "V7", func(o Outcome) bool { return o.Astray > 59*time.Minute && o.Disorder == 0 }},
		{"back1h", "sony/sonyflake/v2", "Snowflake", func(o Outcome) bool { return o.Wait > 59*time.Minute && o.IDs >= 2*few }},
		{"still", "gofrs/uuid/v5", "V6", func(o Outcome) bool { return o.Disorder > few/4 }},
		{"still", "bwmarrin/snowflake", "Snowflake", func(o Outcome) bool { return !o.Hangs && o.Duplicates == 0 }}, // with no tick filled
		{"burst", "sony/sonyflake/v2", "Snowflake", func(o Outcome) bool { return o.Wait > time.Millisecond }},
		{"restart", "oneclock/ids", "Snowflake", func(o Outcome) bool { return o.Duplicates >= few/2 }},
		{"restart", "bwmarrin/snowflake", "Snowflake", func(o Outcome) bool { return o.Duplicates >= few/2 }},
		{"saved", "google/uuid", "V1", func(o Outcome) bool { return o.Duplicates == 0 }},
		{"bubble", "sony/sonyflake/v2", "Snowflake", func(o Outcome) bool { return o.Hangs }},
	} {
		t.Run(c.fault+"/"+c.module, func(t *testing.T) {
			t.Parallel()
			wait := patience
			if c.fault == "bubble" {
				wait = hanging
			}
			if o := measured(t, c.fault, c.module, wait)[c.kind]; !c.holds(o) {
				t.Errorf("%s: %v, %+v", c.kind, o, o)
			}
		})
	}
}

// TestRecorder checks what is counted.
func TestRecorder(t *testing.T) {
	at := time.Unix(1000, 0)
	seconds := func(v id) time.Time { return time.Unix(900+int64(v[0]), 0) }
	r := &recorder{seen: map[id]struct{}{}, kind: kind{sorts: true, tick: time.Second, time: seconds}}
	for _, v := range []byte{100, 101, 101, 90, 102} {
		r.watch(id{v}, time.Duration(v), at, at.Add(time.Second))
	}
	if want := (Outcome{IDs: 5, Duplicates: 1, Disorder: 2, Wait: 102, Astray: 9 * time.Second}); r.Outcome != want {
		t.Errorf("got %+v, want %+v", r.Outcome, want)
	}
	r.watch(id{105}, 0, at, at.Add(time.Second))
	if r.Astray != 9*time.Second {
		t.Errorf("an id 4 s ahead: %v", r.Astray)
	}
	r.watch(id{111}, 0, at, at.Add(time.Second))
	if r.Astray != 10*time.Second {
		t.Errorf("an id 10 s ahead: %v", r.Astray)
	}
}

func TestCell(t *testing.T) {
	f := &fault{without: noState}
	for _, c := range []struct {
		outcomes []Outcome
		want     string
	}{
		{nil, noState},
		{[]Outcome{{Kind: "A", IDs: 9}, {Kind: "B", IDs: 9, Disorder: 1}, {Kind: "C", IDs: 8}}, "A, C: unique<br>B: unique, out of order once"},
		{[]Outcome{{Kind: "A", IDs: 1234, Duplicates: 1000, Wait: time.Millisecond, Astray: time.Hour - 1}},
			"A: **1,000 of 1,234 are duplicates**, a call takes 1 ms, time wrong by 1 h"},
		{[]Outcome{{Kind: "A", Hangs: true}}, "A: **hangs**"},
		{[]Outcome{{Kind: "A", IDs: 1, Disorder: 2000, Astray: 1<<63 - 1}}, "A: unique, out of order 2,000 times, time wrong by centuries"},
	} {
		if got := cell(f, c.outcomes); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestRunEnds checks that a process that never returns is ended, and that one that fails is an
// error.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	f, l := find("still", "bwmarrin/snowflake")
	if o, err := run(t.Context(), f, l, 0, 5000, hanging); err != nil || !o.Hangs {
		t.Errorf("%v, %v, want that it hangs", o, err)
	}
	if o, err := run(t.Context(), &fault{name: "none", probes: f.probes}, l, 0, 1, patience); err == nil {
		t.Errorf("an unknown fault: %v and no error", o)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if o, err := run(ctx, f, l, 0, 1, patience); err == nil {
		t.Errorf("a canceled context: %v and no error", o)
	}
}
