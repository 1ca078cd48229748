package origin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"
	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/read"
)

const (
	asksPerSecond = 50
	rememberFor   = 2 * time.Second
	trouble       = 500 * time.Millisecond // how long not to ask again where core did not answer
	maxRemembered = 10_000
	keyTimeout    = 2 * time.Second
	// heldTimeout is how long core is waited for about a key that the log has, and heldTrouble how long not at all where
	// it did not answer: public reads come with keys too, and are answered while core hangs.
	heldTimeout = 300 * time.Millisecond
	heldTrouble = 5 * time.Second
)

// Keys answers what an API key allows: from the organization's log, and from core where the log does not have the key yet,
// so that a key works the moment it is made, or has not been heard of for too long, as when the edge has just started. Guesses at keys cost core little: it is asked at a bounded rate, and
// an answer is remembered for a moment.
type Keys struct {
	Local read.Keys
	// Age is how long ago an organization's keys, with every revocation, were last known for sure.
	Age func(content.OrganizationID) time.Duration
	// MaxAge is the age beyond which core alone can tell what a key allows.
	MaxAge time.Duration

	base   string
	secret string
	http   *http.Client
	asks   *rate.Limiter
	flight singleflight.Group
	now    func() time.Time
	held   time.Duration // heldTimeout

	mu   sync.Mutex
	away time.Time // until then core is not asked about keys of the log
	seen map[string]remembered
}

type remembered struct {
	grant *credential.Grant // nil: core knows of none
	err   error             // core did not answer
	until time.Time
}

// NewKeys returns the keys of an edge behind these cores, which let in those who show the cluster's secret.
func NewKeys(local read.Keys, cores *Cores, secret string, age func(content.OrganizationID) time.Duration, maxAge time.Duration) *Keys {
	return &Keys{
		Local: local, Age: age, MaxAge: maxAge, base: cores.Base().String(), secret: secret,
		http: &http.Client{Timeout: keyTimeout, Transport: cores},
		asks: rate.NewLimiter(asksPerSecond, asksPerSecond), now: time.Now, held: heldTimeout, seen: map[string]remembered{},
	}
}

// Grant implements read.Keys.
func (k *Keys) Grant(ctx context.Context, publicID string) (*credential.Grant, error) {
	grant, err := k.Local.Grant(ctx, publicID)
	if err != nil {
		return nil, err
	}
	r, ok := k.recall(publicID)
	if grant != nil && k.Age(grant.Organization) <= k.MaxAge {
		if ok && r.grant != nil && !r.grant.Live(k.now()) {
			return r.grant, nil // core told of its end, and the log has not come that far
		}
		return grant, nil
	}
	if !ok {
		// It points into the request, and what is remembered outlives that.
		publicID = strings.Clone(publicID)
		if grant != nil {
			r = k.confirm(context.WithoutCancel(ctx), publicID)
		} else {
			r = k.learn(context.WithoutCancel(ctx), publicID)
		}
	}
	if r.err != nil {
		return nil, unsure(r.err)
	}
	return r.grant, nil
}

var errTooMany = errors.New("core is asked about too many keys")

// confirm asks core about a key that the log has, briefly.
func (k *Keys) confirm(ctx context.Context, publicID string) remembered {
	k.mu.Lock()
	away := k.now().Before(k.away)
	k.mu.Unlock()
	if away {
		return remembered{err: errors.New("credentials are old, and core did not answer a moment ago")}
	}
	ctx, cancel := context.WithTimeout(ctx, k.held)
	defer cancel()
	r := k.learn(ctx, publicID)
	if r.err != nil && r.err != errTooMany {
		k.mu.Lock()
		k.away = k.now().Add(heldTrouble)
		k.mu.Unlock()
	}
	return r
}

// learn asks core once for all who want to know the same.
func (k *Keys) learn(ctx context.Context, publicID string) remembered {
	found, _, _ := k.flight.Do(publicID, func() (any, error) {
		if r, ok := k.recall(publicID); ok {
			return r, nil // the one before has just learned it
		}
		if !k.asks.AllowN(k.now(), 1) {
			return remembered{err: errTooMany}, nil
		}
		grant, err := k.ask(ctx, publicID)
		r := remembered{grant: grant, err: err, until: k.now().Add(rememberFor)}
		if err != nil {
			r.until = k.now().Add(trouble)
		}
		k.remember(publicID, r)
		return r, nil
	})
	return found.(remembered)
}

func unsure(err error) error {
	return &fault.Error{
		Code: fault.Unavailable, Detail: "the API key cannot be verified at the moment", RetryAfter: time.Second, Err: err,
	}
}

// ask asks core; nil without an error where core knows of no such key.
func (k *Keys) ask(ctx context.Context, publicID string) (*credential.Grant, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, k.base+"/internal/v1/keys/"+url.PathEscape(publicID), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+k.secret)
	response, err := k.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking core about a key: %w", err)
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusNotFound:
		return nil, nil
	case http.StatusOK:
		grant, err := readKey(response.Body)
		if err == nil && grant.PublicID != publicID {
			return nil, fmt.Errorf("reading a key from core: it answered about %q, asked about %q", grant.PublicID, publicID)
		}
		return grant, err
	}
	return nil, fmt.Errorf("asking core about a key: core answered %s", response.Status)
}

func readKey(body io.Reader) (*credential.Grant, error) {
	var answer struct {
		Organization content.OrganizationID `json:"organization"`
		Key          []byte                 `json:"key"`
	}
	if err := json.UnmarshalRead(io.LimitReader(body, 1<<20), &answer); err != nil {
		return nil, fmt.Errorf("reading a key from core: %w", err)
	}
	if !content.IsID[content.OrganizationID](string(answer.Organization)) {
		return nil, fmt.Errorf("reading a key from core: %q is no organization", answer.Organization)
	}
	var key recordpb.Key
	if err := proto.Unmarshal(answer.Key, &key); err != nil {
		return nil, fmt.Errorf("reading a key from core: %w", err)
	}
	return record.GrantOf(answer.Organization, &key)
}

func (k *Keys) recall(publicID string) (remembered, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.seen[publicID]
	if ok && !k.now().Before(r.until) {
		delete(k.seen, publicID)
		return r, false
	}
	return r, ok
}

func (k *Keys) remember(publicID string, r remembered) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.seen) >= maxRemembered {
		clear(k.seen)
	}
	k.seen[publicID] = r
}
