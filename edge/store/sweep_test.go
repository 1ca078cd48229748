package store

import (
	"maps"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A crash takes what was applied in the last moments, not what was applied since Pebble last wrote by itself: of an edge
// where little happens that would be everything.
func TestWhatWasAppliedIsOnDiskBeforeLong(t *testing.T) {
	t.Parallel()
	fs := vfs.NewCrashableMem()
	sub := newSubject(t, fs)
	newProject(t, sub, 1)
	want, err := sub.s.Positions(t.Context())
	if err != nil || len(want) == 0 {
		t.Fatalf("%v, %v", want, err)
	}
	deadline := time.Now().Add(2 * time.Minute)
	for {
		after := &subject{t: t, feeds: map[string]*feed{}}
		after.open(fs.CrashClone(vfs.CrashCloneCfg{}))
		got, err := after.s.Positions(t.Context())
		if err := after.s.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if maps.Equal(got, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a crash the store stands at %v, not at %v", got, want)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
