package mysqlstore

// This file gives the tests access to unexported identifiers.

import "database/sql/driver"

// Wrapped returns options of a store whose connections are changed by f.
func (o Options) Wrapped(f func(driver.Connector) driver.Connector) *Options {
	o.wrap = f
	return &o
}
