package etcdstore

// Access of the tests to private parts.

import "time"

// SetOpenTimeout has s, of which nothing was asked yet, wait so long for its first stream.
func (s *Store) SetOpenTimeout(d time.Duration) { s.renewals.openTimeout = d }

// SetReopenInterval has s keep streams for so long although the servers are late, once it has given up one. No call is under way.
func (s *Store) SetReopenInterval(d time.Duration) { s.renewals.reopenInterval = d }
