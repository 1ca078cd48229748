package store

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/shared/fault"
)

// diskGuard keeps writes from filling the disk: Pebble cannot go on after a failed write to its log, while a store that
// takes no changes still answers every read.
type diskGuard struct {
	fs   vfs.FS
	dir  string
	keep uint64

	checked atomic.Int64 // Unix nanoseconds
	free    atomic.Int64 // bytes above what must be kept, less what was written since
}

// diskRecheck is how long a look at the disk holds, apart from what is written meanwhile.
const diskRecheck = time.Second

// available returns how many bytes the disk has left; false where the system does not tell.
func (d *diskGuard) available() (bytes uint64, known bool, err error) {
	usage, err := d.fs.GetDiskUsage(d.dir)
	if errors.Is(err, vfs.ErrUnsupported) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("look how full the disk is: %w", err)
	}
	return usage.AvailBytes, true, nil
}

// admit takes size bytes from what is free, or returns an UNAVAILABLE fault.
func (d *diskGuard) admit(size int) error {
	now := time.Now().UnixNano()
	if last := d.checked.Load(); now-last > int64(diskRecheck) || d.free.Load() < int64(size) {
		available, known, err := d.available()
		if err != nil || !known {
			return err
		}
		d.free.Store(int64(min(available, 1<<62)) - int64(d.keep))
		d.checked.Store(now)
	}
	// Twice: once in the log, once in a table.
	if left := d.free.Add(-2 * int64(size)); left < 0 {
		d.checked.Store(0)
		return &fault.Error{
			Code:       fault.Unavailable,
			Detail:     "this edge's disk is full; it takes no changes and goes on serving what it holds",
			RetryAfter: 10 * time.Second,
			Err:        fmt.Errorf("the disk of %s has less than %d bytes free", d.dir, d.keep),
		}
	}
	return nil
}
