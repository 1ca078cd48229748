package localtest

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/redis/go-redis/v9"

	"svc/deploy/local"
)

// redisDatabases is how many databases the shared server has; the first one counts who took which.
const redisDatabases = 4096

// Redis returns the address of a Redis database that is empty and that only this test uses.
func Redis(t testing.TB) string {
	t.Helper()
	options, err := redis.ParseURL(redisOne.lookup(t)(local.TestRedisURL))
	if err != nil {
		t.Fatalf("%s: %v", local.TestRedisURL, err)
	}
	counter := redis.NewClient(options)
	defer counter.Close()
	turn, err := counter.Incr(t.Context(), "databases taken").Result()
	if err != nil {
		t.Fatalf("take a Redis database: %v", err)
	}
	options.DB = int(1 + turn%(redisDatabases-1))
	own := redis.NewClient(options)
	defer own.Close()
	if err := own.FlushDB(t.Context()).Err(); err != nil {
		t.Fatalf("empty a Redis database: %v", err)
	}
	address := url.URL{
		Scheme: "redis", User: url.UserPassword("", options.Password), Host: options.Addr,
		Path: fmt.Sprintf("/%d", options.DB),
	}
	return address.String()
}
