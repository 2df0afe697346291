// Package program lets the tests of a main package start its program. The test binary itself runs
// as that program.
package program

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids/examples/internal/must"
)

// variable is the name of the environment variable that is set in processes that a test has
// started.
const variable = "RUN_AS_PROGRAM"

// Main does the work of TestMain. In a process that a test has started, it calls main, which is the
// program's main function. In any other process, it runs the tests.
func Main(m *testing.M, main func()) {
	if os.Getenv(variable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A Program is a process, with the lines of its output.
type Program struct {
	*os.Process
	Out, Err *bufio.Scanner

	cmd *exec.Cmd
}

// Start starts the program with one variable in its environment. The program is killed after a
// minute or at the end of the test.
func Start(t testing.TB, variableAndValue string, args ...string) *Program {
	t.Helper()
	late, stop := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(stop)
	cmd := exec.CommandContext(late, os.Args[0], args...)
	cmd.Env = []string{variable + "=1", variableAndValue, "GORACE=atexit_sleep_ms=0"}
	out, err := cmd.StdoutPipe()
	must.Do(t, err)
	says, err := cmd.StderrPipe()
	must.Do(t, err)
	must.Do(t, cmd.Start())
	return &Program{cmd.Process, bufio.NewScanner(out), bufio.NewScanner(says), cmd}
}

// End waits until the program ends and returns its unread output.
func (p *Program) End() (out, says string, err error) {
	var both sync.WaitGroup
	both.Go(func() { out = rest(p.Out) })
	says = rest(p.Err)
	both.Wait()
	err = errors.Join(p.Out.Err(), p.Err.Err(), p.cmd.Wait())
	return out, says, err
}

func rest(lines *bufio.Scanner) (text string) {
	for lines.Scan() {
		text += lines.Text() + "\n"
	}
	return text
}
