package etcdstore

// This file gives the tests access to unexported identifiers.

import "time"

// SetOpenTimeout sets how long s waits for its first stream to open. It must be called before the
// first call of s.
func (s *Store) SetOpenTimeout(d time.Duration) { s.renewals.openTimeout = d }

// SetReopenInterval sets the minimum time between abandoning one stream and abandoning the next. No
// call may be in progress.
func (s *Store) SetReopenInterval(d time.Duration) { s.renewals.reopenInterval = d }
