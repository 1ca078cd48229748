package blob_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/deploy/local/localtest"
	"svc/shared/blob"
	"svc/shared/blob/blobtest"
	"svc/shared/fault"
)

func openS3(t *testing.T, cfg blob.Config) *blob.S3 {
	t.Helper()
	store, err := blob.OpenS3(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

func config(t *testing.T) blob.Config {
	bucket := localtest.S3(t)
	return blob.Config{
		Endpoint: bucket.Endpoint, Region: bucket.Region, Bucket: bucket.Name,
		AccessKey: bucket.AccessKey, SecretKey: bucket.SecretKey, Connect: 10 * time.Second, Stall: 10 * time.Second,
	}
}

func TestS3(t *testing.T) { blobtest.Run(t, openS3(t, config(t))) }

func TestABucketIsMadeOnce(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	for range 2 {
		if err := openS3(t, cfg).EnsureBucket(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAStoreThatCannotBeUsedIsUnavailable(t *testing.T) {
	t.Parallel()
	good := config(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the system takes connections, no one answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	short := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		w.Header().Set("ETag", `"x"`)
		if _, err := w.Write([]byte("half")); err != nil {
			t.Error(err)
		}
	}))
	defer short.Close()
	for name, change := range map[string]func(*blob.Config){
		"a wrong secret":      func(c *blob.Config) { c.SecretKey += "x" },
		"no such bucket":      func(c *blob.Config) { c.Bucket += "-none" },
		"no one there":        func(c *blob.Config) { c.Endpoint = "http://127.0.0.1:1" },
		"silence":             func(c *blob.Config) { c.Endpoint, c.Stall = "http://"+silent.Addr().String(), 100*time.Millisecond },
		"an object cut short": func(c *blob.Config) { c.Endpoint = short.URL },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := good
			change(&cfg)
			store := openS3(t, cfg)
			body, _, err := store.Get(t.Context(), "a")
			if err == nil {
				defer body.Close()
				_, err = io.ReadAll(body)
			}
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("get: %v", err)
			}
			if name == "an object cut short" {
				return
			}
			if err := store.Put(t.Context(), "a", strings.NewReader("x"), 1, blob.PutOptions{}); !fault.Is(err, fault.Unavailable) {
				t.Errorf("put: %v", err)
			}
		})
	}
}

// TestATransferThatHardlyMovesIsGivenUp: a store that goes on sending a byte now and then holds no one for ever. What the
// reader itself takes between two reads does not count.
func TestATransferThatHardlyMovesIsGivenUp(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(size))
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		w.Header().Set("ETag", `"x"`)
		if strings.HasSuffix(r.URL.Path, "/whole") {
			if _, err := w.Write(make([]byte, size)); err != nil {
				t.Error(err)
			}
			return
		}
		for { // until the reader has gone
			if _, err := w.Write([]byte("x")); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			select {
			case <-release:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}))
	defer slow.Close()
	defer close(release)
	store := openS3(t, blob.Config{
		Endpoint: slow.URL, Region: "region", Bucket: "bucket", AccessKey: "access", SecretKey: "secret", Connect: 10 * time.Second, Stall: time.Second,
	})
	body, _, err := store.Get(t.Context(), "trickle")
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if n, err := io.Copy(io.Discard, body); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%d bytes and %v", n, err)
	}
	body, _, err = store.Get(t.Context(), "whole")
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if n, err := io.Copy(io.Discard, &resting{body, 30 * time.Millisecond}); err != nil || n != size {
		t.Errorf("a slow reader gets %d bytes and %v", n, err)
	}
}

// resting reads 16 KiB at a time and waits before each.
type resting struct {
	from  io.Reader
	pause time.Duration
}

func (r *resting) Read(p []byte) (int, error) {
	time.Sleep(r.pause)
	return r.from.Read(p[:min(len(p), 16<<10)])
}

func TestConfigNamesEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	err := (&blob.Config{Endpoint: "host:9000"}).Validate()
	for _, name := range []string{"SVC_S3_ENDPOINT", "SVC_S3_REGION", "SVC_S3_BUCKET", "SVC_S3_ACCESS_KEY", "SVC_S3_SECRET_KEY", "SVC_S3_STALL_TIMEOUT"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named: %v", name, err)
		}
	}
}
