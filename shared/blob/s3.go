package blob

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// partSize is what is held in memory of one object being written; larger ones go in several parts.
const partSize = 16 << 20

// attempts is how often a request is tried before its error is returned; callers have their own patience above it.
const attempts = 3

// S3 is a Store in a bucket of an S3-compatible service, addressed by path.
type S3 struct {
	core      minio.Core
	bucket    string
	region    string
	stall     time.Duration
	transport *http.Transport
}

// OpenS3 prepares a client. It makes no request, so a store that is away is found out by the first use.
func OpenS3(cfg Config) (*S3, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	endpoint, err := url.Parse(cfg.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("object store endpoint: %w", err)
	}
	transport := newTransport(cfg)
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds:        credentials.NewStaticV4(cfg.AccessKey, cfg.SecretKey, ""),
		Secure:       endpoint.Scheme == "https",
		Region:       cfg.Region,
		BucketLookup: minio.BucketLookupPath,
		Transport:    transport,
		MaxRetries:   attempts,
	})
	if err != nil {
		return nil, fmt.Errorf("object store client: %w", err)
	}
	return &S3{core: minio.Core{Client: client}, bucket: cfg.Bucket, region: cfg.Region, stall: cfg.Stall, transport: transport}, nil
}

// Close lets idle connections go.
func (s *S3) Close() { s.transport.CloseIdleConnections() }

// EnsureBucket makes the bucket where it is missing.
func (s *S3) EnsureBucket(ctx context.Context) error {
	exists, err := s.core.BucketExists(ctx, s.bucket)
	if err != nil {
		return unavailable("find bucket", s.bucket, err)
	}
	if exists {
		return nil
	}
	err = s.core.MakeBucket(ctx, s.bucket, minio.MakeBucketOptions{Region: s.region})
	if code := minio.ToErrorResponse(err).Code; err != nil && code != minio.BucketAlreadyOwnedByYou && code != minio.BucketAlreadyExists {
		return unavailable("make bucket", s.bucket, err)
	}
	return nil
}

// Put implements Store.
func (s *S3) Put(ctx context.Context, key string, body io.Reader, size int64, opts PutOptions) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	body = &exactReader{body: body, size: size, left: size}
	if size <= partSize { // from memory, so that a broken connection can be tried again
		data, err := io.ReadAll(body)
		if err != nil {
			return unavailable("write", key, err)
		}
		body = bytes.NewReader(data)
	}
	ctx, cancel := context.WithTimeout(ctx, attempts*within(2*s.stall, size)) // for the request, and for the answer
	defer cancel()
	_, err := s.core.Client.PutObject(ctx, s.bucket, key, body, size, minio.PutObjectOptions{
		ContentType: cmp.Or(opts.ContentType, "application/octet-stream"),
		PartSize:    partSize,
		NumThreads:  1,
	})
	return s.fault("write", key, err)
}

// Get implements Store.
func (s *S3) Get(ctx context.Context, key string) (io.ReadCloser, Info, error) {
	if err := CheckKey(key); err != nil {
		return nil, Info{}, err
	}
	body, info, _, err := s.core.GetObject(ctx, s.bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, Info{}, s.fault("read", key, err)
	}
	return &objectReader{key: key, body: body, left: info.Size, stall: s.stall}, infoOf(key, info), nil
}

// Head implements Store.
func (s *S3) Head(ctx context.Context, key string) (Info, error) {
	if err := CheckKey(key); err != nil {
		return Info{}, err
	}
	info, err := s.core.StatObject(ctx, s.bucket, key, minio.StatObjectOptions{})
	return infoOf(key, info), s.fault("look at", key, err)
}

// Delete implements Store.
func (s *S3) Delete(ctx context.Context, key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	err := s.core.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return nil
	}
	return s.fault("delete", key, err)
}

// List implements Store.
func (s *S3) List(ctx context.Context, prefix string, fn func(Info) error) error {
	listing, stop := context.WithCancel(ctx)
	defer stop()
	for info := range s.core.ListObjectsIter(listing, s.bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if info.Err != nil {
			return s.fault("list", prefix, info.Err)
		}
		if err := fn(infoOf(info.Key, info)); err != nil {
			return err
		}
	}
	return s.fault("list", prefix, ctx.Err()) // an ended context ends the iteration without a word
}

func (s *S3) fault(doing, key string, err error) error {
	if err == nil {
		return nil
	}
	var answer minio.ErrorResponse
	if errors.As(err, &answer) && answer.Code == minio.NoSuchKey {
		return notFound(key, err)
	}
	return unavailable(doing, key, err)
}

func infoOf(key string, o minio.ObjectInfo) Info {
	return Info{Key: key, Size: o.Size, ContentType: o.ContentType}
}
