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
	do("grant all on *.* to test with grant option")
	const table, options = " -table team.leases ", " -table team.leases -numbers 40 "
	at := " mysql://test:s3cret@" + host + ":" + port + "/test "
	testFirst(t, table, at, "the table team.leases is missing: if nothing was made yet, leases init makes it")
	expect(t, failed, "init"+options+strings.Replace(at, "s3cret", "wrong", 1), "Access denied for user 'test'")

	s, err := mysqlstore.New(t.Context(), db, &mysqlstore.Options{Table: "team.leases", Numbers: 40, Holder: "one\x1bof us"})
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
	do("create user reader identified by 's3cret'")
	do("grant select on team.leases to reader")
	as := strings.Replace(strings.Replace(at, "test:", "reader:", 1), "/test", "/", 1)
	const nothing = "set @x = 1"
	testHarms(t, do, options, []harm{
		{nothing, nothing, as, "UPDATE command denied to user 'reader'@...the user reader@% may not see whether there are replicas: grant process"},
		{"alter table team.leases engine = MyISAM", "alter table team.leases engine = InnoDB", "", "- prepare the table team.leases: the table's engine is MyISAM and not InnoDB"},
		{"set global innodb_flush_log_at_trx_commit = 2", "set global innodb_flush_log_at_trx_commit = 1", "",
			"- innodb_flush_log_at_trx_commit is 2, so that a crash can take horizons back, and ids repeat\n"},
		{"set global sync_binlog = 0", "set global sync_binlog = 1", "", "- sync_binlog is 0"},
		{"set global read_only = 1", "set global read_only = 0", "", "- read_only is ON, so that nothing can be written"},
		{"set global rpl_semi_sync_master_enabled = 1", "set global rpl_semi_sync_master_enabled = 0", "", "- rpl_semi_sync_master_timeout is 10s: after that commits go on without"},
		{"update team.leases set holder = 'schema 3: x' where number = -1", "delete from team.leases where number = -1", "", "another version of package nodelease"},
		{nothing, nothing, "", "the row of the number -1 is missing: if nothing was made yet, leases init"},
	})
	do("alter table team.leases change number node int")
	expect(t, failed, "list"+table, "Unknown column 'number'", "another version of package nodelease made the table")
}
