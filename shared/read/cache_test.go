package read_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// slowStore is a store whose lists wait for a sign, and whose views have the version of their moment.
type slowStore struct {
	read.Store
	version atomic.Uint64
	lists   atomic.Int32
	sign    chan struct{}
}

func (s *slowStore) Open(ctx context.Context, project string) (read.View, error) {
	view, err := s.Store.Open(ctx, project)
	return &slowView{view, s, s.version.Load()}, err
}

type slowView struct {
	read.View
	store   *slowStore
	version uint64
}

func (v *slowView) Version(string, uint64) uint64 { return v.version }

func (v *slowView) List(ctx context.Context, q read.ListQuery) (read.Page, error) {
	v.store.lists.Add(1)
	<-v.store.sign
	return v.View.List(ctx, q)
}

// cachedSite is a site whose engine has a cache on a slow store.
func cachedSite(t *testing.T) (*slowStore, func() int) {
	t.Helper()
	s := newSite(t)
	store := &slowStore{Store: s.memory, sign: make(chan struct{})}
	store.version.Store(1)
	cache, err := read.NewCache(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cache.Close)
	engine := *s.engine
	engine.Store, engine.Cache = store, cache
	return store, func() int {
		resp := engine.Serve(t.Context(), &read.Request{Method: "GET", Route: query.RouteList, Project: string(readtest.Project(1)), Collection: "posts"})
		defer resp.Release()
		return resp.Status
	}
}

func TestCallersOfOneAnswerHaveItMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, ask := cachedSite(t)
		var answered atomic.Int32
		for range 8 {
			go func() {
				if ask() == 200 {
					answered.Add(1)
				}
			}()
		}
		synctest.Wait()
		close(store.sign)
		synctest.Wait()
		if store.lists.Load() != 1 || answered.Load() != 8 {
			t.Errorf("%d lists for %d answers, want 1 for 8", store.lists.Load(), answered.Load())
		}
		ask()
		if store.lists.Load() != 1 {
			t.Error("the answer was not kept")
		}
		store.version.Store(2)
		if ask(); store.lists.Load() != 2 {
			t.Error("the answer of an older version was used")
		}
	})
}

func TestACallerWhoSeesMoreDoesNotTakeTheAnswerOfOneWhoSawLess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, ask := cachedSite(t)
		go ask()
		synctest.Wait()
		store.version.Store(2)
		go ask()
		synctest.Wait()
		if store.lists.Load() != 1 {
			t.Fatalf("%d lists at the same time, want 1", store.lists.Load())
		}
		close(store.sign)
		synctest.Wait()
		if store.lists.Load() != 2 {
			t.Errorf("%d lists for two versions, want 2", store.lists.Load())
		}
	})
}
