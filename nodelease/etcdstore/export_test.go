package etcdstore

// Access of the tests to private parts.

import "time"

// SetOpenTimeout sets how long s waits for its first stream. Nothing was requested from s yet.
func (s *Store) SetOpenTimeout(d time.Duration) { s.renewals.openTimeout = d }

// SetReopenInterval sets how long s keeps its streams although the servers are late, after it has
// given one up. No call may be in progress.
func (s *Store) SetReopenInterval(d time.Duration) { s.renewals.reopenInterval = d }
