package faulttest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
)

// TestEtcdCrowd has as many minters as there are numbers begin at once, each with a client of its own as a process has
// it, and says how long they wait, and how often one is stopped that has begun. With -long they are 1,024.
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
	var mu sync.Mutex
	var first, gap time.Duration // the longest
	stopped, failed := 0, 0
	observe := func(e nodelease.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == nodelease.Failed && !errors.Is(e.Err, nodelease.ErrNoNumber) {
			failed++
		}
	}
	var waiting, all sync.WaitGroup
	waiting.Add(minters)
	began := time.Now()
	end := make(chan struct{})
	for range minters {
		all.Go(func() {
			own := etcdtest.Open(t, cluster.Endpoints())
			defer own.Close()
			var s nodelease.Store
			must.Soon(t, func() (err error) { s, err = etcdstore.New(ctx, own, opts); return err })
			m, err := nodelease.NewMinter(s, &nodelease.Options{Observe: observe})
			if err != nil {
				t.Error(err)
			}
			defer m.Close()
			_, err = m.NextContext(ctx)
			waited, latest, withheld := time.Since(began), time.Now(), false
			waiting.Done()
			if err != nil {
				t.Errorf("no id after %v: %v", waited, err)
				return
			}
			longest, times := time.Duration(0), 0
			for alive := true; alive; {
				select {
				case <-end:
					alive = false
				case <-time.After(50 * time.Millisecond):
				}
				_, err := m.TryNext()
				if longest = max(longest, time.Since(latest)); err == nil {
					latest = time.Now()
				}
				if errors.Is(err, ids.ErrWithheld) && !withheld {
					times++
				}
				withheld = errors.Is(err, ids.ErrWithheld)
			}
			mu.Lock()
			defer mu.Unlock()
			first, gap, stopped = max(first, waited), max(gap, longest), stopped+times
		})
	}
	waiting.Wait()
	time.Sleep(5 * time.Second)
	close(end)
	all.Wait()
	t.Logf("%d minters: the last had its first id after %v; the longest gap was %v; minting was stopped %d times; %d requests failed",
		minters, first.Round(100*time.Millisecond), gap.Round(100*time.Millisecond), stopped, failed)
}
