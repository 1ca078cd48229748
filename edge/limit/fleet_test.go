package limit

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"

	"svc/deploy/local/localtest"
)

// clocked is a Redis whose scripts go by the clock of a test. Keys do not expire there, since that goes by the clock of Redis.
type clocked struct {
	*redis.Client
	clock *clock
}

var errNoScript = errors.New("NOSCRIPT: this one is sent with its text")

// EvalSha implements redis.Scripter. After this error the script comes to Eval.
func (c clocked) EvalSha(ctx context.Context, _ string, _ []string, _ ...any) *redis.Cmd {
	cmd := redis.NewCmd(ctx)
	cmd.SetErr(noScript{errNoScript})
	return cmd
}

// noScript is the answer of Redis to a script that it does not know.
type noScript struct{ error }

// RedisError implements redis.Error.
func (noScript) RedisError() {}

// Eval implements redis.Scripter.
func (c clocked) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	now := c.clock.now()
	at := "{" + strconv.FormatInt(now.Unix(), 10) + ", " + strconv.Itoa(now.Nanosecond()/1000) + "}"
	return c.Client.Eval(ctx, strings.NewReplacer(`redis.call("TIME")`, at, `, "EX", math.ceil(reset_after)`, ``).Replace(script), keys, args...)
}

// fleet is edges that share their limits, in the time of a test.
type fleet struct {
	clock     *clock
	edges     []*Limiter
	reporters []*Reporter
}

func newFleet(t *testing.T, edges int, p Policy) *fleet {
	t.Helper()
	f := &fleet{clock: &clock{time.Unix(1_900_000_000, 0)}}
	url := localtest.Redis(t)
	for range edges {
		l, r := sharing(t, p, url)
		l.now, l.start = f.clock.now, f.clock.now()
		r.rate = redis_rate.NewLimiter(clocked{r.client, f.clock})
		f.edges, f.reporters = append(f.edges, l), append(f.reporters, r)
	}
	return f
}

// ask spreads requests of one client evenly over a time and over the edges, each of which reports every Interval, one after the
// other. It returns how many were admitted.
func (f *fleet) ask(t *testing.T, rate int, d time.Duration) (admitted int) {
	t.Helper()
	const tick = time.Millisecond
	asked := 0
	for now := time.Duration(0); now < d; now += tick {
		for ; time.Duration(asked)*time.Second < time.Duration(rate)*now; asked++ {
			if f.edges[asked%len(f.edges)].Allow(v4, "p").Allowed {
				admitted++
			}
		}
		for i, r := range f.reporters {
			if (now-time.Duration(i)*Interval/time.Duration(len(f.reporters)))%Interval == 0 {
				r.must(t)
			}
		}
		f.clock.t = f.clock.t.Add(tick)
	}
	return admitted
}

// TestAFleetAdmitsTheRateOfOneLimit: a client that goes round twenty edges is limited as at one.
func TestAFleetAdmitsTheRateOfOneLimit(t *testing.T) {
	t.Parallel()
	policy := Config{ReadRate: 50}.Reads()
	const edges, minute = 20, time.Minute

	within := newFleet(t, edges, policy)
	if got := within.ask(t, 40, minute); got != 40*60-1 && got != 40*60 {
		t.Errorf("of 40 requests/s for a minute %d were admitted", got)
	}

	beyond := newFleet(t, edges, policy)
	burst := beyond.ask(t, 80, 10*time.Second)
	if least, most := policy.Burst+10*50*95/100, policy.Burst+10*50+edges*policy.Burst; burst < least || burst > most {
		t.Errorf("of 80 requests/s %d were admitted in the first 10 s; %d to %d are right", burst, least, most)
	}
	if got, right := beyond.ask(t, 80, minute), 50*60; got < right*95/100 || got > right*105/100 {
		t.Errorf("of 80 requests/s for a minute %d were admitted, and the limit is %d", got, right)
	}
}
