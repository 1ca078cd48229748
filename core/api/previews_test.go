package api_test

import (
	"fmt"
	"testing"
	"time"
)

// TestPreviewsLiveAsLongAsAsked: an hour, or as many seconds as the request says.
func TestPreviewsLiveAsLongAsAsked(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	set := b.call(b.owner, "POST", sets, `{"title":"Spring"}`).is(201).at("data.id")
	for body, want := range map[string]time.Duration{
		`{}`: time.Hour, `{"expiresInSeconds":60}`: time.Minute, `{"expiresInSeconds":2592000}`: 30 * 24 * time.Hour,
	} {
		made := b.call(b.owner, "POST", sets+"/"+set+"/previews", body).is(201)
		from, err := time.Parse(time.RFC3339, made.at("data.preview.createdAt"))
		b.ok(err)
		to, err := time.Parse(time.RFC3339, made.at("data.preview.expiresAt"))
		b.ok(err)
		if to.Sub(from) != want {
			t.Errorf("%s lives for %s, want %s", body, to.Sub(from), want)
		}
	}
	mine := b.key(fmt.Sprintf(`{"label":"short","scopes":["content:read","content:write"],"expiresAt":%q}`, time.Now().Add(30*time.Minute).Format(time.RFC3339)))
	b.call(mine, "POST", sets+"/"+set+"/previews", `{}`).refused("FORBIDDEN")
	b.call(mine, "POST", sets+"/"+set+"/previews", `{"expiresInSeconds":1200}`).is(201)
}
