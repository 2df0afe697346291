package ids_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// again returns a command that runs the tests' own program with other arguments. If an emulator
// runs that, the environment variable IDS_TEST_EMULATOR must name it.
func again(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skip("the program of the tests cannot be started again here: ", err)
	}
	args = append(append(strings.Fields(os.Getenv("IDS_TEST_EMULATOR")), exe), args...)
	try := exec.Command(args[0], append(args[1:], "-test.list=^$")...)
	if err := try.Run(); try.ProcessState == nil {
		t.Skip("the program of the tests cannot be started again here, except by an emulator that IDS_TEST_EMULATOR names: ", err)
	}
	return exec.Command(args[0], args[1:]...)
}
