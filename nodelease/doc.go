// Package nodelease makes Snowflakes on many machines. Each process leases its node number from a
// shared store, such as etcd, PostgreSQL or MySQL, so that no two processes ever make the same ID.
//
//	store, err := pgstore.New(ctx, url, nil)  // or mysqlstore.New or etcdstore.New
//	m, err := nodelease.NewMinter(store, nil)
//	defer m.Close()                           // releases the number, within 5 s
//	err = m.Wait(ctx)                         // optional: returns permanent errors immediately
//	id, err := m.NextContext(ctx)             // waits for a number until ctx is done
//
// The packages [github.com/oneclock/ids/nodelease/etcdstore],
// [github.com/oneclock/ids/nodelease/pgstore] and [github.com/oneclock/ids/nodelease/mysqlstore]
// provide stores. Before the first process starts, initialize the store once. To do so, call Init
// in the store's package or run the command [github.com/oneclock/ids/nodelease/cmd/leases], which
// can also list and check the numbers of a store. Package
// [github.com/oneclock/ids/nodelease/memstore] provides a store for tests. Package
// [github.com/oneclock/ids/nodelease/storekit] helps you write your own store, and package
// [github.com/oneclock/ids/nodelease/storetest] tests such a store. All of these packages are in
// one module, but a program downloads and builds only the driver for the store that it imports.
//
// # Why IDs are unique
//
// For every number, the store keeps a horizon, which is a point in time. The process that holds a
// number writes a horizon ahead of its clock, in a transaction that fails unless the process still
// holds the number. Only after that transaction is committed does the process make IDs up to the
// horizon. The next holder reads the horizon in the transaction that takes the number, and makes
// only IDs whose times are later than that horizon. So for each number, every range of times
// belongs to one holder, regardless of clock errors, pauses and network failures.
//
// The lease determines when a number becomes free again. A [Minter] renews its lease every TTL/4 to
// TTL/3. Before the lease can expire in the store, a timer stops the Minter from making IDs. The
// timer fires 0.9*TTL - 100ms after the latest successful renewal was sent. A process that was
// suspended until after that time may still make IDs until the timer fires, but these IDs stay
// below the process's own horizon.
//
// IDs can repeat in these cases:
//
//   - The store forgets committed data, because it was restored from a backup or does not sync its
//     writes to disk.
//   - A running machine is copied together with its memory.
//   - Two stores provide numbers for the same kind of ID.
//   - One of the store's numbers is also given to a node, for example by the environment variable
//     IDS_SNOWFLAKE_NODE.
package nodelease
