// Package nodelease stands for that of the module of the name.
package nodelease

import (
	"context"

	"github.com/oneclock/ids"
)

type Minter struct{}

func (*Minter) Next(context.Context) (ids.Snowflake, error) { return 0, nil }
