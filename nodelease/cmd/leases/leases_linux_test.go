package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/pgstore"
)

// expect runs the command, and checks its exit status and its output. The output must contain each
// string in texts, and no password. Only errors may be written to standard error. If a busy server
// does not answer in time, expect runs the command again, for at most a minute.
func expect(t *testing.T, status int, args string, texts ...string) {
	t.Helper()
	var out, errs strings.Builder
	got := run(t.Context(), strings.Fields(args), &out, &errs)
	for limit := time.Now().Add(time.Minute); got != status && strings.Contains(out.String()+errs.String(), "deadline exceeded") && time.Now().Before(limit); {
		out.Reset()
		errs.Reset()
		got = run(t.Context(), strings.Fields(args), &out, &errs)
	}
	if bad := status == failed || status == misused; bad != (errs.Len() > 0) || status == misused && out.Len() > 0 {
		t.Errorf("leases %s: writes %q to standard output, %q to standard error", args, &out, &errs)
	}
	out.WriteString(errs.String())
	if got != status {
		t.Errorf("leases %s: status %d, want %d:\n%s", args, got, status, &out)
	}
	for _, text := range texts {
		if !strings.Contains(out.String(), text) {
			t.Errorf("leases %s: got\n%swant %q", args, &out, text)
		}
	}
	if strings.Contains(out.String(), "s3cret") {
		t.Errorf("leases %s writes the password:\n%s", args, &out)
	}
}

// says runs the check command, whose output must equal want.
func says(t *testing.T, args, want string) {
	t.Helper()
	var out, errs strings.Builder
	if got := run(t.Context(), strings.Fields("check "+args), &out, &errs); got != found || out.String() != want || errs.Len() > 0 {
		t.Errorf("leases check %s: status %d, got\n%s%swant\n%s", args, got, &out, &errs, want)
	}
}

func TestArguments(t *testing.T) {
	for _, name := range []string{"PGHOST", "PGSERVICE", "PGDATABASE", "MYSQL_HOST", "ETCDCTL_ENDPOINTS"} {
		t.Setenv(name, "")
	}
	expect(t, 0, "-h", "leases init", "Exit status: 0")
	expect(t, 0, "list -h", "leases init")
	for _, args := range []string{"version", "-version", "--version", "-v"} {
		expect(t, 0, args, "leases ", ", go1.")
	}
	expect(t, misused, "", "missing command; use init, list or check\nTry: leases -h\n")
	expect(t, misused, "lst", `unknown command "lst"`)
	expect(t, misused, "list", "no store is named; give a URL, or set PGHOST, MYSQL_HOST or ETCDCTL_ENDPOINTS")
	expect(t, misused, "list redis://u:s3cret@h/d", "must begin with postgres://")
	expect(t, misused, "postgres://u:s3cret@h/d", `unknown command "postgres://u:...h/d"`)
	expect(t, misused, "init -layout postgres://u:s3cret@s3cret@h/d?password=s3cret", `invalid value "postgres://u:...h/d?password=..."`)
	expect(t, misused, "list -numbers 0 http://h", "-numbers 0")
	expect(t, misused, "list -timeout 0s http://h", "-timeout 0s is not positive")
	expect(t, misused, "list -no http://h", "not defined: -no")
	expect(t, misused, "list http://h http://h", "more than one URL")
	expect(t, misused, "init -numbers 1025 http://h", "leases: Options.Numbers 1025 does not fit the layout, which has 1024")
	expect(t, misused, "check -layout sonyflake -numbers 65537 http://h", "Options.Numbers 65537 does not fit the layout")
	expect(t, misused, "init -layout 2021-01-01T00:00:00Z,10ms,4,14 -numbers 17 http://h", "does not fit the layout, which has 16")
	expect(t, misused, "init -layout 2021-01-01,1ms,20,12 http://h", "leases: Options.Layout: the time of its IDs ended on 2021-01-25T20:31:23Z")
	for layout, want := range map[string]string{
		"twiter": "must be twitter, discord, instagram, sonyflake or EPOCH,TICK,NODEBITS,SEQUENCEBITS, such as", "1,2,3,4,5": "or EPOCH",
		"2021,1ms,4,14": "cannot parse", "2021-01-01T00:00:00Z,1,4,14": "missing unit", "2021-01-01T00:00:00Z,1s,x,14": `parsing "x"`,
		"2021-01-01T00:00:00Z,1s,4,x": `parsing "x"`, "2021-01-01T00:00:00Z,1s,40,40": "leaves no bit", "2021-01-01T00:00:00Z,-1s,4,4": "not positive",
		"0001-01-01,0s,0,0": "the tick is 0",
	} {
		expect(t, misused, "check -layout "+layout+" http://h", fmt.Sprintf("invalid value %q for flag -layout: ", layout), want)
	}
	expect(t, misused, "check -prefix /x postgres://h/d", "-prefix is for another kind of store")
	for _, command := range []string{"init", "list", "check"} {
		expect(t, misused, command+" -prefix x http://h", `leases: Options.Prefix "x" does not begin with a slash`)
		for _, url := range []string{" postgres://h/d", " mysql://h/d"} {
			expect(t, misused, command+" -table a.b.c"+url, `leases: Options.Table "a.b.c" has more than a`)
			expect(t, misused, command+" -table x."+url, "leases: Options.Table ")
		}
	}
	expect(t, misused, "check -prefix /x", "give a URL")
	expect(t, misused, "check -table x http://h", "-table is for another kind of store")
	expect(t, misused, "list -numbers 5 http://h", "takes no -numbers")
	expect(t, misused, "list -layout twitter http://h", "takes no -layout")
	expect(t, failed, "list http://u:s3cret@h:1", "set ETCDCTL_USER")
	expect(t, failed, "list http://127.0.0.1:1", "leases: the member http://127.0.0.1:1 does not answer: ", "connection refused")
	expect(t, failed, "list -table= postgres://u:s3cret@127.0.0.1:1/d", "leases: read the table node_lease: failed to connect")
	expect(t, failed, "list postgres://u:s3cret@127.0.0.1:x/d", "leases: the URL cannot be parsed: invalid port")
	for url, want := range map[string]string{
		"mysql://u:s3cret@127.0.0.1:1/d": "leases: read the table node_lease: dial tcp 127.0.0.1:1: connect: connection refused",
		"mysql://u:s3cret":               "leases: the URL does not have the form mysql://USER@HOST:PORT/DATABASE",
		"mysql://u:s3cret@h:x%/d":        "leases: the URL does not have the form mysql://USER@HOST:PORT/DATABASE",
		"mysql://u:s3cret@h/d?tls=some":  "leases: parse the URL or the environment variables: invalid value / unknown config name: some",
	} {
		expect(t, failed, "list "+url, want)
	}
	var found strings.Builder // a server that does not answer hides nothing
	if run(t.Context(), []string{"check", "mysql://u@127.0.0.1:1/d"}, &found, io.Discard) != failed || found.Len() > 0 {
		t.Errorf("leases check finds without a server\n%s", &found)
	}
	for name, value := range map[string]string{"HOST": "127.0.0.1", "TCP_PORT": "1", "PWD": "s3cret", "USER": "u", "DATABASE": "d"} {
		t.Setenv("MYSQL_"+name, value)
	}
	expect(t, failed, "list", "dial tcp 127.0.0.1:1: connect: connection refused")
	t.Setenv("MYSQL_SSL_CA", "/missing.pem")
	expect(t, failed, "list", "open /missing.pem: no such file or directory")
	t.Setenv("PGHOST", "127.0.0.1")
	expect(t, misused, "list", "the environment variables name more than one of PostgreSQL, MySQL and etcd; give a URL")
	t.Setenv("MYSQL_HOST", "")
	t.Setenv("PGPORT", "1")
	t.Setenv("PGPASSWORD", "s3cret")
	expect(t, failed, "list", "failed to connect")
	t.Setenv("ETCDCTL_ENDPOINTS", "127.0.0.1:1")
	expect(t, misused, "list", "name more than one of PostgreSQL, MySQL and etcd")
}

// TestMasked checks that errors show no password, whatever else they contain.
func TestMasked(t *testing.T) {
	for text, want := range map[string]string{
		"parse postgres://u:p@h/d: no":                    "parse postgres://u:...h/d: no",
		"mysql://u:p@q:/r@h:1/d and http://u:p@h":         "mysql://u:...h:1/d and http://u:...h",
		"postgres://u:p@h/d?password=p&x=y password=p q":  "postgres://u:...h/d?password=...&x=y password=... q",
		`"host=h password=p" of postgres://:p@h`:          `"host=h password=..." of postgres://:...h`,
		"postgres://u@h:5432/d, [::1]:2379, mysql://h:1/": "postgres://u@h:5432/d, [::1]:2379, mysql://h:1/",
	} {
		if got := masked(errors.New(text)); got != want {
			t.Errorf("masked %q: got %q, want %q", text, got, want)
		}
	}
}

// hold makes a Minter lease a number from s. The Minter keeps the number until stop is called.
func hold(t *testing.T, s nodelease.Store, err error) (number int64, stop func()) {
	t.Helper()
	must.Do(t, err)
	m := must.Get(nodelease.NewMinter(s, &nodelease.Options{Window: time.Hour + 40*time.Second}))(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	id := must.Get(m.NextContext(ctx))(t)
	return ids.TwitterLayout().Split(id).Node, func() { _ = m.Close() }
}

// TestMain makes the test binary act as the leases command if RUN_AS_LEASES is set.
func TestMain(m *testing.M) {
	if os.Getenv("RUN_AS_LEASES") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestSilence uses servers that accept connections but do not answer. One of them first sends a
// greeting, and pgx waits up to 15 s when it closes such a connection. The command must end anyway,
// when its timeout expires or on SIGINT.
func TestSilence(t *testing.T) {
	var all sync.WaitGroup
	for url, greeting := range map[string]string{
		"postgres://u@%s/d?sslmode=disable": "R\x00\x00\x00\x08\x00\x00\x00\x00Z\x00\x00\x00\x05I", "mysql://u@%s/d": "", "http://%s": "",
	} {
		for _, command := range []string{"init", "list", "check"} {
			for _, limit := range []string{"500ms", "1h"} {
				all.Go(func() { testSilence(t, url, greeting, command, limit) })
			}
		}
	}
	all.Wait()
}

func testSilence(t *testing.T, url, greeting, command, limit string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Error(err)
		return
	}
	defer l.Close()
	connected := make(chan struct{}, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			_, _ = io.WriteString(c, greeting)
			select {
			case connected <- struct{}{}:
			default:
			}
		}
	}()
	c := exec.CommandContext(t.Context(), os.Args[0], command, "-timeout", limit, fmt.Sprintf(url, l.Addr()))
	c.Env = append(os.Environ(), "RUN_AS_LEASES=1")
	var out strings.Builder
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Error(err)
		return
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	if limit == "1h" {
		select {
		case <-connected: // the program now handles signals
			_ = c.Process.Signal(os.Interrupt)
		case err := <-ended:
			t.Errorf("%s %s: %v without a connection: %s", command, url, err, &out)
			return
		}
	}
	began := time.Now()
	err = <-ended
	const most = 14 * time.Second // pgx alone would wait for 15 s
	if took := time.Since(began); c.ProcessState.ExitCode() != failed || took > most {
		t.Errorf("%s %s with -timeout %s: %v after %v: %s", command, url, limit, err, took, &out)
	}
}

// TestEndLate cancels the context and calls stop just before endLate would end the program.
func TestEndLate(t *testing.T) {
	must.Bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		stop := endLate(ctx, io.Discard)
		cancel()
		time.Sleep(2499 * time.Millisecond)
		stop()
		time.Sleep(time.Hour)
	})
}

// fakeStore returns the given contents and error. It may be slow to answer, and its clock may be
// ahead.
type fakeStore struct {
	store
	c           *contents
	fail        error
	slow, ahead time.Duration
}

func (s fakeStore) read(context.Context) (*contents, error) {
	time.Sleep(s.slow)
	c := *s.c
	if c.now.IsZero() {
		c.now = time.Now().Add(s.ahead)
	}
	return &c, nil
}

func (s fakeStore) settings(context.Context) ([]string, error) {
	time.Sleep(s.slow)
	return []string{"seen"}, s.fail
}

func TestClocks(t *testing.T) {
	must.Bubble(t, func(t *testing.T) {
		for s, want := range map[fakeStore]string{
			{slow: time.Minute}: "", {ahead: time.Second}: "",
			{ahead: 2 * time.Second}:                         "- this machine's clock and the server's clock differ by 2s\n",
			{slow: 3 * time.Second, ahead: -7 * time.Second}: "- this machine's clock and the server's clock differ by 4s\n",
		} {
			s.c = &contents{header: "schema 2: x"}
			var out strings.Builder
			if _, err := check(t.Context(), s, new(options), &out); err != nil || out.String() != "- seen\n"+want {
				t.Errorf("%+v: %s%v, want %q", s, &out, err, want)
			}
		}
	})
}

// TestBorders tests the output of the commands list and check for boundary values, in a time zone
// other than UTC.
func TestBorders(t *testing.T) { must.Bubble(t, testBorders) }

func testBorders(t *testing.T) {
	now := time.Now().In(time.FixedZone("", 3600)) // midnight in UTC
	c := contents{header: "schema 2: x, 7 node bits", now: now}
	for n := range int64(100) {
		one := number{number: n, horizon: now.Add(24 * time.Hour)}
		if n >= 5 {
			one.holder, one.expires = "somebody", now.Add(48*time.Hour)
		}
		c.numbers = append(c.numbers, one)
	}
	few := c
	few.numbers = slices.Clone(c.numbers)
	few.numbers[0].holder = "one more"
	var out strings.Builder
	if _, err := check(t.Context(), fakeStore{c: &few}, &options{numbers: 100}, &out); err != nil || out.String() != "- seen\n- only 4 of 100 numbers are free\n" {
		t.Errorf("check of few: %v, %s", err, &out)
	}
	out.Reset()
	must.Do(t, list(t.Context(), fakeStore{c: &c}, &out))
	if want := "\n5       somebody  48h0m0s     2000-01-02T00:00:00Z  24h0m0s\n"; !strings.Contains(out.String(), want) {
		t.Errorf("list: %s, want %q", &out, want)
	}
	out.Reset()
	if err := list(t.Context(), fakeStore{c: &contents{place: "the table x"}}, &out); err == nil || out.Len() > 0 {
		t.Errorf("list of nothing: %v, and %s", err, &out)
	}
	for by, want := range map[int]string{9000: "is over 292 years ahead", -900: "passed over 292 years ago"} {
		far := contents{header: "schema 2: x", now: now, numbers: []number{{horizon: now.AddDate(by, 0, 0), holder: "x", expires: now.Add(1)}}}
		out.Reset()
		if _, err := check(t.Context(), fakeStore{c: &far}, &options{numbers: 1}, &out); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("check: %v, %s, want %q", err, &out, want)
		}
	}
	for _, test := range []struct {
		numbers int64
		by      time.Duration
		want    string
	}{
		{numbers: 100}, {numbers: 101, want: "- 1 of 101 numbers are missing with their horizons; if there should be fewer, set -numbers\n"},
		{numbers: 99, want: "- the store has numbers up to 99, but -numbers is 99; give all processes the same Options.Numbers\n"},
		{100, 1, "- the horizon of number 0 is 24h0m0s ahead, because a clock was wrong; IDs of that time may exist (99 more like this)\n"},
		{numbers: 129, want: "- -numbers is 129, but the layout has only 128; no ID can have the others\n" +
			"- 29 of 129 numbers are missing with their horizons; if there should be fewer, set -numbers\n"},
	} {
		c.now = now.Add(-test.by)
		var out strings.Builder
		_, err := check(t.Context(), fakeStore{c: &c, fail: io.EOF}, &options{numbers: test.numbers}, &out)
		if err != io.EOF || out.String() != "- seen\n"+test.want {
			t.Errorf("check %+v: %v, %s, want %s", test, err, &out, test.want)
		}
	}
}

// testFirst inspects a store before it is created, then creates a store with 40 numbers, and tries
// to create it again. Before it is created, the output must contain missing.
func testFirst(t *testing.T, place, at, missing string) {
	t.Helper()
	options := place + "-numbers 40 "
	says(t, options+at, "- "+missing+"\n")
	expect(t, failed, "list"+place+at, missing)
	expect(t, 0, "init"+options+at, "created the store with the numbers 0 to 39")
	expect(t, failed, "init"+options+at, "nothing is missing")
	expect(t, failed, "init -layout discord"+place+"-numbers 41 "+at, "this process makes IDs of", "two layouts need two stores")
	expect(t, found, "check -layout discord"+options+at, "two layouts need two stores")
	expect(t, 0, "list"+place+at, "0 held, 40 free (0 of them with a horizon ahead); schema 2: epoch 2010-11-04")
	expect(t, 0, "check -layout twitter"+options+at, "nothing found: 40 numbers, 40 of them free")
}

// finds waits until the output of the check command equals want. If want is empty, finds waits
// until the command finds nothing. Servers may notice each other's changes with a delay.
func finds(t *testing.T, url, want string) {
	t.Helper()
	must.Soon(t, func() error {
		var out, errs strings.Builder
		status := run(t.Context(), []string{"check", url}, &out, &errs)
		if got := out.String(); got != want && (want != "" || status != 0) {
			return fmt.Errorf("status %d, got %s%s, want %s", status, got, &errs, want)
		}
		return nil
	})
}

// A harm is SQL that damages a store, SQL that undoes the damage, and the findings that the check
// command must then report. If want begins with =, the rest of want is the whole output. Otherwise,
// the output must contain all parts of want, which are separated by three dots.
type harm struct{ sql, mend, args, want string }

func testHarms(t *testing.T, do func(sql string), options string, harms []harm) {
	t.Helper()
	for _, h := range harms {
		for sql := range strings.SplitSeq(h.sql, ";") {
			do(sql)
		}
		// The server does not report when it has reloaded its settings.
		time.Sleep(time.Duration(strings.Count(h.sql, "reload")) * 500 * time.Millisecond)
		if all, ok := strings.CutPrefix(h.want, "="); ok {
			says(t, options+h.args, all)
		} else {
			expect(t, found, "check"+options+h.args, strings.Split(h.want, "...")...)
		}
		do(h.mend)
	}
}

func TestPostgres(t *testing.T) {
	_, address := pgtest.Start(t)
	pool := pgtest.Open(t, address)
	const table, options = " -table team.leases ", " -table team.leases -numbers 40 "
	do := func(sql string) { pgtest.Exec(t, pool, sql) }
	do("create schema team")
	at := "postgres://test:s3cret@" + address + "/postgres?sslmode=disable"
	testFirst(t, table, at, "the table team.leases is missing; if the store has not been created yet, run: leases init")
	expect(t, found, "check -layout 2021-01-01,10ms,16,8,nodelast"+options+at, "epoch 2021-01-01T00:00:00Z, tick 10ms, 16 node bits, 8 sequence bits, node last")
	expect(t, 0, "init -layout 2021-01-01,1s,20,13 -table own -numbers 40 "+at, "created the store")
	expect(t, 0, "check -layout 2021-01-01T00:00:00Z,1s,20,13 -table own -numbers 40 "+at, "nothing found")

	s, err := pgstore.New(t.Context(), pgtest.URL(address), &pgstore.Options{Table: "team.leases", Numbers: 40, Holder: "one\x1bof us"})
	number, stop := hold(t, s, err)
	defer stop()
	do(fmt.Sprintf("update team.leases set expires = now(), holder = 'gone' where number = %d", (number+3)%40))
	expect(t, 0, "list"+table+at, "number  holder        expires in  horizon ", fmt.Sprintf("\n%-6d  one\\x1bof us  ", number), " 1h0m", "1 held, 39 free")
	u := must.Get(url.Parse(at))(t)
	for name, value := range map[string]string{"HOST": u.Hostname(), "PORT": u.Port(), "USER": "test", "DATABASE": "postgres", "SSLMODE": "disable"} {
		t.Setenv("PG"+name, value)
	}
	expect(t, 0, "check"+options, "nothing found")

	pooled := pgtest.URL(pgtest.StartPooler(t, address, "transaction"))
	for range 3 { // over the same connection of the pooler
		expect(t, 0, "check"+options+pooled, "nothing found")
	}

	far, retired := (number+1)%40, (number+2)%40
	do(fmt.Sprintf("update team.leases set expires = 'infinity', holder = 'nobody', horizon = now() - interval '1 day' where number = %d", retired))
	expect(t, 0, "list"+table, fmt.Sprintf("\n%-6d  nobody        never ", retired))
	expect(t, 0, "check"+options, "nothing found")
	do(fmt.Sprintf("update team.leases set holder = '' where number = %d", retired))
	expect(t, 0, "list"+table, fmt.Sprintf("\n%-6d  unknown       never ", retired), "2 held, 38 free")
	expect(t, 0, "check"+options, "nothing found: 40 numbers, 38 of them free")
	do("create function nothing() returns trigger language plpgsql as $$ begin return null; end $$")
	const swallows = "an update of the row of the number -1 changed nothing"
	do("create role reader login; grant usage on schema team to reader; grant select on team.leases to reader")
	testHarms(t, do, options, []harm{
		{"", "", strings.Replace(at, "test:", "reader:", 1), "=- permission denied: the user reader may not update in the table\n"},
		{"alter role reader set default_transaction_read_only = on; grant update on team.leases to reader",
			"alter role reader reset default_transaction_read_only", strings.Replace(at, "test:", "reader:", 1),
			"=- transactions are read-only (default_transaction_read_only), so nothing can be written\n"},
		{"revoke select on team.leases from reader", "grant select on team.leases to reader", strings.Replace(at, "test:", "reader:", 1),
			"=- permission denied: the user reader may not select in the table\n"},
		{"alter table team.leases set unlogged", "alter table team.leases set logged", "", "the table is unlogged"},
		{fmt.Sprintf("update team.leases set horizon = now() + interval '2 days 40 seconds' where number = %d", far),
			fmt.Sprintf("update team.leases set horizon = null where number = %d", far),
			"", fmt.Sprintf("the horizon of number %d is 48h0m", far)},
		{fmt.Sprintf("update team.leases set horizon = 'infinity' where number = %d", far),
			fmt.Sprintf("update team.leases set horizon = null where number = %d", far),
			"", fmt.Sprintf("the horizon of number %d is missing or is not a time", far)},
		{"update team.leases set horizon = now() - interval '1 hour', token = token || 'x' where holder like 'one%'", "", "",
			`passed 1h0m... ago although "one\x1bof us" holds it`},
		{"update team.leases set holder = 'schema 3: x' where number = -1", "", "-layout twitter", "another version of package nodelease"},
		{"update team.leases set holder = '' where number = -1", "", "", "the row of the number -1 is missing; if the store has not been created yet, run: leases init"},
		{"delete from team.leases where number = -1", "insert into team.leases (number, holder) values (-1, 'schema 2: x')", "", "the row of the number -1 is missing; if the store has not been created yet, run: leases init"},
		{"create trigger nothing before update on team.leases for each row execute function nothing()", "drop trigger nothing on team.leases", "", swallows},
		{"create rule nothing as on update to team.leases do instead nothing", "drop rule nothing on team.leases", "", swallows},
		{"alter table team.leases enable row level security", "create policy reading on team.leases for select using (true)",
			strings.Replace(at, "test:", "reader:", 1), "row security is on, which hides rows or drops updates"},
		{"", "alter table team.leases disable row level security", strings.Replace(at, "test:", "reader:", 1), swallows},
		{"alter table team.leases alter horizon type timestamptz(0)", "alter table team.leases alter horizon type timestamptz", "",
			"the column horizon is timestamp(0) with time zone, not timestamp with time zone, so horizons change, and IDs repeat"},
		{"alter system set full_page_writes = off; select pg_reload_conf()", "", "", "full_page_writes is off"},
	})
	do("alter table team.leases rename number to node")
	expect(t, failed, "list"+table, `column "number" does not exist`, "another version of package nodelease or another program created the table")
}

// TestStandbys uses two standbys that commits may or may not wait for, and replication clients that
// are not standbys.
func TestStandbys(t *testing.T) {
	_, address := pgtest.Start(t)
	pool := pgtest.Open(t, address)
	_, _ = pgtest.StartStandby(t, address, "s1")
	_, other := pgtest.StartStandby(t, address, "s2")
	at := func(user, hosts string) string {
		return "postgres://" + user + "@" + hosts + "/postgres?sslmode=disable"
	}
	expect(t, 0, "init "+at("test", address), "created the store with the numbers 0 to 1023\n")
	for _, sql := range []string{
		"create role minter login", "grant select, update on node_lease to minter",
		"create publication p", "select pg_create_logical_replication_slot('subscriber', 'pgoutput')", "create database another",
	} {
		pgtest.Exec(t, pool, sql)
	}
	another := pgtest.Open(t, address, "&database=another")
	pgtest.Exec(t, another, "create subscription subscriber connection '"+at("test", address)+"' publication p with (create_slot = false)")
	dir, receive := pgtest.Command(t, "pg_receivewal")
	servers.New(t, dir+"/log", syscall.SIGKILL, func() *exec.Cmd { return receive("pg_receivewal", "-D", dir, "-d", at("test", address)) })
	must.Soon(t, func() error {
		var all, replay int
		err := pool.QueryRow(t.Context(), `select count(*), count(replay_lsn) from pg_stat_replication where state = 'streaming'`).Scan(&all, &replay)
		if all != 4 || replay != 3 {
			err = fmt.Errorf("%d receive, of them %d replay, %w", all, replay, err)
		}
		return err
	})

	const harm = ": a failover to it can take horizons back\n"
	for _, test := range []struct{ names, want string }{
		{"", "- the standby s1 is asynchronous" + harm + "- the standby s2 is asynchronous" + harm},
		{"FIRST 1 (s2, s1)", "- the standby s1 is synchronous only when another fails (FIRST 1 (s2, s1))" + harm},
		{"s1", "- the standby s2 is asynchronous" + harm}, {"FIRST 2 (s1, s2)", ""}, {"ANY 2 (s1, s2)", ""},
		{"ANY 1 (s1, s2)", "- commits wait for 1 of the standbys s1, s2 (ANY 1 (s1, s2)): a failover to any but the most advanced can take horizons back\n"},
		{"any 1(*)", "- commits wait for 1 of the standbys s1, s2 (any 1(*)): a failover to any but the most advanced can take horizons back\n"},
	} {
		pgtest.WaitFor(t, pool, test.names)
		finds(t, at("test", other+","+address), test.want)
	}
	expect(t, found, "check "+at("minter", address), "- the user minter may not see whether the standbys are synchronous: grant pg_monitor to minter\n")
	expect(t, found, "check "+at("test", other), "- this server is a standby: it takes no writes\n")
	pgtest.Exec(t, pool, "grant pg_monitor to minter")
	pgtest.Exec(t, pool, "alter role minter set default_transaction_isolation = serializable")
	expect(t, found, "check "+at("minter", address), "- commits wait for 1 of", "- default_transaction_isolation is serializable, so Takes")
}

func TestEtcd(t *testing.T) {
	member := etcdtest.Start(t)
	client := member.Open(t)
	const prefix, options = " -prefix /some ", " -prefix /some -numbers 40 "
	at := "http://" + member.Address
	testFirst(t, prefix, at, "/some/schema is missing; if the store has not been created yet, run: leases init")

	t.Setenv("ETCDCTL_ENDPOINTS", member.Address)
	// With this TTL, the Minter does not renew its lease during the test. A renewal would restore
	// the horizon that the test deletes.
	s, err := etcdstore.New(t.Context(), client, &etcdstore.Options{Prefix: "/some", Numbers: 40, Holder: "one of us", TTL: 10 * time.Minute})
	number, stop := hold(t, s, err)
	defer stop()
	expect(t, 0, "list"+prefix, fmt.Sprintf("\n%-6d  one of us  ", number), " 1h0m", "1 held, 39 free")
	expect(t, 0, "check"+options, "nothing found")

	put := func(key, value string) {
		t.Helper()
		must.Get(client.Put(t.Context(), key, value))(t)
	}
	far, retired, bad := (number+1)%40, (number+2)%40, fmt.Sprintf("/some/horizon/%05d", (number+3)%40)
	put(fmt.Sprintf("/some/owner/%05d", retired), "nobody")
	expect(t, 0, "list"+prefix, fmt.Sprintf("\n%-6d  nobody     never       none yet ", retired))
	expect(t, 0, "check"+options, "nothing found")
	put(fmt.Sprintf("/some/horizon/%05d", far), time.Now().Add(48*time.Hour+59*time.Second).Format(time.RFC3339))
	put(bad, "yesterday")
	expect(t, failed, "check"+options, "the horizon "+bad+` is not a time: "yesterday"`)
	for _, key := range []string{bad, fmt.Sprintf("/some/horizon/%05d", number)} {
		must.Get(client.Delete(t.Context(), key))(t)
	}
	expect(t, 0, "list"+prefix, "missing")
	expect(t, found, "check"+options, fmt.Sprintf("the horizon of number %d is 48h0m", far), "1 of 40 numbers are missing",
		fmt.Sprintf("the horizon of number %d is missing", number))
	learners := grpc.NewServer()
	defer learners.Stop()
	pb.RegisterMaintenanceServer(learners, learner{})
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	go learners.Serve(listener)
	learns := "http://" + listener.Addr().String()
	expect(t, failed, "list "+learns, "the member "+learns+" is a learner")
	for range 4 {
		expect(t, found, "check"+options+learns+","+at, "the member "+learns+" is a learner", "1 of 40 numbers are missing")
	}
	expect(t, found, "check"+options+at+",http://127.0.0.1:1", "the member http://127.0.0.1:1 does not answer: ", "refused")
	stop()
	alarm := &pb.AlarmRequest{Action: pb.AlarmRequest_ACTIVATE, Alarm: pb.AlarmType_NOSPACE}
	must.Get(pb.NewMaintenanceClient(client.ActiveConnection()).Alarm(t.Context(), alarm))(t)
	expect(t, failed, "check"+options, "alarm:NOSPACE", "1 of 40 numbers are missing", "leases: check the key /some/schema and the user's rights: etcdserver: mvcc: database space exceeded")
	must.Get(client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{}))(t)

	// Test two users. One may only read, and the other has the minimum privileges of a Minter,
	// which docs/nodes.md lists.
	const least = " -prefix /least -numbers 40 "
	expect(t, 0, "init"+least, "created the store")
	member.Users(t, map[string]map[string]clientv3.PermissionType{"minter": etcdtest.Least("/least"), "reader": {"/some/": etcdtest.Read}})
	expect(t, found, "check"+options, "user name is empty")
	t.Setenv("ETCDCTL_USER", "reader:wrong")
	expect(t, failed, "check"+options, "authentication failed")
	t.Setenv("ETCDCTL_PASSWORD", "s3cret")
	expect(t, found, "check"+options, "the user reader needs the rights to read /some/schema, and to read and write all keys below /some/horizon/ and /some/owner/")

	minter := etcdtest.Open(t, member.As("minter"))
	s, err = etcdstore.New(t.Context(), minter, &etcdstore.Options{Prefix: "/least", Numbers: 40, TTL: time.Minute})
	_, stop = hold(t, s, err)
	t.Setenv("ETCDCTL_USER", "minter")
	if version := must.Get(minter.Status(t.Context(), member.Address))(t).Version; strings.HasPrefix(version, "3.4.") {
		expect(t, found, "check"+least, "- the servers refuse the password of a client whose token they have forgotten", ", so use etcd 3.5\n")
	} else {
		expect(t, 0, "check"+least, "nothing found: 40 numbers, 39 of them free")
	}
	stop()
	expect(t, 0, "list -prefix /least", "0 held, 40 free")
}

// learner is an etcd learner. It answers only Status requests.
type learner struct {
	pb.UnimplementedMaintenanceServer
}

func (learner) Status(context.Context, *pb.StatusRequest) (*pb.StatusResponse, error) {
	return &pb.StatusResponse{IsLearner: true}, nil
}
