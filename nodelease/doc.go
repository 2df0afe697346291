// Package nodelease makes Snowflakes on any number of machines: each process leases its node number
// from a store that all share, such as etcd, PostgreSQL or MySQL, so that no two ever make the same id.
//
//	store, err := pgstore.New(ctx, url, nil)       // or mysqlstore.New(ctx, dsn, nil), etcdstore.New(ctx, client, nil)
//	m, err := nodelease.NewMinter(store, nil)
//	defer m.Close()                                // hands the number back, in 5 s at most
//	err = m.Wait(ctx)                              // optional: says at once what no retry mends
//	id, err := m.NextContext(ctx)                  // waits while there is no number; ends with ctx
//
// The packages [github.com/oneclock/ids/nodelease/etcdstore], [github.com/oneclock/ids/nodelease/pgstore] and
// [github.com/oneclock/ids/nodelease/mysqlstore] are stores. Before the first process starts, make the store once, by
// the function Init of its package or by the command [github.com/oneclock/ids/nodelease/cmd/leases], which also shows
// and checks a store. Package [github.com/oneclock/ids/nodelease/memstore] is a store for tests of programs, package
// [github.com/oneclock/ids/nodelease/storekit] helps to write stores of your own, and package
// [github.com/oneclock/ids/nodelease/storetest] tests them. All are one module; a program downloads and
// builds only the driver of the store that it imports.
//
// # Why ids are unique
//
// The store keeps a horizon for every number, which is a time. A holder writes a horizon that is ahead of its clock, in
// a transaction that fails unless it still holds the number; only when that is committed does it make ids up to the
// horizon. The next holder reads the horizon in the transaction in which it takes the number, and makes only ids after it.
// So each stretch of time under a number belongs to one holder, whatever clocks, pauses and networks do.
//
// The lease says when a number is free again. A [Minter] renews it every TTL/4 to TTL/3. It stops
// making ids before the lease can have ended in the store: a TTL after the latest renewal was sent,
// less a tenth of the TTL and 100 ms. A timer does that. After a process was stopped for longer, it may
// still make ids until its timer runs: they stay below its own horizon.
//
// Ids can repeat if the store forgets what it has committed (it is restored from a backup, or runs without syncing
// its disk), if a running machine is copied with its memory, if two stores serve one kind of id, or if a number of the
// store is given to a node, too, as by the environment variable IDS_SNOWFLAKE_NODE.
package nodelease
