package tiny

import (
	"sync"
	"testing"
)

func TestClamp(t *testing.T) {
	if Clamp(10) != 9 || Clamp(5) != 5 || Clamp(-1) != 0 {
		t.Error("Clamp is wrong")
	}
}

func TestRest(t *testing.T) {
	if len(Fill()) != 4 || Loop(4) != 6 {
		t.Error("Fill or Loop is wrong")
	}
}

func TestShare(t *testing.T) {
	var s Share
	var done sync.WaitGroup
	for range 10 {
		done.Go(func() { s.Add(2) })
	}
	done.Wait()
	if s.even != 20 || s.odd != 0 {
		t.Errorf("the shares are %d and %d", s.even, s.odd)
	}
}
