package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"
	"time"
)

// Memory is a Store in memory, for tests. The zero value is empty and ready.
type Memory struct {
	mu      sync.RWMutex
	objects map[string]object
}

type object struct {
	data []byte
	info Info
}

// Put implements Store.
func (m *Memory) Put(ctx context.Context, key string, body io.Reader, size int64, opts PutOptions) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	data, err := exactly(body, size)
	if err != nil {
		return unavailable("write", key, err)
	}
	if err := ctx.Err(); err != nil {
		return unavailable("write", key, err)
	}
	sum := sha256.Sum256(data)
	info := Info{Key: key, Size: size, ContentType: contentType(opts), ETag: hex.EncodeToString(sum[:16]), Modified: time.Now().UTC()}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.objects == nil {
		m.objects = map[string]object{}
	}
	m.objects[key] = object{data: data, info: info}
	return nil
}

// Get implements Store.
func (m *Memory) Get(ctx context.Context, key string) (io.ReadCloser, Info, error) {
	o, err := m.find(ctx, key)
	if err != nil {
		return nil, Info{}, err
	}
	return io.NopCloser(bytes.NewReader(o.data)), o.info, nil
}

// Head implements Store.
func (m *Memory) Head(ctx context.Context, key string) (Info, error) {
	o, err := m.find(ctx, key)
	return o.info, err
}

func (m *Memory) find(ctx context.Context, key string) (object, error) {
	if err := CheckKey(key); err != nil {
		return object{}, err
	}
	if err := ctx.Err(); err != nil {
		return object{}, unavailable("read", key, err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	o, ok := m.objects[key]
	if !ok {
		return object{}, notFound(key, nil)
	}
	return o, nil
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, key string) error {
	if err := CheckKey(key); err != nil {
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
func (m *Memory) List(ctx context.Context, prefix string, fn func(Info) error) error {
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

// exactly reads a body that must have size bytes.
func exactly(body io.Reader, size int64) ([]byte, error) {
	if size < 0 {
		return nil, fmt.Errorf("a size of %d bytes", size)
	}
	data := make([]byte, size)
	if n, err := io.ReadFull(body, data); err != nil {
		return nil, fmt.Errorf("the body ends after %d of %d bytes: %w", n, size, err)
	}
	if err := atEnd(body, size); err != nil {
		return nil, err
	}
	return data, nil
}

func atEnd(body io.Reader, size int64) error {
	n, err := io.ReadFull(body, make([]byte, 1))
	if n > 0 {
		return fmt.Errorf("the body is longer than its %d bytes", size)
	}
	if err != io.EOF {
		return fmt.Errorf("after %d bytes: %w", size, err)
	}
	return nil
}

func contentType(opts PutOptions) string {
	if opts.ContentType == "" {
		return "application/octet-stream"
	}
	return opts.ContentType
}
