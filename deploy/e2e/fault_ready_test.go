package e2e

import (
	"net/http"
	"testing"

	"svc/bench/node"
)

// TestReadinessNeedsTheParts: core is not ready without its database or the stream, and is again when they are back; it is
// alive all the time.
func TestReadinessNeedsTheParts(t *testing.T) {
	b := newFaultBed(t)
	for _, part := range []string{"postgres", "nats"} {
		t.Run(part, func(t *testing.T) {
			b := b.on(t)
			b.without(part, func() {
				b.readiness(b.core, http.StatusServiceUnavailable)
				answer, err := b.core.Get(t.Context(), "/healthz")
				b.check(err)
				if answer.Status != http.StatusOK {
					t.Errorf("core is not alive: %d %s", answer.Status, answer.Body)
				}
			})
			b.readiness(b.core, http.StatusOK)
			for _, edge := range b.edges() {
				b.readiness(edge, http.StatusOK)
			}
		})
	}
}

// readiness waits until a node says that it is ready, or that it is not and why.
func (b *bed) readiness(n node.Node, status int) {
	b.t.Helper()
	b.answered([]node.Node{n}, "/readyz", status)
}
