// Package nodelease makes Snowflakes on any number of machines. Each process leases its node number
// from a shared store, such as etcd, PostgreSQL or MySQL, so that no two processes ever make the
// same ID.
//
//	store, err := pgstore.New(ctx, url, nil)  // or New of mysqlstore or etcdstore
//	m, err := nodelease.NewMinter(store, nil)
//	defer m.Close()                           // releases the number, within 5 s
//	err = m.Wait(ctx)                         // optional: returns permanent errors immediately
//	id, err := m.NextContext(ctx)             // waits while there is no number; ends with ctx
//
// The packages [github.com/oneclock/ids/nodelease/etcdstore],
// [github.com/oneclock/ids/nodelease/pgstore] and [github.com/oneclock/ids/nodelease/mysqlstore]
// are stores. Before the first process starts, initialize the store once, with its package's
// function Init or with the command [github.com/oneclock/ids/nodelease/cmd/leases], which also
// shows and checks a store. Package [github.com/oneclock/ids/nodelease/memstore] is a store for
// tests of programs, package [github.com/oneclock/ids/nodelease/storekit] helps to write your own
// store, and package [github.com/oneclock/ids/nodelease/storetest] tests it. All of them are in one
// module, but a program downloads and builds only the driver of the store that it imports.
//
// # Why IDs are unique
//
// The store keeps a horizon for every number, which is a time. A holder writes a horizon that is
// ahead of its clock, in a transaction that fails unless it still holds the number. Only after that
// transaction is committed does it make IDs up to the horizon. The next holder reads the horizon in
// the transaction in which it takes the number, and makes only IDs after it. So each range of times
// under a number belongs to one holder, whatever clocks, pauses and networks do.
//
// The lease determines when a number is free again. A [Minter] renews it every TTL/4 to TTL/3. A
// timer stops it from making IDs before the lease can have expired in the store, which is a TTL
// after the latest renewal was sent, less a tenth of the TTL and 100 ms. A process that was stopped
// for longer may still make IDs until its timer runs, but they stay below its own horizon.
//
// IDs can repeat in these cases:
//
//   - The store forgets committed data, because it is restored from a backup or runs without
//     syncing its disk.
//   - A running machine is copied with its memory.
//   - Two stores serve one kind of ID.
//   - A number of the store is also given to a node, for example by the environment variable
//     IDS_SNOWFLAKE_NODE.
package nodelease
