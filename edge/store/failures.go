package store

import (
	"sync/atomic"
	"time"
)

// failures slows down what Pebble does over and over while the disk is full, a thousand times a second if it is let, and
// logs it once a second.
type failures struct{ logged atomic.Int64 }

// failurePause is how long Pebble waits after each. It holds a lock that new views need, so it is short.
const failurePause = 10 * time.Millisecond

// take reports whether to log a failure.
func (f *failures) take() bool {
	time.Sleep(failurePause)
	now := time.Now().UnixNano()
	last := f.logged.Load()
	return now-last >= int64(time.Second) && f.logged.CompareAndSwap(last, now)
}
