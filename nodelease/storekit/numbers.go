package storekit

import "github.com/oneclock/ids"

// CheckNumbers returns an error that matches [nodelease.ErrRefused] if ids of layout l cannot have all the numbers from 0
// to numbers-1: a holder of one that does not fit could only give it back. It names Options.Numbers.
func CheckNumbers(numbers int64, l ids.SnowflakeLayout) error {
	if l.Equal(ids.SnowflakeLayout{}) {
		l = ids.TwitterLayout()
	}
	if _, err := l.Compose(ids.SnowflakeParts{Time: l.Epoch, Node: numbers - 1}); err != nil {
		return refuse("Options.Numbers %d does not fit the layout: %v", numbers, err)
	}
	return nil
}
