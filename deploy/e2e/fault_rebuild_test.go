package e2e

import (
	"testing"

	"svc/bench/docs"
	"svc/bench/node"
)

// TestEdgesComeBackFromNothing: an edge whose disk is lost, and one that joins late, hold and answer what the others do,
// also with core away, so that they cannot pass a read on.
func TestEdgesComeBackFromNothing(t *testing.T) {
	h, err := docs.Load("testdata/docs")
	if err != nil {
		t.Fatal(err)
	}
	b := newFaultBed(t)
	head := b.replay(h)
	b.check(b.stack.StopPart("edge-2"))
	b.check(b.stack.ClearPart("edge-2"))
	b.check(b.stack.StartPart(t.Context(), "edge-2"))
	_, err = b.stack.AddEdge(t.Context(), "edge-3")
	b.check(err)
	defer func() { b.check(b.stack.RemoveEdge("edge-3")) }()
	edges := append(b.edges(), b.node("edge-3"))
	b.await(head, docs.Collection, edges...)
	b.agree([]string{docs.Collection}, edges...)

	b.without("core", func() { b.alike(h, head, edges) })
}

// alike compares edges at every release, and with the source.
func (b *bed) alike(h *docs.History, head uint64, edges []node.Node) {
	b.t.Helper()
	pins := make([]uint64, 0, head)
	for pin := uint64(1); pin <= head; pin++ {
		pins = append(pins, pin)
	}
	check := &docs.Check{History: h, Project: b.project.Slug, Nodes: edges}
	sites := h.At(pins)
	for _, pin := range pins {
		if pin%5 == 1 {
			b.check(check.At(b.t.Context(), sites[pin], pin))
		} else {
			b.check(check.Locale(b.t.Context(), sites[pin], pin, "ja"))
		}
	}
	b.check(check.At(b.t.Context(), sites[head], 0))
}

// without takes a part down for a while.
func (b *bed) without(part string, do func()) {
	b.t.Helper()
	b.check(b.stack.StopPart(part))
	defer func() { b.check(b.stack.StartPart(b.t.Context(), part)) }()
	do()
}
