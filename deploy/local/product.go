package local

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"svc/deploy/local/process"
)

// URL is the base address of core or of an edge, such as URL("edge-2").
func (s *Stack) URL(name string) string {
	return "http://" + s.address(name)
}

// program finds one of the product's programs.
func (s *Stack) program(name string) (string, error) {
	path := filepath.Join(s.cfg.Bin, name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("program %s: %w (`make build` builds it)", name, err)
	}
	return path, nil
}

func (s *Stack) corePart(name string) part {
	return part{
		name: name, kind: Core, port: s.port(name),
		spec: func() (process.Spec, error) {
			path, err := s.program("core")
			return process.Spec{Path: path, Args: []string{"serve"}, Env: s.coreEnvironment(name, name), Grace: 20 * time.Second}, err
		},
		probe: func(ctx context.Context) error { return probeReady(ctx, s.URL(name)) },
	}
}

// coreEnvironment is the environment of a core that reaches the services as the part from does.
func (s *Stack) coreEnvironment(from, name string) []string {
	return append(s.sharedEnvironment(from),
		"SVC_CORE_LISTEN="+s.address(name),
		"SVC_CORE_ADMIN_LISTEN="+s.adminAddress(name),
		"SVC_DATABASE_URL="+s.postgresURL(from, postgresDatabase),
		"SVC_ASSET_URL="+s.assetURL(),
	)
}

// assetURL is where assets are served: the first edge, or core, which says so itself, when there is none.
func (s *Stack) assetURL() string {
	if edges := s.Edges(); len(edges) > 0 {
		return s.URL(edges[0])
	}
	return s.URL("core")
}

func (s *Stack) edgePart(name string) part {
	return part{
		name: name, kind: Edge, port: s.port(name),
		spec: func() (process.Spec, error) {
			dir := s.Dir(name)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return process.Spec{}, fmt.Errorf("data directory of %s: %w", name, err)
			}
			path, err := s.program("edge")
			return process.Spec{Path: path, Args: []string{"serve"}, Env: s.edgeEnvironment(name, dir), Grace: 20 * time.Second}, err
		},
		probe: func(ctx context.Context) error { return probeReady(ctx, s.URL(name)) },
	}
}

func (s *Stack) edgeEnvironment(name, dir string) []string {
	return append(s.sharedEnvironment(name),
		"SVC_EDGE_LISTEN="+s.address(name),
		"SVC_EDGE_ADMIN_LISTEN="+s.adminAddress(name),
		"SVC_EDGE_ID="+name,
		"SVC_EDGE_DIR="+dir,
		"SVC_CORE_URL=http://"+s.route(name, s.coreOf(name)),
		"SVC_REDIS_URL="+s.redisURL(name),
		// The same limiter as everywhere, out of the way of one person's load test.
		"SVC_READ_RATE=1000000",
		"SVC_RENDER_RATE=10000",
	)
}

// sharedEnvironment is what core and edges are told alike.
func (s *Stack) sharedEnvironment(from string) []string {
	return append(basicEnvironment(),
		"SVC_NATS_URL="+s.natsURL(from),
		"SVC_S3_ENDPOINT="+s.s3URL(from),
		"SVC_S3_REGION="+s3Region,
		"SVC_S3_BUCKET="+s3Bucket,
		"SVC_S3_ACCESS_KEY="+s.secrets.S3AccessKey,
		"SVC_S3_SECRET_KEY="+s.secrets.S3SecretKey,
		"SVC_CLUSTER_SECRET="+s.secrets.ClusterSecret,
	)
}

// probeReady asks a server whether it is ready; the error holds the reasons it gives when it is not.
func probeReady(ctx context.Context, base string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	reasons, err := io.ReadAll(io.LimitReader(response.Body, 4<<10))
	if err != nil {
		return fmt.Errorf("read readiness: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("answers %d: %s", response.StatusCode, strings.TrimSpace(string(reasons)))
	}
	return nil
}
