package local_test

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// journal collects what a stack reports.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
	news chan struct{}
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	select {
	case j.news <- struct{}{}:
	default:
	}
	return j.text.Write(line)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// await waits until the stack has reported something.
func (j *journal) await(t *testing.T, line string) {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for !strings.Contains(j.String(), line) {
		select {
		case <-j.news:
		case <-limit:
			t.Fatalf("%q was never reported; what was:\n%s", line, j)
		}
	}
}
