package main

// This file implements the store interface for MySQL and MariaDB.

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"go.etcd.io/etcd/client/pkg/v3/transport"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease/internal/mycheck"
	"github.com/oneclock/ids/nodelease/mysqlstore"
)

type mySQL struct {
	*options
	config *mysql.Config
	db     *sql.DB
	name   string // quoted name of the table
}

func openMySQL(_ context.Context, o *options) (store, error) {
	config, err := mysqlConfig(o.url)
	if err != nil {
		return nil, err
	}
	name, err := mycheck.Table(o.table)
	if err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return &mySQL{o, config, sql.OpenDB(connector), name}, nil
}

// mysqlConfig converts a URL to a client configuration. Values that the URL omits come from
// environment variables. The errors that mysqlConfig returns contain no passwords.
func mysqlConfig(text string) (*mysql.Config, error) {
	variable := func(name string) string { return os.Getenv("MYSQL_" + name) }
	u, err := url.Parse(text)
	if err != nil { // err contains the URL
		return nil, errors.New("the URL does not have the form mysql://USER@HOST:PORT/DATABASE")
	}
	host := cmp.Or(u.Host, net.JoinHostPort(variable("HOST"), cmp.Or(variable("TCP_PORT"), "3306")))
	database := cmp.Or(strings.TrimPrefix(u.Path, "/"), variable("DATABASE"))
	config, err := mysql.ParseDSN("tcp(" + host + ")/" + url.PathEscape(database) + "?" + u.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("parse the URL or the environment variables: %w", err)
	}
	password, _ := u.User.Password()
	config.User, config.Passwd = cmp.Or(u.User.Username(), variable("USER")), cmp.Or(password, variable("PWD"))
	config.Logger = new(mysql.NopLogger)
	if config.Params == nil {
		config.Params = map[string]string{}
	}
	// A lower limit could remove some of the settings and numbers from the results of queries.
	config.Params["sql_select_limit"] = "18446744073709551615"
	info := transport.TLSInfo{TrustedCAFile: variable("SSL_CA"), CertFile: variable("SSL_CERT"), KeyFile: variable("SSL_KEY")}
	if !info.Empty() || info.TrustedCAFile != "" {
		config.TLS, err = info.ClientConfig()
	}
	return config, err
}

func (m *mySQL) close() { m.db.Close() }

func (m *mySQL) init(ctx context.Context, layout ids.SnowflakeLayout) error {
	return mysqlstore.Init(ctx, "/", &mysqlstore.Options{Table: m.table, Numbers: m.numbers, Layout: layout,
		BeforeConnect: func(_ context.Context, c *mysql.Config) error {
			*c = *m.config.Clone()
			return nil
		}})
}

func (m *mySQL) read(ctx context.Context) (*contents, error) {
	c := &contents{place: "the row of the number -1", now: time.Now()}
	rows, err := m.db.QueryContext(ctx, `select number, holder, expires > utc_timestamp(6), cast(expires as char),
		cast(horizon as char), cast(utc_timestamp(6) as char) from `+m.name+` order by number`)
	for err == nil && rows.Next() {
		var n number
		var holder, horizon sql.NullString
		var held bool
		var expires, now string
		if err = rows.Scan(&n.number, &holder, &held, &expires, &horizon, &now); err != nil {
			break
		}
		var bad error
		if horizon.Valid {
			n.horizon, bad = time.Parse(time.DateTime, horizon.String)
			n.missing = bad != nil
		}
		n.expires, _ = time.Parse(time.DateTime, expires) // an invalid time is treated as expired
		c.now, _ = time.Parse(time.DateTime, now)
		if n.number < 0 {
			c.header = holder.String
			continue
		}
		if held {
			n.holder = cmp.Or(holder.String, "unknown")
		}
		c.numbers = append(c.numbers, n)
	}
	if rows != nil {
		err = cmp.Or(err, rows.Err())
		rows.Close()
	}
	if mycheck.Is(err, mycheck.UnknownColumn) {
		err = fmt.Errorf("%w; another version of package nodelease or another program created the table", err)
	} else if mycheck.Is(err, mycheck.UnknownTable) {
		c.place, err = "the table "+m.table, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the table %s: %w", m.table, err)
	}
	return c, nil
}

func (m *mySQL) settings(ctx context.Context) ([]string, error) {
	all, err := mycheck.Look(ctx, m.db, m.table, true)
	if err != nil {
		return all.Texts(), err
	}
	more, err := mycheck.Replication(ctx, m.db)
	// Do not test an update if all.Err returns an error. The update is then impossible, or fails
	// for a reason that is already known.
	if err == nil && all.Err(true) == nil {
		more = append(more, checkUpdate(func() (string, error) {
			var token sql.NullString
			err := m.db.QueryRowContext(ctx, `select token from `+m.name+` where number = -1`).Scan(&token)
			if err == sql.ErrNoRows || mycheck.Is(err, mycheck.UnknownTable, mycheck.UnknownColumn) {
				err = errReported
			}
			return token.String, err
		}, func(token string) error {
			_, err := m.db.ExecContext(ctx, `update `+m.name+` set token = ? where number = -1`, token)
			return err
		})...)
	}
	return append(all, more...).Texts(), err
}
