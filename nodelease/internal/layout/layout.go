// Package layout defines the meaning of the zero layout for the whole module.
package layout

import "github.com/oneclock/ids"

// Plain returns l, or Twitter's layout if l is the zero layout.
func Plain(l ids.SnowflakeLayout) ids.SnowflakeLayout {
	if l.Equal(ids.SnowflakeLayout{}) {
		return ids.TwitterLayout()
	}
	return l
}
