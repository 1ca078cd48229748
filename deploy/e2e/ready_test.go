package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"
)

// TestEveryNodeTellsHowItIs: alive and ready, in the words of a balancer.
func TestEveryNodeTellsHowItIs(t *testing.T) {
	b := newBed(t)
	for _, n := range b.nodes() {
		for _, path := range []string{"/healthz", "/readyz"} {
			answer, err := n.Get(t.Context(), path)
			b.check(err)
			if answer.Status != http.StatusOK || answer.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s%s: %d %s", n.Name, path, answer.Status, answer.Body)
			}
		}
	}
}

// TestTheFleetShowsEveryEdge: with its positions, to those who administer the organization alone.
func TestTheFleetShowsEveryEdge(t *testing.T) {
	b := newBed(t, posts)
	set := b.set("Posts")
	b.create(set, "posts", postNumber(1))
	b.publish(set)
	b.await(1, "posts", b.nodes()...)
	b.agree([]string{"posts"}, b.edges()...)
	b.until(func(ctx context.Context) error {
		fleet, err := b.api.Edges(ctx)
		if err != nil {
			return err
		}
		for _, edge := range fleet {
			for _, l := range edge.Logs {
				if l.Log == string(b.project.ID) && (!edge.Ready || l.Behind != 0 || l.Head != l.Seq || edge.Build == "" || edge.StartedAt.IsZero()) {
					return fmt.Errorf("%s: ready %v, build %q, log %+v", edge.ID, edge.Ready, edge.Build, l)
				}
			}
		}
		return nil
	})
	key := b.mint("content:read")
	b.rejects(key.Secret, http.MethodGet, "/v1/edges", nil, http.StatusForbidden, "FORBIDDEN")
}
