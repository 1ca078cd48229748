// Package blob is the object store: what the service keeps of it, and an S3 implementation. Package blobtest has one in memory,
// and the suite that both pass.
package blob

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"svc/shared/fault"
)

// Store keeps objects under keys. Objects are written whole: a reader sees either no object, the former one or the
// new one. An object that is not there is NOT_FOUND; a store that cannot be reached, or answers nonsense, is
// UNAVAILABLE.
type Store interface {
	// Put writes an object of exactly size bytes over whatever the key held. A body that is shorter or longer is an
	// error and writes nothing.
	Put(ctx context.Context, key string, body io.Reader, size int64, opts PutOptions) error
	// Get opens an object. The caller closes the body; reading less than Info.Size bytes from it ends in an error.
	Get(ctx context.Context, key string) (io.ReadCloser, Info, error)
	Head(ctx context.Context, key string) (Info, error)
	// Delete removes an object; one that is not there is no error.
	Delete(ctx context.Context, key string) error
	// List calls fn for each object whose key starts with prefix, in no particular order, and ends with the first
	// error that fn returns. Only Key and Size are certain to be set.
	List(ctx context.Context, prefix string, fn func(Info) error) error
}

// PutOptions says what goes with an object.
type PutOptions struct {
	ContentType string // "application/octet-stream" where empty
}

// Info describes an object.
type Info struct {
	Key         string
	Size        int64
	ContentType string
}

const maxKey = 1024

// CheckKey returns an INTERNAL fault for a key that not every store would take: keys are 1 to 1024 bytes of UTF-8 in
// segments divided by "/", none of them empty, "." or "..".
func CheckKey(key string) error {
	if key == "" || len(key) > maxKey || !utf8.ValidString(key) || strings.ContainsRune(key, 0) {
		return badKey(key)
	}
	for segment := range strings.SplitSeq(key, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return badKey(key)
		}
	}
	return nil
}

func badKey(key string) error {
	return fault.New(fault.Internal, "%.80q is no object key", key)
}

func notFound(key string, err error) error {
	return &fault.Error{Code: fault.NotFound, Detail: "there is no such object", Err: fmt.Errorf("object %s: %w", key, err)}
}

func unavailable(doing, key string, err error) error {
	return &fault.Error{
		Code: fault.Unavailable, Detail: "object storage cannot be used at the moment", RetryAfter: 5 * time.Second,
		Err: fmt.Errorf("object %s %s: %w", doing, key, err),
	}
}
