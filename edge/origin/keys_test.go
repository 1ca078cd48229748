package origin

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"testing"
	"time"
	"unsafe"

	"svc/shared/content"
	"svc/shared/credential"
)

// noKeys is a log that has no key yet.
type noKeys struct{}

func (noKeys) Grant(context.Context, string) (*credential.Grant, error) { return nil, nil }

// asked is a core that knows no key and notes which ones it was asked about.
func asked(t *testing.T) (url string, about func() []string) {
	var mu sync.Mutex
	var ids []string
	core := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		ids = append(ids, path.Base(r.URL.Path))
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(core.Close)
	return core.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), ids...)
	}
}

// A public id points into the buffer of its request, which the next request overwrites.
func TestWhatIsRememberedOutlivesTheRequest(t *testing.T) {
	url, about := asked(t)
	keys := NewKeys(noKeys{}, url, "secret", func(content.OrganizationID) time.Duration { return 0 }, time.Minute)
	buffer := []byte("first-public-id")
	for _, id := range []string{unsafe.String(&buffer[0], len(buffer)), "first-public-id"} {
		if grant, err := keys.Grant(t.Context(), id); grant != nil || err != nil {
			t.Fatalf("%s: %v, %v", id, grant, err)
		}
		copy(buffer, "other-public-id")
	}
	if got := about(); len(got) != 1 || got[0] != "first-public-id" {
		t.Errorf("core was asked about %v", got)
	}
}
