package core_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"svc/core/access"
	"svc/core/account"
	"svc/core/project"
	"svc/replication/stream"
	"svc/replication/usage"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/wiretest"
)

// TestUsesOfKeysForReadsAreNoted, those at edges by the clock of the stream.
func TestUsesOfKeysForReadsAreNoted(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	p, err := project.Get(t.Context(), b.Pool, string(b.ID))
	b.OK(err)
	mint := func() (content.KeyID, string) {
		key, secret, err := account.MintKey(t.Context(), b.Pool, access.System(), account.NewKey{
			Organization: p.Organization, Label: "key", Scopes: []credential.Scope{credential.ContentRead},
		})
		b.OK(err)
		return key.ID, secret
	}
	atEdges, _ := mint()
	atCore, secret := mint()
	unused, _ := mint()
	c, stop := b.node()
	defer stop()
	used := func(key content.KeyID) (age time.Duration) {
		t.Helper()
		b.OK(c.Collect(t.Context()))
		var at *time.Time
		var now time.Time
		b.OK(b.Pool.QueryRow(t.Context(), `SELECT last_used_at, clock_timestamp() FROM api_key WHERE id = $1`, key).Scan(&at, &now))
		if at == nil {
			return -1
		}
		return now.Sub(*at)
	}
	edges, err := stream.Connect(stream.Config{URL: b.nats.URL, Name: "edges"}, b.logger())
	b.OK(err)
	defer edges.Close()
	b.until("there is a stream", func() bool { return edges.Ensure(t.Context()) == nil })
	report := func(edge string, ago time.Duration) {
		t.Helper()
		wrong := time.Now().Add(24 * time.Hour) // the edge's clock
		data, err := json.Marshal(usage.Statement{Edge: edge, At: wrong, KeysUsed: map[content.KeyID]int64{atEdges: wrong.Add(-ago).UnixMilli(), "key_gone": 1}})
		b.OK(err)
		b.OK(edges.StateUsage(t.Context(), edge+".1.0", data))
	}
	within := func(what string, age, want time.Duration) {
		t.Helper()
		if age < want || age > want+10*time.Minute {
			t.Errorf("%s: used %s ago, want %s", what, age, want)
		}
	}
	report("edge-1", 10*time.Hour)
	report("edge-2", 20*time.Hour)
	within("the latest of several edges", used(atEdges), 10*time.Hour)
	report("edge-1", 15*time.Hour)
	within("never backwards", used(atEdges), 10*time.Hour)
	report("edge-2", 5*time.Hour)
	within("forwards", used(atEdges), 5*time.Hour)

	request, err := http.NewRequest(http.MethodGet, "http://"+c.Address()+"/v1/projects/"+string(b.ID)+"/collections/none/entries", nil)
	b.OK(err)
	request.Header.Set("Authorization", "Bearer "+secret)
	response, err := wiretest.Client.Do(request)
	b.OK(err)
	response.Body.Close()
	within("a read at core", used(atCore), 0)
	var reads int
	b.OK(b.Pool.QueryRow(t.Context(), `SELECT sum(total) FROM usage_day WHERE organization_id = $1 AND meter = 'public_api_requests'`, p.Organization).Scan(&reads))
	if reads != 1 {
		t.Errorf("%d reads were counted at core", reads)
	}
	if age := used(unused); age >= 0 {
		t.Errorf("a key that was never used was used %s ago", age)
	}
}
