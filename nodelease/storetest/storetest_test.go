package storetest_test

import (
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/storetest"
)

func TestMemoryStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) nodelease.Store { return nodelease.NewMemoryStore(2, time.Second) })
}
