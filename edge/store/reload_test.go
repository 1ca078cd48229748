package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/shared/read"
	"svc/shared/read/readtest"
	"svc/shared/testrand"
)

// TestReloadWhileReading reloads a project again and again while readers list it and hold views open: the answers
// never change, and of the generations only the last stays.
func TestReloadWhileReading(t *testing.T) {
	t.Parallel()
	sub := &subject{t: t, feeds: map[string]*feed{}}
	sub.tune = smallTuning()
	sub.tune.smallRun = 1
	sub.open(vfs.NewMem())
	p := newProject(t, sub, 1)
	var items []readtest.Item
	for i := range uint64(100) {
		items = append(items, p.post(i, fmt.Sprintf("post-%d", i)))
	}
	p.publish(items...)
	p.publish(p.post(1, "other"), gone(2))
	sum := func(v read.View) (out [sha256.Size]byte) {
		h := sha256.New()
		for pin := range uint64(3) {
			for _, row := range listAll(t, v, "posts", pin, 50) {
				fmt.Fprint(h, row.Entry, row.Revision, row.Slug, row.PublishedAt, string(row.Fields))
			}
		}
		h.Sum(out[:0])
		return out
	}
	v := p.view()
	want := sum(v)
	v.Close()
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			var held []read.View
			defer func() {
				for _, v := range held {
					v.Close()
				}
			}()
			for {
				select {
				case <-stop:
					return
				default:
				}
				v, err := sub.s.Open(context.Background(), "shop-1")
				if err != nil {
					t.Error(err)
					return
				}
				if got := sum(v); got != want {
					t.Error("the answers changed")
				}
				if held = append(held, v); len(held) > 5 {
					if got := sum(held[0]); got != want {
						t.Error("a view that was held changed")
					}
					held[0].Close()
					held = held[1:]
				}
			}
		})
	}
	for range 10 * testrand.Scale {
		p.log().load(t, sub.s)
	}
	close(stop)
	readers.Wait()
	wantGenerations(t, sub.s, 1)
	p.log().wantSum(t, sub.s)
	wantSound(t, sub.s, string(p.id))
	if err := sub.s.Close(); err != nil {
		t.Error(err)
	}
}

// TestReloadsDoNotFillTheDisk reloads on a real disk with a view always open, and waits for the disk to be given back.
func TestReloadsDoNotFillTheDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := New(Config{Dir: dir, MemoryBudget: MinMemoryBudget, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := newBench(t, 1000)
	b.feed.load(t, s)
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	once := diskUsage(t, dir)
	var v read.View
	for i := range 12 * testrand.Scale {
		former := v
		if v, err = s.Open(t.Context(), "bench"); err != nil {
			t.Fatal(err)
		}
		if former != nil {
			former.Close()
		}
		b.feed.load(t, s)
		if i%10 == 5 {
			if err := b.feed.tryLoad(s, math.MaxInt, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	v.Close()
	s.sweep()
	s.sweep()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		now := diskUsage(t, dir)
		if now <= 2*once+(8<<20) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("one load takes %d bytes, and after the reloads %d are occupied\n%s", once, now, s.db.Metrics())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func diskUsage(t *testing.T, dir string) (total int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // files come and go
		}
		if info, err := d.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}
