package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"svc/bench/consistency"
	"svc/bench/node"
	"svc/deploy/local"
)

// credentialBound is how old credentials may be for private reads in these tests.
const credentialBound = 5 * time.Second

// everythingElse is all parts but the edges, in the order of starting.
var everythingElse = []string{"postgres", "nats", "redis", "s3", "core"}

// TestReadsGoOnThroughAnOutage: with everything but the edges gone, hanging, or out of reach, every public read is
// answered, whole and right, and says before long that it may be old; private reads close when credentials are
// too old; an edge that is restarted meanwhile serves what it had. Afterwards all is as before.
func TestReadsGoOnThroughAnOutage(t *testing.T) {
	b := newPrivateBed(t, local.Config{
		Links: true, Environment: map[local.Kind][]string{local.Edge: {"SVC_CREDENTIAL_MAX_AGE=" + credentialBound.String()}},
	})
	stage := consistency.Stage{Client: b.api, Project: b.project.Slug}
	items, err := stage.First(t.Context(), 200)
	b.check(err)
	_, err = b.api.PushSchema(t.Context(), b.project.Slug, []jsontext.Value{consistency.Schema(), jsontext.Value(memos)}, false, "")
	b.check(err)
	b.memo() // release 2, of the same items
	history := consistency.NewHistory(consistency.NewContents(items))
	history.Add(consistency.NewContents(items))
	history.Publish()
	b.await(2, consistency.Collection, b.nodes()...)
	for _, o := range []outage{
		{"gone", b.each((*local.Stack).KillPart), func() error {
			return b.each(func(s *local.Stack, part string) error { return s.StartPart(t.Context(), part) })()
		}},
		{"hanging", b.each((*local.Stack).Pause), b.each((*local.Stack).Resume)},
		{"out of reach", func() error {
			return errors.Join(b.stack.CutOff("edge-1"), b.stack.CutOff("edge-2"))
		}, func() error {
			return errors.Join(b.stack.Rejoin("edge-1"), b.stack.Rejoin("edge-2"))
		}},
	} {
		t.Run(o.name, func(t *testing.T) { b.on(t).endure(o, history) })
	}
}

// outage takes everything but the edges away, and gives it back.
type outage struct {
	name       string
	begin, end func() error
}

// each does something to every part but the edges.
func (b *bed) each(do func(*local.Stack, string) error) func() error {
	return func() error {
		for _, part := range everythingElse {
			if err := do(b.stack, part); err != nil {
				return err
			}
		}
		return nil
	}
}

func (b *bed) endure(o outage, history *consistency.History) {
	b.t.Helper()
	private := with(b.mint("content:read").Secret, b.edges()...)
	b.knows(private)
	before := map[string]node.Answer{}
	for _, query := range []string{"", "&at=2"} {
		before[query] = b.same(b.edges(), b.list(consistency.Collection)+"?limit=100"+query)
	}

	read, stop := b.readAlong(history)
	b.check(o.begin())
	b.answered(private, b.list("memos"), http.StatusServiceUnavailable) // at once, where the parts took long to end
	b.refused(b.edges(), b.list("memos"), http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
	b.until(func(ctx context.Context) error { return marked(b.edges(), b.at(ctx, ""), true) })
	b.alone(before)
	stop()
	b.check(read.Wait())

	b.check(b.stack.KillPart("edge-2"))
	b.check(b.stack.StartPart(b.t.Context(), "edge-2"))
	b.alone(before)
	b.answered(private, b.list("memos"), http.StatusServiceUnavailable)

	read, stop = b.readAlong(history)
	b.check(o.end())
	b.until(func(ctx context.Context) error { return marked(b.edges(), b.at(ctx, ""), false) })
	b.answered(private, b.list("memos"), http.StatusOK)
	for _, n := range b.nodes() {
		b.readiness(n, http.StatusOK)
	}
	stop()
	b.check(read.Wait())
	b.agree([]string{consistency.Collection}, b.edges()...)
}

// knows waits until both edges answer private reads by what they have heard themselves, without asking core about a key.
func (b *bed) knows(private []node.Node) {
	b.t.Helper()
	for _, n := range private {
		b.check(b.stack.Refuse(n.Name, "core"))
	}
	b.answered(private, b.list("memos"), http.StatusOK)
	for _, n := range private {
		b.check(b.stack.Mend(n.Name, "core"))
	}
}

// readAlong lets readers hold every answer of both edges against the history until stop is called. A read that is not
// answered is an error.
func (b *bed) readAlong(history *consistency.History) (*errgroup.Group, context.CancelFunc) {
	ctx, stop := context.WithCancel(b.t.Context())
	group, ctx := errgroup.WithContext(ctx)
	readers := consistency.NewReaders(b.edges(), b.project.Slug, history, 0)
	group.Go(func() error { return readers.Read(ctx) })
	return group, stop
}

// answered waits until all nodes answer with a status.
func (b *bed) answered(nodes []node.Node, path string, status int) {
	b.t.Helper()
	b.until(func(ctx context.Context) error { return allAnswer(ctx, nodes, path, status) })
}

// allAnswer is an error where a node does not answer with a status.
func allAnswer(ctx context.Context, nodes []node.Node, path string, status int) error {
	answers, err := node.Ask(ctx, nodes, path)
	if err != nil {
		return err
	}
	for _, a := range answers {
		if a.Status != status {
			return fmt.Errorf("%s answers %d, not %d: %.200s", a.Node, a.Status, status, a.Body)
		}
	}
	return nil
}

// at asks for a page of the list.
func (b *bed) at(ctx context.Context, query string) func(node.Node) (node.Answer, error) {
	return func(n node.Node) (node.Answer, error) {
		return n.Get(ctx, b.list(consistency.Collection)+"?limit=100"+query)
	}
}

// marked is an error where a node does not say that what it answers may be old, or says so though it is not.
func marked(nodes []node.Node, ask func(node.Node) (node.Answer, error), old bool) error {
	for _, n := range nodes {
		answer, err := ask(n)
		if err != nil {
			return err
		}
		if age := answer.Header.Get("Svc-Stale"); (age != "") != old {
			return fmt.Errorf("with svc-stale %q: %s", age, answer)
		}
	}
	return nil
}

// alone reads from edges that no one else is there for: each read is answered with what was there before, and is marked.
func (b *bed) alone(before map[string]node.Answer) {
	b.t.Helper()
	for range 20 {
		for query, was := range before {
			b.check(marked(b.edges(), func(n node.Node) (node.Answer, error) {
				answer, err := b.at(b.t.Context(), query)(n)
				if err != nil {
					return answer, err
				}
				if answer.Status != http.StatusOK || answer.Release != was.Release || string(answer.Body) != string(was.Body) {
					return answer, fmt.Errorf("%s%s answers %d of release %d, not %d: %.200s", n.Name, query, answer.Status, answer.Release, was.Release, answer.Body)
				}
				return answer, nil
			}, true))
		}
	}
}
