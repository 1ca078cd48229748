package origin

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"testing"
	"time"
	"unsafe"

	"google.golang.org/protobuf/proto"

	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

// log is what an edge holds of an organization's keys.
type log map[string]*credential.Grant

func (l log) Grant(_ context.Context, publicID string) (*credential.Grant, error) {
	return l[publicID], nil
}

// desk is a core that is asked about keys.
type desk struct {
	mu    sync.Mutex
	asked []string
	knows string        // one key
	ended bool          // it was revoked
	down  bool          // whether it fails
	hold  chan struct{} // an answer waits for it, where there is one
	url   string
}

func openDesk(t *testing.T) *desk {
	d := &desk{}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

const organization = content.OrganizationID("org_01jq2v5n3te1p8wwqmyx3c4d5e")

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := path.Base(r.URL.Path)
	d.mu.Lock()
	d.asked = append(d.asked, id)
	knows, ended, down, hold := d.knows, d.ended, d.down, d.hold
	d.mu.Unlock()
	if hold != nil {
		<-hold
	}
	switch {
	case r.Header.Get("Authorization") != "Bearer secret":
		w.WriteHeader(http.StatusUnauthorized)
	case down:
		w.WriteHeader(http.StatusInternalServerError)
	case id == knows:
		body, err := proto.Marshal(&recordpb.Key{
			Id: "key_01jq2v5n3te1p8wwqmyx3c4d5e", PublicId: id, Hash: make([]byte, 32), Scopes: []string{"content:read"}, Revoked: ended,
		})
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, `{"organization":%q,"key":%q}`, organization, base64.StdEncoding.EncodeToString(body))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (d *desk) questions() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.asked...)
}

// set changes what core says.
func (d *desk) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// keysOf are the keys of an edge that holds a log of a certain age.
func keysOf(d *desk, local log, age time.Duration) (*Keys, *clock) {
	cores, err := NewCores(d.url, 0)
	if err != nil {
		panic(err) // the address is of a server in this test
	}
	k := NewKeys(local, cores, "secret", func(content.OrganizationID) time.Duration { return age }, time.Minute)
	c := &clock{t: time.Unix(1_000_000, 0)}
	k.now, k.held, k.http.Timeout = c.now, patience, patience // a busy machine keeps no one from an answer
	return k, c
}

func isUnsure(err error) bool { return fault.Is(err, fault.Unavailable) }

// A public id points into the buffer of its request, which the next request overwrites.
func TestWhatIsRememberedOutlivesTheRequest(t *testing.T) {
	d := openDesk(t)
	keys, _ := keysOf(d, nil, 0)
	buffer := []byte("first-public-id")
	for _, id := range []string{unsafe.String(&buffer[0], len(buffer)), "first-public-id"} {
		if grant, err := keys.Grant(t.Context(), id); grant != nil || err != nil {
			t.Fatalf("%s: %v, %v", id, grant, err)
		}
		copy(buffer, "other-public-id")
	}
	if got := d.questions(); len(got) != 1 || got[0] != "first-public-id" {
		t.Errorf("core was asked about %v", got)
	}
}

func TestAKeyOfTheLogIsNotAskedFor(t *testing.T) {
	d := openDesk(t)
	held := &credential.Grant{Organization: organization}
	keys, _ := keysOf(d, log{"held": held}, time.Second)
	if grant, err := keys.Grant(t.Context(), "held"); grant != held || err != nil {
		t.Fatalf("%v, %v", grant, err)
	}
	if got := d.questions(); len(got) != 0 {
		t.Errorf("core was asked about %v", got)
	}
}

// What a key allows is core's to tell when its log is too old: it may have been revoked. Without core no one can tell.
func TestKeysOfAnOldLogAreNotSure(t *testing.T) {
	d := openDesk(t)
	held := log{"held": {Organization: organization}}
	keys, c := keysOf(d, held, 1<<63-1)
	if grant, err := keys.Grant(t.Context(), "held"); grant != nil || err != nil {
		t.Fatalf("core knows no such key: %v, %v", grant, err)
	}
	d.set(func() { d.knows = "held" })
	c.pass(rememberFor)
	if grant, err := keys.Grant(t.Context(), "held"); grant == nil || !grant.Has(credential.ContentRead) || err != nil {
		t.Fatalf("core knows the key: %v, %v", grant, err)
	}
	d.set(func() { d.down = true })
	for age, sure := range map[time.Duration]bool{0: true, time.Minute: true, time.Minute + 1: false, 1<<63 - 1: false} {
		keys, _ := keysOf(d, held, age)
		grant, err := keys.Grant(t.Context(), "held")
		if sure != (grant != nil) || sure == isUnsure(err) {
			t.Errorf("at the age of %s: %v, %v", age, grant, err)
		}
	}
}

// Public reads come with keys too, and no one waits for a core that hangs: one question in a while is tried, briefly.
func TestNoOneWaitsForCoreAboutAKeyOfTheLog(t *testing.T) {
	d := openDesk(t)
	d.knows, d.hold = "held", make(chan struct{})
	keys, c := keysOf(d, log{"held": {Organization: organization}, "other": {Organization: organization}}, 1<<63-1)
	keys.held = heldTimeout
	for _, id := range []string{"held", "other", "held"} {
		if grant, err := keys.Grant(t.Context(), id); grant != nil || !isUnsure(err) {
			t.Fatalf("%v, %v", grant, err)
		}
		c.pass(trouble)
	}
	if got := d.questions(); len(got) != 1 {
		t.Errorf("core was asked about %v", got)
	}
	close(d.hold)
	keys.held = patience
	c.pass(heldTrouble)
	if grant, err := keys.Grant(t.Context(), "held"); grant == nil || err != nil {
		t.Errorf("%v, %v", grant, err)
	}
}

func TestANewKeyWorksAtOnce(t *testing.T) {
	d := openDesk(t)
	d.knows = "new"
	keys, c := keysOf(d, nil, 1<<63-1)
	for range 3 {
		grant, err := keys.Grant(t.Context(), "new")
		if err != nil || grant == nil || grant.Organization != organization || !grant.Has(credential.ContentRead) {
			t.Fatalf("%v, %v", grant, err)
		}
	}
	if got := d.questions(); len(got) != 1 {
		t.Errorf("core was asked about %v", got)
	}
	d.set(func() { d.knows = "" }) // revoked before the log ever told
	c.pass(rememberFor)
	if grant, err := keys.Grant(t.Context(), "new"); grant != nil || err != nil {
		t.Fatalf("%v, %v", grant, err)
	}
}

func TestAnUnknownKeyIsRememberedForAMoment(t *testing.T) {
	d := openDesk(t)
	keys, c := keysOf(d, nil, 0)
	ask := func(want int) {
		t.Helper()
		if grant, err := keys.Grant(t.Context(), "nobody"); grant != nil || err != nil {
			t.Fatalf("%v, %v", grant, err)
		}
		if got := d.questions(); len(got) != want {
			t.Fatalf("core was asked %d times, want %d", len(got), want)
		}
	}
	ask(1)
	c.pass(rememberFor - 1)
	ask(1)
	c.pass(1)
	ask(2)
}

// The log of an edge brings a key before its end, of which core may have told.
func TestAKeyThatCoreCallsRevokedStaysSo(t *testing.T) {
	d := openDesk(t)
	d.knows, d.ended = "short", true
	held := log{}
	keys, c := keysOf(d, held, 0)
	revoked := func(want bool) {
		t.Helper()
		if grant, err := keys.Grant(t.Context(), "short"); err != nil || grant == nil || grant.Revoked != want {
			t.Fatalf("%+v, %v; revoked should be %v", grant, err, want)
		}
	}
	revoked(true)
	held["short"] = &credential.Grant{Organization: organization, PublicID: "short"}
	revoked(true)
	c.pass(rememberFor)
	revoked(false) // by then the log is what counts again
}

// However many reads come with a new key at once, core is asked once, and one question is all they cost.
func TestManyReadsAskOnce(t *testing.T) {
	d := openDesk(t)
	d.knows, d.hold = "new", make(chan struct{})
	keys, _ := keysOf(d, nil, 0)
	const readers = 10 * asksPerSecond
	results := make(chan error, readers)
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			grant, err := keys.Grant(t.Context(), "new")
			if err == nil && grant == nil {
				err = errors.New("no such key")
			}
			results <- err
		})
	}
	until(t, "core is asked", func() bool { return len(d.questions()) > 0 })
	close(d.hold)
	all.Wait()
	for range readers {
		if err := <-results; err != nil {
			t.Fatal(err)
		}
	}
	if got := d.questions(); len(got) != 1 {
		t.Errorf("core was asked %d times", len(got))
	}
}

// Made-up keys cost core no more than a bounded rate; keys of the log are not held up by them.
func TestQuestionsAreBounded(t *testing.T) {
	d := openDesk(t)
	keys, c := keysOf(d, log{"held": {Organization: organization}}, 0)
	unsureOnes := 0
	for i := range 3 * asksPerSecond {
		if _, err := keys.Grant(t.Context(), fmt.Sprint("made-up-", i)); isUnsure(err) {
			unsureOnes++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if got := len(d.questions()); got != asksPerSecond || unsureOnes != 2*asksPerSecond {
		t.Fatalf("core was asked %d times, %d could not be told", got, unsureOnes)
	}
	if grant, err := keys.Grant(t.Context(), "held"); grant == nil || err != nil {
		t.Fatalf("%v, %v", grant, err)
	}
	c.pass(time.Second)
	if _, err := keys.Grant(t.Context(), "made-up-again"); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	keys, c := keysOf(openDesk(t), nil, 0)
	for i := range 3 * maxRemembered {
		keys.remember(fmt.Sprint(i), remembered{until: c.now().Add(rememberFor)})
	}
	if n := len(keys.seen); n > maxRemembered {
		t.Fatalf("%d are remembered", n)
	}
}

// A core that fails is not asked again at once, and soon.
func TestCoreThatCannotTell(t *testing.T) {
	d := openDesk(t)
	d.knows, d.down = "new", true
	keys, c := keysOf(d, nil, 0)
	for range 3 {
		if _, err := keys.Grant(t.Context(), "new"); !isUnsure(err) {
			t.Fatal(err)
		}
	}
	if got := len(d.questions()); got != 1 {
		t.Fatalf("core was asked %d times", got)
	}
	d.set(func() { d.down = false })
	c.pass(trouble)
	if grant, err := keys.Grant(t.Context(), "new"); grant == nil || err != nil {
		t.Fatalf("%v, %v", grant, err)
	}
}

func FuzzReadKey(f *testing.F) {
	f.Add([]byte(`{"organization":"org_01jq2v5n3te1p8wwqmyx3c4d5e","key":"CgNrZXk="}`))
	f.Add([]byte(`{"organization":1}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if grant, err := readKey(bytes.NewReader(body)); (grant == nil) == (err == nil) {
			t.Fatalf("%v, %v", grant, err)
		}
	})
}
