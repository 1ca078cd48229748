package changelog

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/replication/publish"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/snapshot"
	"svc/shared/fault"
	"svc/shared/problem"
)

// HeadHeader names the log's newest position in answers about changes.
const HeadHeader = "svc-head"

// Internal answers edges. It is mounted at /internal/v1/ and lets in who shows the cluster's secret:
//
//	GET /internal/v1/logs/{log}/changes?after=epoch.seq.chain&newest=number.ms   envelopes, each behind its length
//	    (record.ReadFrame), and the head in svc-head; 409 with the head alone where only a snapshot helps; 404 for a log
//	    that does not exist. newest is the newest release that the edge holds of a project; it may be left out
//	POST /internal/v1/logs/{log}/snapshot?beyond=epoch.seq.chain   {"position", "object", "sha256", "size"}: the manifest
//	    of the newest snapshot, written now where none is beyond the position; 409 where the log is not beyond it either
//	GET /internal/v1/logs            {"logs": [{"log", "position"}]}, all of them
//	GET /internal/v1/keys/{public}   {"organization", "key"}: the key's record, in base 64
type Internal struct {
	Pool   *pgxpool.Pool
	Secret string
	Log    *slog.Logger
	// Gap answers an edge that stands at a position: it returns what follows, or that the log never was there. Newest is the
	// newest release that the edge holds, nil where it does not tell.
	Gap func(ctx context.Context, log string, at record.Position, newest *record.Stamp) (publish.Tail, error)
	// Version holds the answers to an older record version, as publish.Relay does.
	Version record.Version
	// Key finds an API key by its public id, and the organization it belongs to; a NOT_FOUND fault where there is none.
	Key func(ctx context.Context, publicID string) (organization string, key *recordpb.Key, err error)
	// Snapshot returns a snapshot of a log beyond a position, as snapshot.Keeper does.
	Snapshot func(ctx context.Context, log string, beyond record.Position) (snapshot.Ref, error)
}

// Handler returns the handler of all routes.
func (s *Internal) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /internal/v1/logs/{log}/changes":   s.changes,
		"POST /internal/v1/logs/{log}/snapshot": s.snapshot,
		"GET /internal/v1/logs":                 s.logs,
		"GET /internal/v1/keys/{public}":        s.key,
		"/internal/":                            s.unknown,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			err := s.admit(r)
			if err == nil {
				err = serve(w, r)
			}
			if err != nil {
				s.refuse(w, r, err)
			}
		})
	}
	return mux
}

// admit compares hashes, so that neither the secret's bytes nor its length show in the time it takes.
func (s *Internal) admit(r *http.Request) error {
	shown, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	got, want := sha256.Sum256([]byte(shown)), sha256.Sum256([]byte(s.Secret))
	if !bearer || s.Secret == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
		return fault.New(fault.AuthenticationRequired, "internal routes take the cluster's secret as a bearer token")
	}
	return nil
}

func (s *Internal) refuse(w http.ResponseWriter, r *http.Request, err error) {
	late := errors.Is(r.Context().Err(), context.DeadlineExceeded)
	if late && fault.As(err).Code == fault.Internal {
		err = postgres.Late(err)
	}
	switch code := fault.As(err).Code; {
	case r.Context().Err() != nil && !late:
		s.Log.Debug("an edge left before its answer", "path", r.URL.Path, "error", err)
	case code == fault.Internal:
		s.Log.Error("an edge was not answered", "path", r.URL.Path, "error", err)
	case code == fault.Unavailable:
		s.Log.Warn("an edge has to ask again, or another core", "path", r.URL.Path, "error", err)
	}
	answer := problem.Render(err, "")
	for _, h := range answer.Headers {
		w.Header().Set(h.Name, h.Value)
	}
	w.Header().Set("Content-Type", problem.ContentType)
	w.WriteHeader(answer.Status)
	s.write(w, answer.Body)
}

// write sends a body; the caller may have gone.
func (s *Internal) write(w io.Writer, body []byte) {
	if _, err := w.Write(body); err != nil {
		s.Log.Debug("an edge left before its answer", "error", err)
	}
}

func (s *Internal) unknown(_ http.ResponseWriter, r *http.Request) error {
	return fault.New(fault.NotFound, "there is no internal route %s %s", r.Method, r.URL.Path)
}

// snapshotPatience is how long an edge is kept waiting for a snapshot; one that takes longer is there when it asks again.
const snapshotPatience = 20 * time.Second

func (s *Internal) snapshot(w http.ResponseWriter, r *http.Request) error {
	beyond, err := record.ParsePosition(r.URL.Query().Get("beyond"))
	if err != nil {
		return fault.Invalid("beyond", "%v", err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), snapshotPatience)
	defer cancel()
	ref, err := s.Snapshot(ctx, r.PathValue("log"), beyond)
	if errors.Is(err, context.DeadlineExceeded) {
		return &fault.Error{Code: fault.Unavailable, Detail: "the snapshot is being written; ask again", RetryAfter: time.Second, Err: err}
	}
	if err != nil {
		return err
	}
	return s.answer(w, struct {
		Position string `json:"position"`
		Object   string `json:"object"`
		SHA256   []byte `json:"sha256"`
		Size     uint64 `json:"size"`
	}{ref.Position.String(), ref.Manifest.Key, ref.Manifest.Sha256, ref.Manifest.Size})
}

func (s *Internal) logs(w http.ResponseWriter, r *http.Request) error {
	type head struct {
		Log      string `json:"log"`
		Position string `json:"position"`
	}
	const page = 5000
	all := []head{}
	for after := ""; ; {
		heads, err := Heads(r.Context(), s.Pool, after, page)
		if err != nil {
			return err
		}
		for _, h := range heads {
			all = append(all, head{h.Log, h.Position.String()})
		}
		if len(heads) < page {
			break
		}
		after = heads[len(heads)-1].Log
	}
	return s.answer(w, struct {
		Logs []head `json:"logs"`
	}{all})
}

func (s *Internal) key(w http.ResponseWriter, r *http.Request) error {
	organization, key, err := s.Key(r.Context(), r.PathValue("public"))
	if err != nil {
		return err
	}
	body, err := record.EncodeBody(key)
	if err != nil {
		return fmt.Errorf("encoding a key: %w", err)
	}
	return s.answer(w, struct {
		Organization string `json:"organization"`
		Key          []byte `json:"key"`
	}{organization, body})
}

func (s *Internal) answer(w http.ResponseWriter, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding an answer to an edge: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	s.write(w, body)
	return nil
}
