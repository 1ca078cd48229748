package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/redis/go-redis/v9"

	"svc/deploy/local/process"
)

const (
	s3Region = "us-east-1"
	s3Bucket = "svc"
)

func (s *Stack) natsURL() string {
	return fmt.Sprintf("nats://%s@%s", s.secrets.NATSToken, address(s.ports["nats"]))
}

func (s *Stack) redisURL() string {
	return fmt.Sprintf("redis://:%s@%s/0", s.secrets.RedisPassword, address(s.ports["redis"]))
}

func (s *Stack) s3URL() string { return "http://" + address(s.ports["s3"]) }

// embeddedSpec runs a server that is part of the program "local" (package embedded).
func (s *Stack) embeddedSpec(name string, env ...string) func() (process.Spec, error) {
	return func() (process.Spec, error) {
		dir := s.Dir(name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return process.Spec{}, fmt.Errorf("data directory of %s: %w", name, err)
		}
		env := append(env, "SVC_PART_LISTEN="+address(s.ports[name]), "SVC_PART_DIR="+dir)
		return process.Spec{
			Path: filepath.Join(s.cfg.Bin, "local"),
			Args: []string{"part", name},
			Env:  append(basicEnvironment(), env...),
		}, nil
	}
}

func (s *Stack) natsPart() part {
	return part{
		name: "nats", kind: NATS, port: s.ports["nats"],
		spec:  s.embeddedSpec("nats", "SVC_PART_TOKEN="+s.secrets.NATSToken),
		probe: s.probeNATS,
	}
}

// probeNATS shows the token and waits for an answer. NATS greets with a line of JSON that tells whether streams are up.
func (s *Stack) probeNATS(ctx context.Context) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address(s.ports["nats"]))
	if err != nil {
		return err
	}
	defer conn.Close()
	if deadline, set := ctx.Deadline(); set {
		if err := conn.SetDeadline(deadline); err != nil {
			return err
		}
	}
	lines := bufio.NewReader(conn)
	greeting, err := lines.ReadString('\n')
	if err != nil {
		return fmt.Errorf("greeting of NATS: %w", err)
	}
	var info struct {
		JetStream bool `json:"jetstream"`
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(greeting, "INFO ")), &info); err != nil {
		return fmt.Errorf("greeting of NATS: %w", err)
	}
	if !info.JetStream {
		return errors.New("NATS has not opened its streams")
	}
	if _, err := fmt.Fprintf(conn, "CONNECT {\"auth_token\":%q,\"verbose\":false}\r\nPING\r\n", s.secrets.NATSToken); err != nil {
		return fmt.Errorf("ask NATS: %w", err)
	}
	if answer, err := lines.ReadString('\n'); err != nil || strings.TrimSpace(answer) != "PONG" {
		return fmt.Errorf("NATS answered %q: %w", strings.TrimSpace(answer), err)
	}
	return nil
}

// redisPart keeps nothing on disk: what Redis holds are rate limits of seconds.
func (s *Stack) redisPart() part {
	return part{
		name: "redis", kind: Redis, port: s.ports["redis"],
		spec: func() (process.Spec, error) {
			server, err := process.Find("redis-server")
			if err != nil {
				return process.Spec{}, fmt.Errorf("%w: install Debian's redis-server, or run deploy/local/install.sh", err)
			}
			config, err := s.writeRedisConfig()
			if err != nil {
				return process.Spec{}, err
			}
			return process.Spec{Path: server, Args: []string{config}, Env: basicEnvironment()}, nil
		},
		probe: func(ctx context.Context) error {
			options, err := redis.ParseURL(s.redisURL())
			if err != nil {
				return err
			}
			options.MaxRetries = -1
			client := redis.NewClient(options)
			defer client.Close()
			return client.Ping(ctx).Err()
		},
	}
}

func (s *Stack) writeRedisConfig() (string, error) {
	dir := s.Dir("redis")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("data directory of redis: %w", err)
	}
	path := filepath.Join(dir, "redis.conf")
	// Its process title would overwrite the environment, by which the stack knows its own processes.
	settings := fmt.Sprintf("bind %s\nport %d\nrequirepass %s\ndir %q\nsave \"\"\nappendonly no\ndaemonize no\n"+
		"set-proc-title no\ndatabases 4096\nmaxmemory 256mb\nmaxmemory-policy volatile-lru\n",
		loopback, s.ports["redis"], s.secrets.RedisPassword, dir)
	return path, replaceFile(path, []byte(settings))
}

func (s *Stack) s3Part() part {
	return part{
		name: "s3", kind: S3, port: s.ports["s3"],
		spec: s.embeddedSpec("s3", "SVC_PART_REGION="+s3Region,
			"SVC_PART_ACCESS_KEY="+s.secrets.S3AccessKey, "SVC_PART_SECRET_KEY="+s.secrets.S3SecretKey),
		probe: s.probeS3,
	}
}

// probeS3 makes the bucket of the service, or finds it.
func (s *Stack) probeS3(ctx context.Context) error {
	client, err := minio.New(address(s.ports["s3"]), &minio.Options{
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

// ServiceURL is the address of a running service with its secret in it, as the programs' configuration takes it; that of
// S3 is bare.
func (s *Stack) ServiceURL(kind Kind) string {
	switch kind {
	case Postgres:
		return s.postgresURL(postgresDatabase)
	case NATS:
		return s.natsURL()
	case Redis:
		return s.redisURL()
	case S3:
		return s.s3URL()
	}
	return ""
}
