// Package lib is imported by bad and good.
package lib

import "github.com/oneclock/ids/uuid"

type UserID uuid.UUID // want UserID:"ids.UUID"
