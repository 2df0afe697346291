//go:build go1.26

package ids_test

// Names in FIPS 140 mode.

import (
	"crypto/fips140"
	"crypto/sha1"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// TestFIPS hashes names in a process whose GODEBUG forbids MD5 and SHA-1. The hashes are allowed
// anyway, because they make names here and protect nothing.
func TestFIPS(t *testing.T) {
	cmd := again(t, "-test.run=^(TestFIPSChild|TestNamed|TestRFCVectors|TestAllocs|ExampleNewV3|ExampleNewV5)$", "-test.v")
	cmd.Env = append(os.Environ(), "GODEBUG=fips140=only")
	out, err := cmd.CombinedOutput()
	if why := regexp.MustCompile("FIPS 140-3 mode is .*").Find(out); why != nil {
		t.Skipf("Go says: %s", why) // for example, incompatible with ASAN
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"TestFIPSChild", "TestNamed", "ExampleNewV5"} {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("%s has not passed:\n%s", name, out)
		}
	}
}

// TestFIPSChild checks that the process of TestFIPS forbids SHA-1, also after a name was hashed.
func TestFIPSChild(t *testing.T) {
	if !fips140.Enforced() {
		t.Skip("it runs in a process that TestFIPS starts")
	}
	for range 2 {
		checkPanic(t, "SHA-1", "not allowed in FIPS 140-only mode", func() { sha1.Sum(nil) })
		ids.NewV3(ids.NilUUID(), "name")
		ids.NewV5(ids.NilUUID(), "name")
	}
}
