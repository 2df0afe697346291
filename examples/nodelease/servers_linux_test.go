package main

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids/examples/database/dbserver"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/examples/internal/program"
)

func TestMain(m *testing.M) { program.Main(m, main) }

func TestEtcd(t *testing.T) {
	t.Parallel()
	binary, err := exec.LookPath("etcd")
	if err != nil {
		t.Skip("etcd is not installed (Debian: apt-get install etcd-server): ", err)
	}
	// Sockets in its directory, with the form that etcd 3.4 requires.
	const clients, peers = "unix://clients:1", "unix://peers:1"
	server := exec.Command(binary, "--data-dir", "data", "--listen-client-urls", clients, "--advertise-client-urls", clients,
		"--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", "default="+peers)
	server.Dir = t.TempDir()
	client := "unix://" + server.Dir + "/clients:1"
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must.Do(t, server.Start())
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	first(t, "-etcd", client)
	handBack(t, "-etcd", client)

	// Without a store, a program that is asked to end does so anyway, and reports that the number
	// is held.
	p := program.Start(t, "", "-etcd", client, "-count", "0", "-every", "10ms", "-print")
	if !p.Out.Scan() {
		t.Error("no id")
	}
	must.Do(t, server.Process.Kill())
	began := time.Now()
	_ = p.Signal(syscall.SIGTERM)
	_, says, err := p.End()
	// On a busy machine, Close can return before the release has failed.
	if err == nil || !strings.Contains(says, "could not be released") && !strings.Contains(says, "may be held until its TTL ends") {
		t.Errorf("the program ended with %v:\n%s", err, says)
	}
	t.Logf("without a store it ended %v after SIGTERM", time.Since(began).Round(10*time.Millisecond))
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	url := dbserver.Postgres(t)
	first(t, "-postgres", url)
	handBack(t, "-postgres", url)
}

// first initializes the store, which is possible once.
func first(t *testing.T, store ...string) {
	for _, want := range []string{"", "not the first start"} {
		if _, says, err := program.Start(t, "", append(store, "-count", "1", "-init")...).End(); (err == nil) != (want == "") || !strings.Contains(says, want) {
			t.Errorf("with -init: %v\n%s", err, says)
		}
	}
}

// handBack runs the program on one number again and again, and ends it by a signal or by an invalid
// address for metrics. The number is free for the next run immediately, long before its TTL has
// passed.
func handBack(t *testing.T, store ...string) {
	for range 3 {
		p := program.Start(t, "", append(store, "-numbers", "1", "-ttl", "10m", "-count", "0", "-every", "1h", "-print")...)
		if !p.Out.Scan() {
			t.Error("no id")
		}
		_ = p.Signal(syscall.SIGTERM)
		if _, says, err := p.End(); err != nil {
			t.Fatalf("the program ended with %v:\n%s", err, says)
		}
		if _, says, err := program.Start(t, "", append(store, "-ttl", "10m", "-metrics", "127.0.0.1:-1")...).End(); err == nil || !strings.Contains(says, "invalid port") {
			t.Errorf("with a bad address for metrics: %v\n%s", err, says)
		}
	}
}
