package localtest

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"svc/deploy/local"
)

// Bucket is an object bucket and the key that opens it.
type Bucket struct {
	// Endpoint is "http://host:port".
	Endpoint  string
	Region    string
	Name      string
	AccessKey string
	SecretKey string
}

// S3 returns a new, empty bucket that only this test uses, in a store that verifies every signature.
func S3(t testing.TB) Bucket {
	t.Helper()
	env := s3.lookup(t)
	bucket := Bucket{
		Endpoint:  env(local.TestS3Endpoint),
		Region:    env(local.TestS3Region),
		Name:      "test-" + strings.ToLower(rand.Text()),
		AccessKey: env(local.TestS3AccessKey),
		SecretKey: env(local.TestS3SecretKey),
	}
	client := bucket.Client(t)
	if err := client.MakeBucket(t.Context(), bucket.Name, minio.MakeBucketOptions{Region: bucket.Region}); err != nil {
		t.Fatalf("make a test bucket: %v", err)
	}
	t.Cleanup(func() { removeBucket(t, client, bucket.Name) })
	return bucket
}

// Client opens the bucket's store, for tests that look behind the product's own client.
func (b Bucket) Client(t testing.TB) *minio.Client {
	t.Helper()
	address, err := url.Parse(b.Endpoint)
	if err != nil {
		t.Fatalf("endpoint of the test store: %v", err)
	}
	client, err := minio.New(address.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(b.AccessKey, b.SecretKey, ""),
		Region: b.Region,
	})
	if err != nil {
		t.Fatalf("open the test store: %v", err)
	}
	return client
}

func removeBucket(t testing.TB, client *minio.Client, name string) {
	ctx := context.Background()
	objects := client.ListObjects(ctx, name, minio.ListObjectsOptions{Recursive: true})
	for fault := range client.RemoveObjects(ctx, name, objects, minio.RemoveObjectsOptions{}) {
		t.Errorf("remove %s of the test bucket: %v", fault.ObjectName, fault.Err)
	}
	if err := client.RemoveBucket(ctx, name); err != nil {
		t.Errorf("remove the test bucket: %v", err)
	}
}
