// Package lib is imported by p.
package lib

import "github.com/oneclock/ids/uuid"

type UserID uuid.UUID // want UserID:"ids.UUID"
