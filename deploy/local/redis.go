package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"svc/deploy/local/process"
)

func (s *Stack) redisURL(from string) string {
	return fmt.Sprintf("redis://:%s@%s/0", s.secrets.RedisPassword, s.route(from, "redis"))
}

// redisPart keeps nothing on disk: what Redis holds are rate limits of seconds.
func (s *Stack) redisPart() part {
	return part{
		name: "redis", kind: Redis, port: s.port("redis"),
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
			options, err := redis.ParseURL(s.redisURL(""))
			if err != nil {
				return err
			}
			options.MaxRetries = -1
			logging.Disable() // every failure is returned too
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
		loopback, s.port("redis"), s.secrets.RedisPassword, dir)
	return path, replaceFile(path, []byte(settings))
}
