package mysqlstore

import "database/sql/driver"

// Wrapped returns options of a store whose connections f changes.
func (o Options) Wrapped(f func(driver.Connector) driver.Connector) *Options {
	o.wrap = f
	return &o
}
