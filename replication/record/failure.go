package record

import "fmt"

// UnknownError is a record that a newer build wrote and this one cannot read. A follower stops the log there, goes
// on with all others, and resumes once it is upgraded: it must not skip the record.
type UnknownError struct {
	Log  string // as far as it could be read
	Seq  uint64
	What string // such as: kind "asset"
}

// Error says what to do.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("change %d of log %s has %s, which this build does not know: a newer core wrote it; upgrade this "+
		"program to at least the version of core, and the log resumes from there", e.Seq, e.Log, e.What)
}

// CorruptError is a record that contradicts itself. No one may apply it; the same change fetched again from core is
// either right, or core's own data has been damaged.
type CorruptError struct {
	Log    string // as far as it could be read
	Seq    uint64
	Reason string
	Err    error
}

// Error names the place and what is wrong.
func (e *CorruptError) Error() string {
	s := fmt.Sprintf("change %d of log %q is damaged: %s", e.Seq, e.Log, e.Reason)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

func (c *Change) unknown(format string, args ...any) error {
	return &UnknownError{Log: c.Log, Seq: c.Position.Seq, What: fmt.Sprintf(format, args...)}
}

func (c *Change) corrupt(format string, args ...any) error {
	return &CorruptError{Log: c.Log, Seq: c.Position.Seq, Reason: fmt.Sprintf(format, args...)}
}
