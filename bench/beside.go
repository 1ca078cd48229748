package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"svc/bench/consistency"
	"svc/bench/node"
	"svc/core/client"
	"svc/core/wire"
	"svc/shared/credential"
)

const (
	// besideTimes is how often each thing is done while all is quiet.
	besideTimes = 40
	// revokedLimit is how many milliseconds a revoked key may still be good on an edge.
	revokedLimit = 1_000
)

// beside measures what one project's readers notice while a release of 10,000 items lands in another: how long small releases
// and revocations take to show. The same is measured while all is quiet, and for schema pushes too.
func beside(ctx context.Context, b *Bench) error {
	p, err := b.project(ctx)
	if err != nil {
		return err
	}
	r := &besideRun{Bench: b, project: p, schema: string(consistency.Schema())}
	byID, err := consistency.Stage{Client: b.client, Project: p}.First(ctx, lagEntries)
	if err != nil {
		return err
	}
	r.ids = consistency.NewContents(byID).IDs()
	if err := b.awaitSettled(ctx, p, consistency.Collection, 1, time.Minute); err != nil {
		return err
	}
	quiet, err := r.repeat(ctx, r.release)
	if err != nil {
		return err
	}
	b.Report.add("publish response to visible on both edges, p90", percentile(quiet, 0.9), Milliseconds)
	for _, step := range []struct {
		name string
		do   func(context.Context) (float64, error)
	}{
		{"a collection that becomes private is so on both edges, p90", r.flip(strings.Replace(r.schema, `"public"`, `"private"`, 1), "", http.StatusUnauthorized)},
		{"a field that comes back is filterable on both edges, p90", r.fieldReturns},
		{"a revoked key is refused on both edges, p90", r.revoke},
	} {
		sample, err := r.repeat(ctx, step.do)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		b.Report.add(step.name, percentile(sample, 0.9), Milliseconds).noted("longest %.1f ms", sample[len(sample)-1])
	}
	return r.besideHuge(ctx, percentile(quiet, 0.9))
}

// besideRun is the measuring in one project.
type besideRun struct {
	*Bench
	project, schema string
	ids             []string
	published       uint64
}

// repeat measures something several times.
func (r *besideRun) repeat(ctx context.Context, do func(context.Context) (float64, error)) ([]float64, error) {
	var sample []float64
	for range r.sized(besideTimes, 5) {
		took, err := do(ctx)
		if err != nil {
			return nil, err
		}
		sample = append(sample, took)
	}
	return sample, nil
}

// release publishes an edit of one entry, and measures until both edges serve it.
func (r *besideRun) release(ctx context.Context) (float64, error) {
	r.published++
	id := r.ids[r.published%uint64(len(r.ids))]
	note := fmt.Sprintf("edit %d", r.published)
	written, err := r.client.PatchEntry(ctx, r.project, id, client.Patch{Data: map[string]string{"note": note}})
	if err != nil {
		return 0, err
	}
	out, err := r.client.Publish(ctx, r.project, string(written.ChangeSet.ID))
	if err != nil {
		return 0, err
	}
	answered := time.Now()
	err = r.awaitHead(ctx, r.edges(), r.project, consistency.Collection, *out.ChangeSet.ReleaseNumber, time.Minute)
	return milliseconds(time.Since(answered)), err
}

// flip deploys a schema, measures until both edges answer the list with a status, and deploys the first schema again.
func (r *besideRun) flip(schema, query string, status int) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		if err := r.deploySchema(ctx, schema); err != nil {
			return 0, err
		}
		took, err := r.untilAnswered(ctx, r.edges(), query, status)
		if err != nil {
			return 0, err
		}
		if err := r.deploySchema(ctx, r.schema); err != nil {
			return 0, err
		}
		_, err = r.untilAnswered(ctx, r.edges(), query, http.StatusOK)
		return took, err
	}
}

// fieldReturns takes a field away and brings it back, and measures until both edges filter by it again.
func (r *besideRun) fieldReturns(ctx context.Context) (float64, error) {
	const query = "?order=note"
	without := strings.Replace(r.schema, `,"note":{"type":"text"}`, "", 1)
	if err := r.deploySchema(ctx, without); err != nil {
		return 0, err
	}
	if _, err := r.untilAnswered(ctx, r.edges(), query, http.StatusBadRequest); err != nil {
		return 0, err
	}
	if err := r.deploySchema(ctx, r.schema); err != nil {
		return 0, err
	}
	return r.untilAnswered(ctx, r.edges(), query, http.StatusOK)
}

// revoke makes a key and revokes it, and measures until both edges refuse it.
func (r *besideRun) revoke(ctx context.Context) (float64, error) {
	key, err := r.client.MintProjectKey(ctx, r.project, wire.NewKey{Label: "beside", Scopes: []credential.Scope{credential.ContentRead}})
	if err != nil {
		return 0, err
	}
	edges := r.edges()
	for i := range edges {
		edges[i].Token = key.Secret
	}
	if _, err := r.untilAnswered(ctx, edges, "", http.StatusOK); err != nil {
		return 0, err
	}
	if err := r.client.RevokeProjectKey(ctx, r.project, string(key.Key.ID)); err != nil {
		return 0, err
	}
	return r.untilAnswered(ctx, edges, "", http.StatusUnauthorized)
}

func (r *besideRun) deploySchema(ctx context.Context, schema string) error {
	_, err := r.client.PushSchema(ctx, r.project, []jsontext.Value{jsontext.Value(schema)}, true, "")
	return err
}

// untilAnswered measures until all nodes answer the list with a status.
func (r *besideRun) untilAnswered(ctx context.Context, nodes []node.Node, query string, status int) (float64, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("not within a minute"))
	defer cancel()
	err := node.Until(ctx, func(ctx context.Context) error {
		answers, err := node.Ask(ctx, nodes, node.List(r.project, consistency.Collection)+query)
		if err != nil {
			return err
		}
		for _, a := range answers {
			if a.Status != status {
				return fmt.Errorf("%s answers %d, not %d", a.Node, a.Status, status)
			}
		}
		return nil
	})
	return milliseconds(time.Since(began)), err
}

// besideHuge measures releases and revocations while a huge release of another project is published and applied.
func (r *besideRun) besideHuge(ctx context.Context, quiet float64) error {
	items := r.sized(10_000, 1_000)
	other, err := r.client.CreateProject(ctx, r.account.Organization, "Huge", "bench-huge")
	if err != nil {
		return err
	}
	huge := consistency.Stage{Client: r.client, Project: other.Slug}
	before, err := huge.First(ctx, items)
	if err != nil {
		return err
	}
	set, _, err := huge.Second(ctx, before)
	if err != nil {
		return err
	}
	if err := r.awaitSettled(ctx, other.Slug, consistency.Collection, 1, time.Minute); err != nil {
		return err
	}
	r.progress("publishing a release of %d items beside", items)
	over := make(chan struct{})
	var releases, revocations []float64
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(over)
		out, err := r.client.Publish(ctx, other.Slug, set)
		if err != nil {
			return err
		}
		return r.awaitHead(ctx, r.edges(), other.Slug, consistency.Collection, *out.ChangeSet.ReleaseNumber, 5*time.Minute)
	})
	for sample, do := range map[*[]float64]func(context.Context) (float64, error){&releases: r.release, &revocations: r.revoke} {
		group.Go(func() error {
			for {
				took, err := do(ctx)
				if err != nil {
					return err
				}
				*sample = append(*sample, took)
				select {
				case <-over:
					return nil
				default:
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	name := fmt.Sprintf("beside a release of %s items: ", thousands(items))
	r.Report.add(name+"visible on both edges, p90", percentile(releases, 0.9), Milliseconds).atMost(3*quiet).
		noted("%d releases; three times what it is while all is quiet is allowed", len(releases))
	r.Report.add(name+"a revoked key is refused, longest", percentile(revocations, 1), Milliseconds).atMost(revokedLimit).
		noted("%d revocations", len(revocations))
	return nil
}
