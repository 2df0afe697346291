package faulttest_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
)

// TestEtcdCrowd has as many minters as there are numbers begin at once, each with a client of its own as a process has
// it, and says how long they wait, and how often one that has begun is stopped. With -long they are 1,024.
func TestEtcdCrowd(t *testing.T) {
	minters := 100
	if *longFlag {
		minters = 1024
	}
	cluster := etcdtest.Start(t, servers.NewNetwork(t), 1)
	client := cluster.Open(t)
	defer client.Close()
	opts := &etcdstore.Options{Prefix: "/crowd", Numbers: int64(minters)}
	must.Do(t, etcdstore.Init(t.Context(), client, opts))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var stopped, failed atomic.Int64
	observe := func(e nodelease.Event) {
		switch {
		case e.Kind == nodelease.Ended && !errors.Is(e.Err, nodelease.ErrClosed):
			stopped.Add(1)
		case e.Kind == nodelease.Failed && !errors.Is(e.Err, nodelease.ErrNoNumber):
			failed.Add(1)
		}
	}
	var waiting, all sync.WaitGroup
	waiting.Add(minters)
	end, began := make(chan struct{}), time.Now()
	for range minters {
		all.Go(func() {
			own := etcdtest.Open(t, cluster.Endpoints())
			defer own.Close()
			s, err := etcdstore.New(ctx, own, opts)
			for ; err != nil && ctx.Err() == nil; s, err = etcdstore.New(ctx, own, opts) {
				sleep(ctx, time.Second)
			}
			m, err := nodelease.NewMinter(s, &nodelease.Options{Observe: observe})
			if err == nil {
				defer m.Close()
				_, err = m.NextContext(ctx)
			}
			if waiting.Done(); err != nil {
				t.Errorf("no id after %v: %v", time.Since(began), err)
			}
			<-end
		})
	}
	waiting.Wait()
	t.Logf("%d minters have an id after %v; %d requests failed", minters, time.Since(began).Round(100*time.Millisecond), failed.Load())
	if *longFlag {
		sleep(ctx, 15*time.Second) // a TTL: those whose renewals were late are stopped
	}
	t.Logf("minting was stopped %d times", stopped.Load())
	close(end)
	all.Wait()
}
