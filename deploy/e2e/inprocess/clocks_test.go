package inprocess

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"svc/bench/node"
	"svc/core"
	"svc/core/access"
	"svc/core/account"
	"svc/core/client"
	"svc/core/postgres"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
	"svc/edge"
	"svc/edge/limit"
	"svc/replication/stream"
	"svc/shared/blob"
	"svc/shared/content"
)

// clocks is a deployment whose nodes differ in what time they believe it is.
type clocks struct {
	t            *testing.T
	stack        *local.Stack
	organization content.OrganizationID
	token        string
	cores, edges []node.Node
}

// newClocks starts two cores, half a minute behind and ahead, and two edges, a minute behind and ahead.
func newClocks(t *testing.T) *clocks {
	t.Helper()
	s := &clocks{t: t, stack: localtest.Stack(t, local.Config{Parts: []local.Kind{local.Postgres, local.NATS, local.Redis, local.S3}})}
	for n, skew := range []time.Duration{-30 * time.Second, 30 * time.Second} {
		c, err := core.New(t.Context(), s.coreConfig(skew), slog.New(slog.DiscardHandler))
		s.check(err)
		s.run(c.Run, c.Close)
		s.cores = append(s.cores, node.Node{Name: fmt.Sprintf("core-%d", n+1), URL: "http://" + c.Address()})
	}
	for n, skew := range []time.Duration{-time.Minute, time.Minute} {
		cfg := s.edgeConfig(skew, fmt.Sprintf("edge-%d", n+1), s.cores[n].URL)
		e, err := edge.New(t.Context(), cfg, slog.New(slog.DiscardHandler))
		s.check(err)
		s.run(e.Run, e.Close)
		s.edges = append(s.edges, node.Node{Name: cfg.ID, URL: "http://" + e.Address()})
	}
	pool, err := postgres.Open(t.Context(), s.stack.ServiceURL(local.Postgres))
	s.check(err)
	defer pool.Close()
	founded, err := account.CreateOrganization(t.Context(), pool, access.System(), account.NewOrganization{Slug: "clocks"}, "clocks")
	s.check(err)
	s.organization, s.token = founded.Organization.ID, founded.Secret
	return s
}

func (s *clocks) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// run runs a program until the test ends.
func (s *clocks) run(run func(context.Context) error, closing func() error) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	s.t.Cleanup(func() {
		stop()
		err := <-ended
		if errors.Is(err, context.Canceled) {
			err = nil
		}
		if err := errors.Join(err, closing()); err != nil {
			s.t.Error(err)
		}
	})
}

const clocksSecret = "a secret of these nodes alone"

func off(by time.Duration) func() time.Time { return func() time.Time { return time.Now().Add(by) } }

func (s *clocks) storage() blob.Config {
	at := s.stack.Storage()
	return blob.Config{Endpoint: "http://" + at.Address, Region: at.Region, Bucket: at.Bucket, AccessKey: at.AccessKey,
		SecretKey: at.SecretKey, Connect: 2 * time.Second, Stall: 10 * time.Second}
}

func (s *clocks) coreConfig(skew time.Duration) core.Config {
	return core.Config{
		Listen: "127.0.0.1:0", DatabaseURL: s.stack.ServiceURL(local.Postgres), ClusterSecret: clocksSecret, Now: off(skew),
		Stream: stream.Config{URL: s.stack.ServiceURL(local.NATS)}, Blob: s.storage(),
	}
}

func (s *clocks) edgeConfig(skew time.Duration, id, coreURL string) edge.Config {
	return edge.Config{
		Listen: "127.0.0.1:0", ID: id, Dir: s.t.TempDir(), CoreURL: coreURL, ClusterSecret: clocksSecret, Now: off(skew),
		Memory: 128 << 20, CredentialMaxAge: 5 * time.Minute,
		Limit:  limit.Config{ReadRate: 1e6},
		Stream: stream.Config{URL: s.stack.ServiceURL(local.NATS)}, Blob: s.storage(),
	}
}

// api is a client of a core. Right after its start a core publishes nothing before it has compared its database with what
// others saw of it.
func (s *clocks) api(at node.Node) *client.Client { return client.New(at.URL, s.token, nil) }
