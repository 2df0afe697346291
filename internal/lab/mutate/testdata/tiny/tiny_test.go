package tiny

import "testing"

func TestClamp(t *testing.T) {
	if Clamp(10) != 9 || Clamp(5) != 5 || Clamp(-1) != 0 {
		t.Error("Clamp is wrong")
	}
}

func TestRest(t *testing.T) {
	if len(Fill()) != 4 || Masked(7) != 3 || Loop(4) != 6 {
		t.Error("Fill, Masked or Loop is wrong")
	}
}
