// Package nodelease mints Snowflakes on any number of machines: each process leases its node number
// from a store that all share, such as etcd or PostgreSQL, so that no two ever issue the same id.
//
//	store, err := etcdstore.New(client, nil)       // or pgstore.New(ctx, pool, nil); the first time with Options.Init
//	m, err := nodelease.NewMinter(store, nil)
//	defer m.Close()                                // hands the number back, in 5 s at most
//	id, err := m.Next(ctx)                         // waits while there is no number; ends with ctx
//
// The packages [github.com/oneclock/ids/nodelease/etcdstore] and [github.com/oneclock/ids/nodelease/pgstore] are
// stores. Package [github.com/oneclock/ids/nodelease/storetest] tests stores of your own. All are one module; a
// program downloads and builds only the driver of the store that it imports. The command
// [github.com/oneclock/ids/nodelease/cmd/leases] makes, shows and checks a store.
//
// # Why ids are unique
//
// The store keeps a mark for every number, which is a time. A holder writes a mark that is ahead of its clock, in a
// transaction that fails unless it still holds the number; only when that is committed does it issue ids up to the
// mark. The next holder reads the mark in the transaction in which it takes the number, and issues only ids after it.
// So each stretch of time under a number belongs to one holder, whatever clocks, pauses and networks do.
//
// The lease says when a number is free again. A [Minter] renews it every TTL/4 to TTL/3. It stops
// minting before the lease can have ended in the store: a TTL after the latest renewal was sent,
// less a tenth of the TTL and 100 ms. A timer does that: a process that was stopped for longer may
// issue ids for the moment until its timer runs, up to the mark, which is its own in any case.
//
// Ids can repeat if the store forgets what it has committed (it is restored from a backup, or runs without syncing
// its disk), if a running machine is copied with its memory, or if two stores serve one kind of id.
package nodelease
