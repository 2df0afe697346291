package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/pgstore"
)

// expect runs the command, and checks its status and what it writes: each of the texts, and no password.
func expect(t *testing.T, status int, args string, texts ...string) {
	t.Helper()
	var out strings.Builder
	got := run(t.Context(), strings.Fields(args), &out, &out)
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

func TestArguments(t *testing.T) {
	for _, name := range []string{"PGHOST", "PGSERVICE", "PGDATABASE", "ETCDCTL_ENDPOINTS"} {
		t.Setenv(name, "")
	}
	expect(t, 0, "-h", "leases init", "Status: 0")
	expect(t, 0, "list -h", "leases init")
	expect(t, misused, "", "say init, list or check")
	expect(t, misused, "lst", `unknown command "lst"`)
	expect(t, misused, "list", "give a URL, or set PGHOST or ETCDCTL_ENDPOINTS")
	expect(t, misused, "list mysql://u:s3cret@h/d", "begins neither with postgres://")
	expect(t, misused, "list -numbers 0 http://h", "-numbers 0")
	expect(t, misused, "list -no http://h", "not defined: -no")
	expect(t, misused, "list http://h http://h", "more than one URL")
	expect(t, failed, "init -numbers 2000000 http://h:1", "leases: etcd: -numbers 2000000 is not within 1 to 1048576")
	expect(t, failed, "init -prefix x http://h:1", `leases: etcd: -prefix "x" does not begin with a slash`)
	expect(t, misused, "check -layout twiter http://h", `unknown layout "twiter"`)
	expect(t, failed, "list http://u:s3cret@h:1", "set ETCDCTL_USER")
	expect(t, failed, "list -timeout 200ms http://127.0.0.1:1", "leases: read the keys below /nodelease: context deadline exceeded")
	expect(t, failed, "list postgres://u:s3cret@127.0.0.1:1/d", "leases: read the table node_lease: failed to connect")
	expect(t, failed, "list postgres://u:s3cret@127.0.0.1:x/d", "leases: cannot parse")
	t.Setenv("PGHOST", "127.0.0.1")
	t.Setenv("PGPORT", "1")
	t.Setenv("PGPASSWORD", "s3cret")
	expect(t, failed, "list", "failed to connect")
	t.Setenv("ETCDCTL_ENDPOINTS", "127.0.0.1:1")
	expect(t, misused, "list", "name PostgreSQL and etcd")
}

// hold has a Minter hold a number of a store until the returned function is called.
func hold(t *testing.T, s nodelease.Store, err error) (number int64, stop func()) {
	t.Helper()
	must.Do(t, err)
	m := must.Get(nodelease.NewMinter(s, &nodelease.Options{Window: time.Hour + 40*time.Second}))(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	id := must.Get(m.NextContext(ctx))(t)
	return ids.TwitterLayout().Split(id).Node, func() { _ = m.Close() }
}

// fakeStore needs its time to answer, and its clock may be off.
type fakeStore struct {
	store
	slow, ahead time.Duration
}

func (s fakeStore) read(context.Context) (*contents, error) {
	time.Sleep(s.slow)
	return &contents{header: "schema 2: x", now: time.Now().Add(s.ahead)}, nil
}

func (s fakeStore) settings(context.Context) ([]string, error) { time.Sleep(s.slow); return nil, nil }

func TestClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for s, want := range map[fakeStore]string{
			{slow: time.Minute}: "nothing found", {ahead: time.Second}: "nothing found",
			{ahead: 2 * time.Second}: "are 2s apart", {slow: 3 * time.Second, ahead: -7 * time.Second}: "are 4s apart",
		} {
			var out strings.Builder
			if _, err := check(t.Context(), s, new(options), &out); err != nil || !strings.Contains(out.String(), want) {
				t.Errorf("%+v: %s%v, want %q", s, &out, err, want)
			}
		}
	})
}

func TestPostgres(t *testing.T) {
	_, address := pgtest.Start(t)
	pool := pgtest.Open(t, address)
	const options = " -table team.leases -numbers 40 "
	do := func(sql string) { pgtest.Exec(t, pool, sql) }
	do("create schema team")
	at := "postgres://test:s3cret@" + address + "/postgres?sslmode=disable"
	expect(t, failed, "check"+options+at, `relation "team.leases" does not exist`)
	expect(t, 0, "init"+options+at, "made the store of the numbers 0 to 39")
	expect(t, failed, "init"+options+at, "nothing is missing")
	expect(t, failed, "init -layout discord -table team.leases -numbers 41 "+at, "two layouts need two stores")
	expect(t, 0, "list"+options+at, "0 held, 40 free, of the free ones 0 with a horizon that is ahead; schema 2: epoch 2010-11-04")
	expect(t, 0, "check -layout twitter"+options+at, "nothing found: 40 numbers, 40 of them free")

	s, err := pgstore.New(t.Context(), pool, &pgstore.Options{Table: "team.leases", Numbers: 40, Holder: "one\x1bof us"})
	number, stop := hold(t, s, err)
	defer stop()
	expect(t, 0, "list"+options+at, fmt.Sprintf("\n%-6d  one\\x1bof us  ", number), " 1h0m", "1 held, 39 free")
	u := must.Get(url.Parse(at))(t)
	for name, value := range map[string]string{"HOST": u.Hostname(), "PORT": u.Port(), "USER": "test", "DATABASE": "postgres", "SSLMODE": "disable"} {
		t.Setenv("PG"+name, value)
	}
	expect(t, 0, "check"+options, "nothing found")

	far, retired := (number+1)%40, (number+2)%40
	do(fmt.Sprintf("update team.leases set expires = 'infinity', holder = 'nobody', horizon = now() - interval '1 day' where number = %d", retired))
	expect(t, 0, "list"+options, fmt.Sprintf("\n%-6d  nobody        never ", retired))
	expect(t, 0, "check"+options, "nothing found")
	do("create role reader login; grant usage on schema team to reader; grant select on team.leases to reader")
	for _, test := range []struct{ harm, mend, args, want string }{
		{"", "", "-layout discord", "two layouts need two stores"},
		{"", "", "-numbers 39", "there is a number 39, but there are to be 39"},
		{"", "", "-numbers 41", "of 41 numbers 1 are missing"},
		{"", "", "-numbers 900", "only 38 of 900 numbers are free"},
		{"", "", strings.Replace(at, "test:", "reader:", 1), "the user reader has no right to update"},
		{"alter table team.leases set unlogged", "alter table team.leases set logged", "", "the table is unlogged"},
		{fmt.Sprintf("update team.leases set horizon = now() + interval '2 days 40 seconds' where number = %d", far),
			fmt.Sprintf("update team.leases set horizon = null where number = %d", far),
			"", fmt.Sprintf("the horizon of the number %d is 48h0m", far)},
		{"update team.leases set horizon = now() - interval '1 hour', token = token || 'x' where holder like 'one%'", "", "",
			`has passed 1h0m... ago although "one\x1bof us" holds it`},
		{"update team.leases set holder = 'schema 3: x' where number = -1", "", "-layout twitter", "another version of package nodelease"},
		{"update team.leases set holder = 'schema 1: x' where number = -1", "", "", `is of an earlier shape of this package (it says "schema 1: x")`},
		{"delete from team.leases where number = -1", "", "", "the row of the number -1 is missing: if nothing was made yet, leases init"},
		{"alter system set full_page_writes = off; select pg_reload_conf()", "", "", "full_page_writes is off"},
	} {
		for sql := range strings.SplitSeq(test.harm, ";") {
			do(sql)
		}
		time.Sleep(time.Duration(strings.Count(test.harm, "reload")) * 500 * time.Millisecond) // the server tells nobody when it has
		expect(t, found, "check"+options+test.args, strings.Split(test.want, "...")...)
		do(test.mend)
	}
	do("alter table team.leases rename number to node; alter table team.leases rename horizon to mark")
	expect(t, failed, "list"+options, `column "number" does not exist`, "an earlier version of package nodelease made the table")
	expect(t, failed, "init"+options, "table team.leases: it is of an earlier shape of this package (it has a column mark)")
}

func TestEtcd(t *testing.T) {
	cluster := etcdtest.Start(t, servers.NewNetwork(t), 1)
	client := cluster.Open(t)
	defer client.Close()
	const options = " -prefix /some -numbers 40 "
	must.Get(client.Put(t.Context(), "/old/mark/00007", "2026-01-01T00:00:00Z"))(t)
	at := "http://" + strings.Join(cluster.Endpoints(), ",http://")
	expect(t, found, "check"+options+at, "/some/schema is missing", "of 40 numbers 40 are missing")
	expect(t, 0, "init"+options+at, "made the store of the numbers 0 to 39")
	expect(t, failed, "init"+options+at, "nothing is missing")
	expect(t, failed, "init -prefix /old "+at, "prefix /old is of an earlier shape of this package (it has a key /old/mark/00007)")
	expect(t, 0, "check -layout twitter"+options+at, "nothing found: 40 numbers, 40 of them free")

	t.Setenv("ETCDCTL_ENDPOINTS", strings.Join(cluster.Endpoints(), ","))
	s, err := etcdstore.New(t.Context(), client, &etcdstore.Options{Prefix: "/some", Numbers: 40, Holder: "one of us"})
	number, stop := hold(t, s, err)
	defer stop()
	expect(t, 0, "list"+options, fmt.Sprintf("\n%-6d  one of us  ", number), " 1h0m", "1 held, 39 free")
	expect(t, 0, "check"+options, "nothing found")
	expect(t, found, "check -layout sonyflake"+options, "two layouts need two stores")

	put := func(key, value string) {
		t.Helper()
		must.Get(client.Put(t.Context(), key, value))(t)
	}
	far, retired, bad := (number+1)%40, (number+2)%40, fmt.Sprintf("/some/horizon/%05d", (number+3)%40)
	put(fmt.Sprintf("/some/owner/%05d", retired), "nobody")
	expect(t, 0, "list"+options, fmt.Sprintf("\n%-6d  nobody     never       none yet ", retired))
	expect(t, 0, "check"+options, "nothing found")
	put(fmt.Sprintf("/some/horizon/%05d", far), time.Now().Add(48*time.Hour+59*time.Second).Format(time.RFC3339))
	put(bad, "yesterday")
	expect(t, failed, "check"+options, "the horizon "+bad+` is no time: "yesterday"`)
	for _, key := range []string{bad, fmt.Sprintf("/some/horizon/%05d", number)} {
		must.Get(client.Delete(t.Context(), key))(t)
	}
	expect(t, 0, "list"+options, "missing")
	expect(t, found, "check"+options, fmt.Sprintf("the horizon of the number %d is 48h0m", far), "of 40 numbers 1 are missing",
		fmt.Sprintf("the horizon of the number %d is missing", number))
	expect(t, found, "check"+options+at+",http://127.0.0.1:1", "the member http://127.0.0.1:1 does not answer")
	stop()

	// With users: one who may read, and one who has the least rights to mint, as docs/nodes.md says.
	const least = " -prefix /least -numbers 40 "
	expect(t, 0, "init"+least, "made the store")
	cluster.Users(t, map[string]map[string]clientv3.PermissionType{"minter": etcdtest.Least("/least"), "reader": {"/some/": etcdtest.Read}})
	expect(t, failed, "check"+options, "user name is empty")
	t.Setenv("ETCDCTL_USER", "reader:wrong")
	expect(t, failed, "check"+options, "authentication failed")
	t.Setenv("ETCDCTL_PASSWORD", "s3cret")
	expect(t, found, "check"+options, "the user reader has no right to write the keys below /some")

	minter := cluster.OpenAs(t, "minter")
	defer minter.Close()
	s, err = etcdstore.New(t.Context(), minter, &etcdstore.Options{Prefix: "/least", Numbers: 40, TTL: 2 * time.Second})
	_, stop = hold(t, s, err)
	t.Setenv("ETCDCTL_USER", "minter")
	expect(t, 0, "check"+least, "nothing found: 40 numbers, 39 of them free")
	stop()
	expect(t, 0, "list"+least, "0 held, 40 free")
}
