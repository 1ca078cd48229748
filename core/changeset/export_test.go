package changeset

import "testing"

// SetMaxSize changes how large a release may be, for a test.
func SetMaxSize(t *testing.T, bytes int) {
	was := maxSize
	maxSize = bytes
	t.Cleanup(func() { maxSize = was })
}
