// Package lib is imported by bad and good.
package lib

import (
	other "example.com/google/uuid"
	"github.com/oneclock/ids/uuid"
)

type UserID uuid.UUID // want UserID:"ids.UUID"

type Other = other.UUID
