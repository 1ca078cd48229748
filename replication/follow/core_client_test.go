package follow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc/replication/follow"
	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/shared/fault"
)

// answer serves one fixed answer to those who show the secret.
func answer(t *testing.T, status int, header map[string]string, body []byte) *follow.CoreClient {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" || !strings.HasPrefix(r.URL.Path, "/internal/v1/logs") {
			t.Errorf("%s %s: %v", r.Method, r.URL, r.Header)
		}
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		if _, err := w.Write(body); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	client := follow.NewCoreClient(server.URL+"/", "secret")
	t.Cleanup(client.Close)
	return client
}

func TestCoreClientReadsChanges(t *testing.T) {
	core := followtest.NewCore()
	const log = "prj_00000000000000000000000001"
	var frames bytes.Buffer
	for range 3 {
		envelope, err := record.Inline(core.Append(log, rank("a")))
		if err != nil {
			t.Fatal(err)
		}
		if err := record.WriteFrame(&frames, envelope); err != nil {
			t.Fatal(err)
		}
	}
	head := map[string]string{"svc-head": core.Head(log).String()}
	read := func(client *follow.CoreClient, fail error) (n int, at record.Position, err error) {
		at, err = client.Changes(t.Context(), log, record.Position{}, record.Stamp{}, func(envelope []byte) error {
			if _, _, err := record.Decode(envelope); err != nil {
				return err
			}
			n++
			return fail
		})
		return n, at, err
	}
	if n, at, err := read(answer(t, 200, head, frames.Bytes()), nil); n != 3 || at != core.Head(log) || err != nil {
		t.Errorf("%d changes, head %s, %v", n, at, err)
	}
	enough := errors.New("enough")
	if n, _, err := read(answer(t, 200, head, frames.Bytes()), enough); n != 1 || !errors.Is(err, enough) {
		t.Errorf("%d changes, %v", n, err)
	}
	if n, _, err := read(answer(t, 200, head, frames.Bytes()[:frames.Len()-5]), nil); n != 2 || err == nil {
		t.Errorf("cut short: %d changes, %v", n, err)
	}
	if n, _, err := read(answer(t, 200, nil, frames.Bytes()), nil); n != 0 || err == nil {
		t.Errorf("without a head: %d changes, %v", n, err)
	}
	if _, _, err := read(answer(t, 409, head, nil), nil); !errors.Is(err, follow.ErrUnserved) {
		t.Errorf("conflict: %v", err)
	}
	for code, status := range map[fault.Code]int{fault.NotFound: 404, fault.AuthenticationRequired: 401, fault.Unavailable: 503} {
		problem := fmt.Appendf(nil, `{"type":"urn:x","title":"t","status":%d,"code":%q,"detail":"d","requestId":"r"}`, status, code)
		if _, _, err := read(answer(t, status, nil, problem), nil); !fault.Is(err, code) {
			t.Errorf("%d: %v", status, err)
		}
	}
	if _, _, err := read(answer(t, 502, nil, []byte("<html>")), nil); err == nil || errors.Is(err, follow.ErrUnserved) {
		t.Errorf("no problem body: %v", err)
	}
}

func TestCoreClientReadsHeadsAndSnapshots(t *testing.T) {
	at := record.Position{Epoch: 2, Seq: 7, Chain: record.Hash{9}}
	heads, err := answer(t, 200, nil, fmt.Appendf(nil, `{"logs":[{"log":"prj_1","position":%q}]}`, at)).Heads(t.Context())
	if err != nil || len(heads) != 1 || heads[0] != (record.Head{Log: "prj_1", Position: at}) {
		t.Errorf("%v, %v", heads, err)
	}
	for _, body := range []string{"", "{", `{"logs":[{"log":"prj_1","position":"x"}]}`, "null null"} {
		if heads, err := answer(t, 200, nil, []byte(body)).Heads(t.Context()); err == nil {
			t.Errorf("%q was read as %v", body, heads)
		}
	}
	ref, err := answer(t, 200, nil, fmt.Appendf(nil, `{"position":%q,"object":"snapshots/prj_1/at/2-7/manifest-00","sha256":"AQI=","size":3}`, at)).
		Snapshot(t.Context(), "prj_1", record.Position{})
	if err != nil || ref.Position != at || ref.Manifest.Size != 3 || !bytes.Equal(ref.Manifest.Sha256, []byte{1, 2}) {
		t.Errorf("%+v, %v", ref, err)
	}
	conflict := []byte(`{"code":"CONFLICT","detail":"d"}`)
	if _, err := answer(t, 409, nil, conflict).Snapshot(t.Context(), "prj_1", at); !fault.Is(err, fault.Conflict) {
		t.Errorf("%v", err)
	}
	gone := follow.NewCoreClient("http://127.0.0.1:1", "secret")
	if _, err := gone.Heads(t.Context()); err == nil {
		t.Error("no one answered")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gone.Heads(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}
