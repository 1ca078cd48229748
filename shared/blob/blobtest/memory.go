package blobtest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"

	"svc/shared/blob"
	"svc/shared/fault"
)

// Memory is a Store in memory, for tests. The zero value is empty and ready.
type Memory struct {
	mu      sync.RWMutex
	objects map[string]object
}

type object struct {
	data []byte
	info blob.Info
}

// Put implements Store.
func (m *Memory) Put(ctx context.Context, key string, body io.Reader, size int64, opts blob.PutOptions) error {
	if err := blob.CheckKey(key); err != nil {
		return err
	}
	data, err := io.ReadAll(body)
	if err == nil && int64(len(data)) != size {
		err = fmt.Errorf("the body has %d bytes, not %d", len(data), size)
	}
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return unavailable("write", key, err)
	}
	info := blob.Info{Key: key, Size: size, ContentType: cmp.Or(opts.ContentType, "application/octet-stream")}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.objects == nil {
		m.objects = map[string]object{}
	}
	m.objects[key] = object{data: data, info: info}
	return nil
}

// Get implements Store.
func (m *Memory) Get(ctx context.Context, key string) (io.ReadCloser, blob.Info, error) {
	o, err := m.find(ctx, key)
	if err != nil {
		return nil, blob.Info{}, err
	}
	return io.NopCloser(bytes.NewReader(o.data)), o.info, nil
}

// Head implements Store.
func (m *Memory) Head(ctx context.Context, key string) (blob.Info, error) {
	o, err := m.find(ctx, key)
	return o.info, err
}

func (m *Memory) find(ctx context.Context, key string) (object, error) {
	if err := blob.CheckKey(key); err != nil {
		return object{}, err
	}
	if err := ctx.Err(); err != nil {
		return object{}, unavailable("read", key, err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	o, ok := m.objects[key]
	if !ok {
		return object{}, fault.New(fault.NotFound, "there is no such object")
	}
	return o, nil
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, key string) error {
	if err := blob.CheckKey(key); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return unavailable("delete", key, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, key)
	return nil
}

// List implements Store.
func (m *Memory) List(ctx context.Context, prefix string, fn func(blob.Info) error) error {
	m.mu.RLock()
	objects := maps.Clone(m.objects)
	m.mu.RUnlock()
	for key, o := range objects {
		if err := ctx.Err(); err != nil {
			return unavailable("list", prefix, err)
		}
		if strings.HasPrefix(key, prefix) {
			if err := fn(o.info); err != nil {
				return err
			}
		}
	}
	return nil
}

func unavailable(doing, key string, err error) error {
	return &fault.Error{Code: fault.Unavailable, Detail: "object storage cannot be used at the moment", Err: fmt.Errorf("%s %s: %w", doing, key, err)}
}
