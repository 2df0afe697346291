//go:build unix

package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

var twitter = ids.TwitterLayout()

// asProgram is an environment variable that makes the program of the tests be the one that they test.
const asProgram = "RECIPE_RESTART"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		fillOnSignal()
		main()
		return
	}
	m.Run()
}

// fillOnSignal has each write to a file fail from SIGUSR1 on, as on a full disk: with EFBIG, by a limit that nobody needs
// a privilege for.
func fillOnSignal() {
	signal.Ignore(syscall.SIGXFSZ)
	full := make(chan os.Signal, 1)
	signal.Notify(full, syscall.SIGUSR1)
	go func() {
		<-full
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			panic(err)
		}
		limit.Cur = 0
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			panic(err)
		}
	}()
}

// program returns a command that runs the program with one variable in its environment.
func program(variable string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = []string{asProgram + "=1", variable, "GORACE=atexit_sleep_ms=0"}
	return cmd
}

// started starts a program and returns what it prints.
func started(t *testing.T, cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return bufio.NewScanner(out)
}

// TestStarts checks which starts are refused, and that they say why.
func TestStarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ids.clock")
	const node = "IDS_SNOWFLAKE_NODE=7"
	for _, test := range []struct{ variable, flag, says string }{
		{node, "", "if this is the first start"},
		{"IDS_OTHER=", "-first-start", "IDS_SNOWFLAKE_NODE is not set"},
		{"IDS_SNOWFLAKE_NODE=1024", "-first-start", "not a number from 0 to 1023"},
		{node, "", "if this is the first start"},
		{node, "-first-start", ""},
		{node, "-first-start", "this is not the first start"},
		{"IDS_OTHER=", "", "IDS_SNOWFLAKE_NODE is not set"},
		{"IDS_SNOWFLAKE_NODE=orders-7", "", "not a number from 0 to 1023"},
		{node, "-first-start", "this is not the first start"},
	} {
		args := strings.Fields("-file " + path + " " + test.flag)
		out, err := program(test.variable, args...).CombinedOutput()
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		if (err != nil) != (test.says != "") || !strings.Contains(string(out), test.says) {
			t.Errorf("%s %s: %v, says %q; want %q", test.variable, test.flag, err, out, test.says)
		}
	}
}

// TestRestarts ends the program by SIGTERM and by SIGKILL, starts it again each time, and checks that each id is above
// all before. A program that was asked to end leaves the time of its end in the file, and not one 10 s ahead.
func TestRestarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ids.clock")
	if err := clockfile.Create(path, ""); err != nil {
		t.Fatal(err)
	}
	var last ids.Snowflake
	for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL, syscall.SIGTERM} {
		cmd := program("IDS_SNOWFLAKE_NODE=7", "-file", path)
		cmd.Stderr = os.Stderr
		lines := started(t, cmd)
		for n := 0; lines.Scan(); n++ {
			id, err := ids.ParseSnowflake(lines.Text())
			if node := twitter.Split(id).Node; err != nil || id <= last || node != 7 {
				t.Errorf("after %v came %q of node %d (%v)", last, lines.Text(), node, err)
			}
			last = id
			if n == 10 {
				cmd.Process.Signal(end)
			}
		}
		if err := cmd.Wait(); (err == nil) != (end == syscall.SIGTERM) {
			t.Errorf("after signal %v: %v", end, err)
		}
		if end == syscall.SIGTERM {
			if got := saved(t, path); got.Before(twitter.Split(last).Time) || got.After(twitter.Split(last).Time.Add(5*time.Second)) {
				t.Errorf("the file holds %v, the last id was of %v", got, twitter.Split(last).Time)
			}
		}
	}
}

// TestFullDisk fills the disk under the program: it says so. SIGTERM ends it soon, also once ids are withheld, with the
// error of the last save. When there is room again the next one goes on after its ids. With -short, ids are not
// withheld yet.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ids.clock")
	if err := clockfile.Create(path, ""); err != nil {
		t.Fatal(err)
	}
	cmd := program("IDS_SNOWFLAKE_NODE=7", "-file", path)
	logged, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := started(t, cmd)
	defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop() // of a program that does not end
	printed, ended := make(chan struct{}), make(chan struct{})
	var last ids.Snowflake
	go func() {
		defer close(ended)
		for out.Scan() {
			id, err := ids.ParseSnowflake(out.Text())
			if err != nil || id <= last {
				t.Errorf("after %v came %q (%v)", last, out.Text(), err)
			}
			if last == 0 {
				close(printed)
			}
			last = id
		}
	}()
	<-printed
	cmd.Process.Signal(syscall.SIGUSR1)
	lines := bufio.NewScanner(logged)
	if !lines.Scan() || !strings.Contains(lines.Text(), "clockfile: "+path) || !strings.Contains(lines.Text(), "; ids may go up to 20") {
		t.Errorf("on a full disk it says %q", lines.Text())
	}
	if !testing.Short() {
		time.Sleep(6 * time.Second) // 5 s are left of the horizon when the first save fails
	}
	cmd.Process.Signal(syscall.SIGTERM)
	asked := time.Now()
	var says []string
	for lines.Scan() {
		says = append(says, lines.Text())
	}
	<-ended
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	if took := time.Since(asked); took > 4*time.Second { // some ms, but for other programs
		t.Errorf("it ends %v after SIGTERM", took)
	}
	if all := strings.Join(says, "\n"); !strings.HasPrefix(all, "ends: ") || !strings.Contains(all, "clockfile: "+path) {
		t.Errorf("it ends with %q", all)
	}
	t.Logf("it says %q", says)
	if !testing.Short() {
		if got := time.Since(twitter.Split(last).Time); got < time.Second/2 {
			t.Errorf("the last id is %v old: they were not withheld", got)
		}
	}
	cmd = program("IDS_SNOWFLAKE_NODE=7", "-file", path)
	first := started(t, cmd)
	first.Scan()
	if id, err := ids.ParseSnowflake(first.Text()); err != nil || id <= last {
		t.Errorf("after %v the next one prints %q (%v)", last, first.Text(), err)
	}
	cmd.Process.Kill()
	cmd.Wait()
}

// TestLostLock removes the lock under the program, as somebody who cleans up might: it ends with the reason, and can be
// started again.
func TestLostLock(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the next save, which notices, comes after 5 s")
	}
	path := filepath.Join(t.TempDir(), "ids.clock")
	if err := clockfile.Create(path, ""); err != nil {
		t.Fatal(err)
	}
	cmd := program("IDS_SNOWFLAKE_NODE=7", "-file", path)
	var says strings.Builder
	cmd.Stderr = &says
	lines := started(t, cmd)
	defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop() // of a program that does not end
	if !lines.Scan() || os.Remove(path+".lock") != nil {
		t.Errorf("no id, or no lock: %v", lines.Err())
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(says.String(), "was lost while it was open") {
		t.Errorf("it ends with %v, and says %q", err, says.String())
	}
	saved(t, path)
}

// saved returns the time in the file.
func saved(t *testing.T, path string) time.Time {
	f, err := clockfile.Open(path, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: func() time.Time { return time.Unix(0, 0) }}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.Clock().Latest()
}
