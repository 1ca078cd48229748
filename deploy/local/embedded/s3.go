package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

// S3Config is the configuration of the S3 store.
type S3Config struct {
	Listen string `env:"SVC_PART_LISTEN,required"`
	// Dir holds the buckets, as directories, and what is known about their objects.
	Dir       string `env:"SVC_PART_DIR,required"`
	Region    string `env:"SVC_PART_REGION,required"`
	AccessKey string `env:"SVC_PART_ACCESS_KEY,required"`
	SecretKey string `env:"SVC_PART_SECRET_KEY,required"`
}

// RunS3 serves until the context ends. Every request must be signed with the configured key; presigned ones are verified
// in full. Metadata is kept in files beside the objects, so any file system will do, not only one with extended attributes.
func RunS3(ctx context.Context, cfg S3Config) error {
	objects, sidecar := filepath.Join(cfg.Dir, "objects"), filepath.Join(cfg.Dir, "meta")
	for _, dir := range []string{objects, sidecar} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("store directory: %w", err)
		}
	}
	metadata, err := meta.NewSideCar(sidecar)
	if err != nil {
		return fmt.Errorf("open object metadata: %w", err)
	}
	store, err := posix.New(objects, metadata, posix.PosixOpts{SideCarDir: sidecar, Concurrency: 64})
	if err != nil {
		return fmt.Errorf("open object store: %w", err)
	}
	err = embedgw.RunVersityGW(ctx, store, &embedgw.Config{
		RootUserAccess:    cfg.AccessKey,
		RootUserSecret:    cfg.SecretKey,
		Region:            cfg.Region,
		Ports:             []string{cfg.Listen},
		MaxConnections:    4096,
		MaxRequests:       2048,
		MultipartMaxParts: 10000,
		KeepAlive:         true,
		Quiet:             true,
	})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve S3 at %s: %w", cfg.Listen, err)
	}
	return nil
}
