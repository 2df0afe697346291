package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"go.etcd.io/etcd/client/pkg/v3/transport"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/mycheck"
	"github.com/oneclock/ids/nodelease/mysqlstore"
)

type mySQL struct {
	*options
	config *mysql.Config
	db     *sql.DB
	name   string // of the table, quoted
}

func openMySQL(_ context.Context, o *options) (store, error) {
	config, err := mysqlConfig(o.url)
	if err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	name := "`" + strings.ReplaceAll(strings.ReplaceAll(o.table, "`", "``"), ".", "`.`") + "`"
	return &mySQL{o, config, sql.OpenDB(connector), name}, nil
}

// mysqlConfig returns what a URL says and, where it says nothing, the variables. Its errors have no password.
func mysqlConfig(text string) (*mysql.Config, error) {
	variable := func(name string) string { return os.Getenv("MYSQL_" + name) }
	u, err := url.Parse(text)
	if err != nil { // it has the URL
		return nil, errors.New("the URL is not one as mysql://USER@HOST:PORT/DATABASE")
	}
	host := cmp.Or(u.Host, net.JoinHostPort(variable("HOST"), cmp.Or(variable("TCP_PORT"), "3306")))
	database := cmp.Or(strings.TrimPrefix(u.Path, "/"), variable("DATABASE"))
	config, err := mysql.ParseDSN("tcp(" + host + ")/" + url.PathEscape(database) + "?" + u.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("the URL or the variables: %w", err)
	}
	password, _ := u.User.Password()
	config.User, config.Passwd = cmp.Or(u.User.Username(), variable("USER")), cmp.Or(password, variable("PWD"))
	config.Logger = new(mysql.NopLogger)
	if config.Params == nil {
		config.Params = map[string]string{}
	}
	config.Params["sql_select_limit"] = "18446744073709551615" // a lower one hides settings and numbers
	info := transport.TLSInfo{TrustedCAFile: variable("SSL_CA"), CertFile: variable("SSL_CERT"), KeyFile: variable("SSL_KEY")}
	if !info.Empty() || info.TrustedCAFile != "" {
		config.TLS, err = info.ClientConfig()
	}
	return config, err
}

func (m *mySQL) close() { m.db.Close() }

func (m *mySQL) init(ctx context.Context, layout ids.SnowflakeLayout) error {
	opts := m.storeOptions(m.numbers)
	opts.Layout = layout
	return mysqlstore.Init(ctx, "/", opts)
}

// storeOptions are options of a store, whose DSN says nothing.
func (m *mySQL) storeOptions(numbers int64) *mysqlstore.Options {
	return &mysqlstore.Options{Table: m.table, Numbers: numbers, BeforeConnect: func(_ context.Context, c *mysql.Config) error {
		*c = *m.config.Clone()
		return nil
	}}
}

func (m *mySQL) read(ctx context.Context) (*contents, error) {
	c := &contents{place: "the row of the number -1", now: time.Now()}
	err := m.each(ctx, `select number, if(expires > utc_timestamp(6), coalesce(holder, 'unknown'), null), cast(expires as char),
		cast(horizon as char), cast(utc_timestamp(6) as char) from `+m.name+` order by number`, func(scan func(...any) error) error {
		var n number
		var holder, horizon sql.NullString
		var expires, now string
		if err := scan(&n.number, &holder, &expires, &horizon, &now); err != nil {
			return err
		}
		var bad error
		if horizon.Valid {
			n.horizon, bad = time.Parse(time.DateTime, horizon.String)
			n.missing = bad != nil
		}
		n.expires, _ = time.Parse(time.DateTime, expires) // one that is no time has ended
		c.now, _ = time.Parse(time.DateTime, now)
		if n.holder = holder.String; n.number < 0 {
			c.header = n.holder
		} else {
			c.numbers = append(c.numbers, n)
		}
		return nil
	})
	if mysqlError(err, unknownColumn) {
		err = fmt.Errorf("%w: another version of package nodelease made the table, or somebody else", err)
	} else if mysqlError(err, unknownTable) {
		c.place, err = "the table "+m.table, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the table %s: %w", m.table, err)
	}
	return c, nil
}

// Numbers of the server's errors.
const (
	unknownColumn = 1054
	unknownTable  = 1146
)

// mysqlError reports whether err is one of the server's, of one of the numbers.
func mysqlError(err error, numbers ...uint16) bool {
	e, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && slices.Contains(numbers, e.Number)
}

// each calls f for each row that a query finds.
func (m *mySQL) each(ctx context.Context, query string, f func(scan func(...any) error) error) error {
	rows, err := m.db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for err == nil && rows.Next() {
		err = f(rows.Scan)
	}
	return cmp.Or(err, rows.Err())
}

// settings returns what New refuses, and what can make ids repeat after a crash or a failover.
func (m *mySQL) settings(ctx context.Context) (all []string, err error) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	s, err := mysqlstore.New(ctx, "/", m.storeOptions(1))
	if err == nil {
		s.Close()
	}
	if err != nil && !errors.Is(err, nodelease.ErrRefused) { // of rows and layouts, check tells more
		text, _, _ := strings.Cut(err.Error(), ": for tests")
		say("%s", strings.TrimPrefix(text, "nodelease: mysql: "))
	} else if finding := swallowed(
		func() (token string, err error) {
			err = m.db.QueryRowContext(ctx, `select coalesce(token, '') from `+m.name+` where number = -1`).Scan(&token)
			if err == sql.ErrNoRows || mysqlError(err, unknownTable, unknownColumn) {
				err = errTold
			}
			return token, err
		}, func(token string) error {
			_, err := m.db.ExecContext(ctx, `update `+m.name+` set token = ? where number = -1`, token)
			return err
		},
	); finding != "" {
		say("%s", finding)
	}
	finding, err := mycheck.Times(ctx, m.db, m.table)
	if err != nil {
		return all, err
	}
	if finding != "" {
		say("%s", finding)
	}
	value, err := m.values(ctx, `show variables where variable_name in ('innodb_flush_log_at_trx_commit', 'innodb_doublewrite', 'log_bin')
		or variable_name like 'rpl_semi_sync%'`)
	if err != nil {
		return all, err
	}
	for _, name := range []string{"innodb_flush_log_at_trx_commit", "log_bin"} {
		if value[name] == "" {
			say("the server does not show %s: make sure that a crash loses no transaction", name)
		}
	}
	if value["innodb_doublewrite"] == "OFF" {
		say("innodb_doublewrite is OFF: a crash can damage the table")
	}
	rights, err := mycheck.Read(ctx, m.db)
	if finding := mycheck.Finding(rights, err); finding != "" {
		say("%s", finding)
	}
	if value["log_bin"] != "ON" {
		return all, nil
	}
	if !slices.Contains(rights, "PROCESS") && !slices.Contains(rights, mycheck.All) {
		say("the user may not see whether there are replicas: grant process on *.* to it")
	}
	more, err := m.replication(ctx, value)
	return append(all, more...), err
}

// values returns what a query finds: names, in lower case, and values.
func (m *mySQL) values(ctx context.Context, query string) (map[string]string, error) {
	values := map[string]string{}
	err := m.each(ctx, query, func(scan func(...any) error) error {
		var name, v string
		err := scan(&name, &v)
		values[strings.ToLower(name)] = v
		return err
	})
	return values, err
}

// replication returns what a failover to a replica can take back.
func (m *mySQL) replication(ctx context.Context, value map[string]string) (all []string, err error) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	var readers int
	err = m.db.QueryRowContext(ctx, `select count(*) from information_schema.processlist where command like 'Binlog Dump%'`).Scan(&readers)
	if err != nil {
		return nil, err
	}
	status, err := m.values(ctx, `show global status like 'rpl_semi_sync%'`)
	if err != nil {
		return nil, err
	}
	for _, name := range [][2]string{{"rpl_semi_sync_master", "slave"}, {"rpl_semi_sync_source", "replica"}} {
		primary, replica := name[0], name[1]
		if value[primary+"_enabled"] != "ON" {
			continue
		}
		if wait, _ := time.ParseDuration(value[primary+"_timeout"] + "ms"); wait < 24*time.Hour {
			say("%s_timeout is %v: after that commits go on without a replica, and a failover can take horizons back", primary, wait)
		}
		if no := primary + "_wait_no_" + replica; value[no] == "OFF" {
			say("%s is OFF: commits go on while there is no replica, and a failover can take horizons back", no)
		}
		if status[primary+"_status"] == "OFF" {
			say("the status %s_status is OFF: commits wait for no replica now, and a failover can take horizons back", primary)
		}
		clients, _ := strconv.Atoi(status[primary+"_clients"])
		if clients < readers {
			say("of %d connections that read the binary log %d acknowledge: a failover to another replica can take horizons back", readers, clients)
		}
		waits, _ := strconv.Atoi(cmp.Or(value[primary+"_wait_for_"+replica+"_count"], "1"))
		if waits < clients {
			say("commits wait for %d of %d replicas: a failover to another than the most advanced can take horizons back", waits, clients)
		}
		return all, nil
	}
	if readers > 0 {
		say("%d connections read the binary log, and commits wait for none: a failover to a replica can take horizons back", readers)
	}
	return all, nil
}
