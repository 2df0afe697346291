package main

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers/mytest"
	"github.com/oneclock/ids/nodelease/mysqlstore"
)

func TestMySQL(t *testing.T) {
	_, dsn := mytest.Start(t, "--log-bin", "--sync-binlog=1")
	db := mytest.Open(t, dsn)
	do := func(sql string) { mytest.Exec(t, db, sql) }
	host, port, err := net.SplitHostPort(mytest.Address(t, dsn))
	must.Do(t, err)
	do("create database team")
	do("drop user if exists ''@localhost")
	do("create user test identified by 's3cret'")
	do("grant all on team.* to test; grant all on test.* to test; grant process on *.* to test")
	const table, options = " -table team.leases ", " -table team.leases -numbers 40 "
	at := " mysql://test:s3cret@" + host + ":" + port + "/test "
	testFirst(t, table, at, "the table team.leases is missing; if the store has not been created yet, run: leases init")
	expect(t, failed, "init"+options+strings.Replace(at, "s3cret", "wrong", 1), "Access denied for user 'test'")

	s, err := mysqlstore.New(t.Context(), dsn, &mysqlstore.Options{Table: "team.leases", Numbers: 40, Holder: "one\x1bof us"})
	number, stop := hold(t, s, err)
	defer stop()
	for name, value := range map[string]string{"HOST": host, "TCP_PORT": port, "USER": "test", "PWD": "s3cret", "DATABASE": "test"} {
		t.Setenv("MYSQL_"+name, value)
	}
	expect(t, 0, "list"+table, fmt.Sprintf("\n%-6d  one\\x1bof us  ", number), " 1h0m", "1 held, 39 free")
	retired := (number + 1) % 40
	do(fmt.Sprintf("update team.leases set expires = '9999-12-31', holder = null, horizon = '2026-01-01' where number = %d", retired))
	expect(t, 0, "list"+table, fmt.Sprintf("\n%-6d  unknown       never       2026-01-01T00:00:00Z", retired))
	expect(t, 0, "check"+options, "nothing found")
	do(fmt.Sprintf("update team.leases set holder = '' where number = %d", retired))
	expect(t, 0, "list"+table, fmt.Sprintf("\n%-6d  unknown       never ", retired))
	expect(t, 0, "check"+options+strings.TrimSpace(at)+"?sql_mode='EMPTY_STRING_IS_NULL'", "nothing found: 40 numbers, 38 of them free")
	expect(t, 0, "check"+options+strings.TrimSpace(at)+"?sql_select_limit=1", "nothing found: 40 numbers, 38 of them free")
	do("create user reader identified by 's3cret'")
	do("grant select on team.leases to reader")
	as := strings.Replace(strings.Replace(at, "test:", "reader:", 1), "/test", "/", 1)
	const nothing = "set @x = 1"
	testHarms(t, do, options, []harm{
		{nothing, nothing, as, "- Error 1142 (42000): UPDATE command denied to user 'reader'@...the user may not see whether there are replicas: grant process"},
		{"grant super on *.* to test", "revoke super on *.* from test", "", "- the user may write while read_only is on (SUPER), so a switchover can make IDs repeat: revoke that right\n"},
		{"alter table team.leases engine = MyISAM", "alter table team.leases engine = InnoDB", "", "- the table's engine is MyISAM, not InnoDB"},
		{"create trigger team.nothing before update on team.leases for each row set new.token = old.token", "drop trigger team.nothing", "",
			"- an update of the row of the number -1 changed nothing, because a trigger, a rule or row security discards it; no number can be taken\n"},
		{"alter table team.leases modify horizon datetime", "alter table team.leases modify horizon datetime(6)", "",
			"- the column horizon is datetime, not datetime(6), so horizons change, and IDs repeat\n"},
		{"set global innodb_flush_log_at_trx_commit = 2", "set global innodb_flush_log_at_trx_commit = 1", "",
			"- innodb_flush_log_at_trx_commit is 2, so a crash can take horizons back, and IDs repeat\n"},
		{"set global sync_binlog = 0", "set global sync_binlog = 1", "", "- sync_binlog is 0"},
		{"set global read_only = 1", "set global read_only = 0", "", "=- read_only is ON, so nothing can be written: is the server a replica?\n"},
		{"set global rpl_semi_sync_master_enabled = 1", "set global rpl_semi_sync_master_timeout = 100", "", "- rpl_semi_sync_master_timeout is 10s: after that, commits continue without"},
		{"create table test.t (n int)", "set global rpl_semi_sync_master_timeout = 4294967295", "", "- the status rpl_semi_sync_master_status is OFF: commits wait for no replica now"},
		{"set global rpl_semi_sync_master_wait_no_slave = 0", "set global rpl_semi_sync_master_enabled = 0", "", "- rpl_semi_sync_master_wait_no_slave is OFF: commits continue"},
		{"update team.leases set holder = 'schema 3: x' where number = -1", "delete from team.leases where number = -1", "", "another version of package nodelease"},
		{nothing, nothing, "", "the row of the number -1 is missing; if the store has not been created yet, run: leases init"},
	})
	do("alter table team.leases change number node int")
	expect(t, failed, "list"+table, "Unknown column 'number'", "another version of package nodelease or another program created the table")
}

// TestReplicas uses two replicas. At first, neither acknowledges commits, then one does, and then
// both do.
func TestReplicas(t *testing.T) {
	_, dsn := mytest.StartPrimary(t)
	_, _ = mytest.StartReplica(t, dsn, 2, "--rpl-semi-sync-slave-enabled=1")
	_, other := mytest.StartReplica(t, dsn, 3)
	db, late := mytest.Open(t, dsn), mytest.Open(t, other)
	mytest.Exec(t, db, "create user minter; grant all on test.* to minter; grant process on *.* to minter")
	at := "mysql://minter@" + mytest.Address(t, dsn) + "/test"
	expect(t, 0, "init "+at, "created the store")
	const harm = " can take horizons back\n"
	finds := func(want string) { t.Helper(); finds(t, at, want) }
	finds("- 2 connections read the binary log, and commits wait for none: a failover to a replica" + harm)
	mytest.WaitForReplicas(t, db, "1")
	finds("- of 2 connections that read the binary log, 1 acknowledge: a failover to another replica" + harm)
	mytest.Exec(t, late, "set global rpl_semi_sync_slave_enabled = 1; stop slave; start slave")
	finds("- commits wait for 1 of 2 replicas: a failover to any but the most advanced" + harm)
	mytest.Exec(t, late, "stop slave")
	mytest.WaitForReplicas(t, db, "1")
	finds("")
}
