package local

import (
	"context"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	s3Region = "us-east-1"
	s3Bucket = "svc"
)

func (s *Stack) s3URL(from string) string { return "http://" + s.route(from, "s3") }

func (s *Stack) s3Part() part {
	return part{
		name: "s3", kind: S3, port: s.port("s3"),
		spec: s.embeddedSpec("s3", "SVC_PART_REGION="+s3Region,
			"SVC_PART_ACCESS_KEY="+s.secrets.S3AccessKey, "SVC_PART_SECRET_KEY="+s.secrets.S3SecretKey),
		probe: s.probeS3,
	}
}

// Storage is where the object storage of a stack is and how to open it.
type Storage struct {
	// Address is host:port; there is no TLS.
	Address, Region, Bucket, AccessKey, SecretKey string
}

// Storage tells where the object storage is.
func (s *Stack) Storage() Storage {
	return Storage{s.address("s3"), s3Region, s3Bucket, s.secrets.S3AccessKey, s.secrets.S3SecretKey}
}

// probeS3 makes the bucket of the service, or finds it.
func (s *Stack) probeS3(ctx context.Context) error {
	client, err := minio.New(s.address("s3"), &minio.Options{
		Creds:      credentials.NewStaticV4(s.secrets.S3AccessKey, s.secrets.S3SecretKey, ""),
		Region:     s3Region,
		MaxRetries: 1,
	})
	if err != nil {
		return err
	}
	exists, err := client.BucketExists(ctx, s3Bucket)
	if err != nil || exists {
		return err
	}
	return client.MakeBucket(ctx, s3Bucket, minio.MakeBucketOptions{Region: s3Region})
}
