package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"svc/core/client"
	"svc/deploy/e2e/retry"
	"svc/shared/wiretest"
)

// keyOf is under what a context holds the Idempotency-Key of the requests that are made with it.
type keyOf struct{}

// keys sends requests with the keys of their contexts.
type keys struct{}

func (keys) RoundTrip(r *http.Request) (*http.Response, error) {
	if key, given := r.Context().Value(keyOf{}).(string); given {
		r = r.Clone(r.Context())
		r.Header.Set("Idempotency-Key", key)
	}
	return wiretest.Client.Transport.RoundTrip(r)
}

// releaseOnce publishes posts in steps, each a write with a key, that would be seen to be done twice: a set with a title of
// its own, a memo and the posts in it, and the publish.
func (w *writers) releaseOnce(ctx context.Context, api *client.Client, name string, lines []byte) (uint64, booked, error) {
	project, set := w.bed.project.Slug, ""
	var number *uint64
	w.mu.Lock()
	w.keyed[name] = true
	w.mu.Unlock()
	for _, step := range []struct {
		what string
		call func(context.Context) error
		look func() error // reads what the write made, where its answer is lost
	}{
		{"open a set", func(ctx context.Context) error {
			made, err := api.CreateChangeSet(ctx, project, name, "")
			set = string(made.ID)
			return err
		}, func() (err error) {
			set, err = w.titled(ctx, api, name)
			return err
		}},
		{"stage a memo", func(ctx context.Context) error {
			_, err := api.CreateEntry(ctx, project, "memos", client.NewEntry{Data: post{Title: name}, ChangeSetID: set})
			return err
		}, nil},
		{"stage posts", func(ctx context.Context) error {
			_, err := api.ImportLines(ctx, project, "posts", bytes.NewReader(lines), client.ImportOptions{ChangeSetID: set})
			return err
		}, nil},
		{"publish", func(ctx context.Context) error {
			out, err := api.Publish(ctx, project, set)
			number = out.ChangeSet.ReleaseNumber
			return err
		}, func() error {
			now, err := api.ChangeSet(ctx, project, set)
			if err == nil && now.ReleaseNumber == nil {
				return retry.Final{Err: fmt.Errorf("publishing took effect, it was said, and the set is %s", now.Status)}
			}
			number = now.ReleaseNumber
			return err
		}},
	} {
		if err := w.once(ctx, name+": "+step.what, step.call, step.look); err != nil {
			return 0, booked{}, fmt.Errorf("%s with a key: %w", step.what, err)
		}
	}
	return *number, booked{set: set, items: 1}, nil
}

// unanswered refuses a write whose first request took effect, and whose answer core could not store before it was killed.
const unanswered = "took effect, but its answer is not stored"

// once sends a write with a key until it is answered. Where it is said that it took effect, and that its answer is lost,
// what it made is read.
func (w *writers) once(ctx context.Context, key string, call func(context.Context) error, look func() error) error {
	keyed := context.WithValue(ctx, keyOf{}, string(w.bed.project.ID)+" "+key)
	err := w.insist(ctx, func() error { return call(keyed) })
	if !conflict(err, unanswered) {
		return err
	}
	w.mu.Lock()
	w.lost++
	w.mu.Unlock()
	if look == nil {
		return nil
	}
	return w.insist(ctx, look)
}

func conflict(err error, why string) bool {
	var refused *client.Error
	return errors.As(err, &refused) && refused.Status == http.StatusConflict && strings.Contains(refused.Detail, why)
}

// titled is the set with a title, one of the newest.
func (w *writers) titled(ctx context.Context, api *client.Client, title string) (string, error) {
	sets, _, err := api.RecentChangeSets(ctx, w.bed.project.Slug, "", 200)
	if err != nil {
		return "", err
	}
	for _, set := range sets {
		if set.Title == title {
			return string(set.ID), nil
		}
	}
	return "", retry.Final{Err: fmt.Errorf("making the set %q took effect, it was said, and it is not there", title)}
}

// madeOnce is an error where a set that was made with a key is not there once. That the other writes took effect once,
// the releases tell: by their sets, and by how many items they have.
func (w *writers) madeOnce() error {
	sets, err := w.bed.api.ChangeSets(w.bed.t.Context(), w.bed.project.Slug, "")
	if err != nil {
		return err
	}
	made := map[string]int{}
	for _, set := range sets {
		made[set.Title]++
	}
	for name := range w.keyed {
		if made[name] != 1 {
			return fmt.Errorf("the set %q was made %d times with one key", name, made[name])
		}
	}
	return nil
}
