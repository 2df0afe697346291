package etcdstore

import "time"

// SetPatience has s, of which nothing was asked yet, wait so long for its first stream.
func (s *Store) SetPatience(d time.Duration) { s.renewals.patience = d }

// SetKeep has s keep streams for so long although the servers are late, once it has given up one. No call is under way.
func (s *Store) SetKeep(d time.Duration) { s.renewals.keep = d }
