// Package blobtest checks that a blob.Store keeps its contract.
package blobtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"svc/shared/blob"
	"svc/shared/fault"
)

// Run runs the suite on a store. It uses keys under "blobtest/" and expects none of them to exist.
func Run(t *testing.T, store blob.Store) {
	t.Run("an object comes back as it was written", func(t *testing.T) { roundTrip(t, store) })
	t.Run("an object that is not there", func(t *testing.T) { missing(t, store) })
	t.Run("a later object replaces the former whole", func(t *testing.T) { replaced(t, store) })
	t.Run("a body of another size writes nothing", func(t *testing.T) { wrongSize(t, store) })
	t.Run("list finds every key under a prefix", func(t *testing.T) { list(t, store) })
	t.Run("keys outside the rules are refused", func(t *testing.T) { badKeys(t, store) })
	t.Run("an ended context ends the request", func(t *testing.T) { ended(t, store) })
}

func roundTrip(t *testing.T, store blob.Store) {
	for _, size := range []int{0, 1, 100_000, 17<<20 + 3} {
		key := fmt.Sprintf("blobtest/round/%d trip+ü%%2f.bin", size)
		data := make([]byte, size)
		fill(data)
		if err := store.Put(t.Context(), key, iotest.OneByteReader(bytes.NewReader(data[:min(size, 1)])), int64(min(size, 1)), blob.PutOptions{}); err != nil {
			t.Fatalf("%d bytes: %v", min(size, 1), err)
		}
		if err := store.Put(t.Context(), key, onlyReader{bytes.NewReader(data)}, int64(size), blob.PutOptions{ContentType: "text/x-test"}); err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		body, info, err := store.Get(t.Context(), key)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		got, err := io.ReadAll(body)
		if err := errors.Join(err, body.Close()); err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if !bytes.Equal(got, data) {
			t.Fatalf("%d bytes came back as %d others", size, len(got))
		}
		head, err := store.Head(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if info != head || info != (blob.Info{Key: key, Size: int64(size), ContentType: "text/x-test"}) {
			t.Errorf("%d bytes: %+v", size, info)
		}
	}
}

// fill writes numbers, so that no part is like another.
func fill(data []byte) {
	for i := 0; i+4 <= len(data); i += 4 {
		binary.LittleEndian.PutUint32(data[i:], uint32(i))
	}
}

func missing(t *testing.T, store blob.Store) {
	if body, _, err := store.Get(t.Context(), "blobtest/none/such"); !fault.Is(err, fault.NotFound) {
		t.Errorf("get: %v, %v", body, err)
	}
	if _, err := store.Head(t.Context(), "blobtest/none/such"); !fault.Is(err, fault.NotFound) {
		t.Errorf("head: %v", err)
	}
	if err := store.Delete(t.Context(), "blobtest/none/such"); err != nil {
		t.Errorf("delete: %v", err)
	}
	put(t, store, "blobtest/gone/soon", "x")
	if err := store.Delete(t.Context(), "blobtest/gone/soon"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Head(t.Context(), "blobtest/gone/soon"); !fault.Is(err, fault.NotFound) {
		t.Errorf("head of a deleted object: %v", err)
	}
}

func replaced(t *testing.T, store blob.Store) {
	put(t, store, "blobtest/replaced", "a longer text than the next")
	put(t, store, "blobtest/replaced", "short")
	if got := get(t, store, "blobtest/replaced"); got != "short" {
		t.Errorf("got %q", got)
	}
}

func wrongSize(t *testing.T, store blob.Store) {
	const key, large = "blobtest/size", 17 << 20
	put(t, store, key, "before")
	for _, c := range []struct{ have, say int64 }{{4, 5}, {5, 4}, {0, 1}, {1, 0}, {large, large + 1}, {large + 1, large}, {large - 1<<19, large}} {
		body := bytes.NewReader(make([]byte, c.have))
		if err := store.Put(t.Context(), key, body, c.say, blob.PutOptions{}); err == nil {
			t.Errorf("%d bytes were taken as %d", c.have, c.say)
		}
		if got := get(t, store, key); got != "before" {
			t.Fatalf("%d bytes as %d: the object is now %d bytes", c.have, c.say, len(got))
		}
	}
	if err := store.Put(t.Context(), key, strings.NewReader("x"), -1, blob.PutOptions{}); err == nil {
		t.Error("a size of -1 was taken")
	}
	broken := iotest.ErrReader(errors.New("the source broke"))
	if err := store.Put(t.Context(), key, io.MultiReader(strings.NewReader("abc"), broken), 6, blob.PutOptions{}); err == nil {
		t.Error("a broken body was taken")
	}
}

func list(t *testing.T, store blob.Store) {
	want := []string{"blobtest/list/a", "blobtest/list/b/1", "blobtest/list/b/2", "blobtest/list/c"}
	for _, key := range append([]string{"blobtest/listed", "blobtest/other/x"}, want...) {
		put(t, store, key, key)
	}
	var got []string
	err := store.List(t.Context(), "blobtest/list/", func(i blob.Info) error {
		if i.Size != int64(len(i.Key)) {
			t.Errorf("%+v", i)
		}
		got = append(got, i.Key)
		return nil
	})
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	stop, calls := errors.New("enough"), 0
	err = store.List(t.Context(), "blobtest/list/", func(blob.Info) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("an error of fn: %v after %d calls", err, calls)
	}
	err = store.List(t.Context(), "blobtest/nothing/", func(blob.Info) error { return stop })
	if err != nil {
		t.Errorf("an empty prefix: %v", err)
	}
}

func badKeys(t *testing.T, store blob.Store) {
	for _, key := range []string{"", "/a", "a/", "a//b", "../a", "a/./b", "a/..", "a\x00b", "\xff", strings.Repeat("a", 1025)} {
		if err := store.Put(t.Context(), key, strings.NewReader("x"), 1, blob.PutOptions{}); err == nil {
			t.Errorf("put took %.20q", key)
		}
		if _, _, err := store.Get(t.Context(), key); err == nil {
			t.Errorf("get took %.20q", key)
		}
		if _, err := store.Head(t.Context(), key); err == nil {
			t.Errorf("head took %.20q", key)
		}
		if err := store.Delete(t.Context(), key); err == nil {
			t.Errorf("delete took %.20q", key)
		}
	}
}

func ended(t *testing.T, store blob.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Put(ctx, "blobtest/ended", strings.NewReader("x"), 1, blob.PutOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v", err)
	}
	if _, _, err := store.Get(ctx, "blobtest/ended"); !errors.Is(err, context.Canceled) {
		t.Errorf("get: %v", err)
	}
	if err := store.List(ctx, "blobtest/list/", func(blob.Info) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("list: %v", err)
	}
}

func put(t *testing.T, store blob.Store, key, text string) {
	t.Helper()
	if err := store.Put(t.Context(), key, strings.NewReader(text), int64(len(text)), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, store blob.Store, key string) string {
	t.Helper()
	body, _, err := store.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

type onlyReader struct{ io.Reader }
