package readtest

import "testing"

func TestMemory(t *testing.T) {
	Run(t, func(*testing.T) Subject { return NewMemory() })
}
