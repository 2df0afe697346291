package memstore_test

// Examples of the store.

import (
	"context"
	"fmt"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/memstore"
)

// Minters over one store have different numbers, like those of different processes.
func ExampleNew() {
	store := memstore.New(2, 15*time.Second)
	numbers := map[int64]bool{}
	for range 2 {
		m, err := nodelease.NewMinter(store, nil)
		if err != nil {
			panic(err)
		}
		defer m.Close()
		if err := m.Wait(context.Background()); err != nil {
			panic(err)
		}
		number, _ := m.Number()
		numbers[number] = true
	}
	fmt.Println(numbers)
	// Output: map[0:true 1:true]
}
