package mysqlstore_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/mytest"
	"github.com/oneclock/ids/nodelease/mysqlstore"
	"github.com/oneclock/ids/nodelease/storetest"
)

// mustNew returns a store, which it makes unless somebody has made it.
func mustNew(t *testing.T, db *sql.DB, opts *mysqlstore.Options) *mysqlstore.Store {
	t.Helper()
	return must.Get(servers.Open(
		func() error { return mysqlstore.Init(t.Context(), db, opts) },
		func() (*mysqlstore.Store, error) { return mysqlstore.New(t.Context(), db, opts) },
	))(t)
}

func TestMySQL(t *testing.T) {
	t.Parallel()
	_, dsn := mytest.Start(t)
	db := mytest.Open(t, dsn)
	_ = db
	for name, parameters := range map[string]string{
		"plain": "",
		"other": "time_zone=%27-9:30%27&autocommit=0&sql_mode=%27ANSI,NO_BACKSLASH_ESCAPES%27&clientFoundRows=true&parseTime=true&loc=Europe%2FBerlin&tx_isolation=%27SERIALIZABLE%27",
	} {
		t.Run("store, "+name, func(t *testing.T) {
			db := mytest.Open(t, dsn, parameters)
			storetest.Run(t, func(t *testing.T) (a, b nodelease.Store) {
				opts := &mysqlstore.Options{Table: t.Name(), Numbers: 2, TTL: 2 * time.Second}
				return mustNew(t, db, opts), mustNew(t, db, opts)
			})
			t.Run("nothing", func(t *testing.T) {}) // waits for the parallel ones
		})
	}
}
