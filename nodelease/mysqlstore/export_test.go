package mysqlstore

// Access of the tests to private parts.

import "database/sql/driver"

// Wrapped returns options of a store whose connections are changed by f.
func (o Options) Wrapped(f func(driver.Connector) driver.Connector) *Options {
	o.wrap = f
	return &o
}
