package server

import (
	"slices"
	"strings"
	"testing"

	"svc/shared/wiretest"
)

// TestOneReadingOfARequest: what others might read as two requests, or as another one, is refused with the connection
// given up, or understood as its standard says. Nothing that is hidden in it reaches core.
func TestOneReadingOfARequest(t *testing.T) {
	for _, c := range wiretest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			core := &recorder{}
			s := start(t, plenty, core)
			got := s.talk(t, c.Send)
			var statuses []int
			for _, answer := range got {
				statuses = append(statuses, answer.StatusCode)
				if answer.StatusCode >= 400 && !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/problem+json") ||
					answer.StatusCode >= 200 && len(answer.Header.Get("Svc-Request-Id")) != 32 {
					t.Errorf("an answer with %v", answer.Header)
				}
			}
			if !slices.Equal(statuses, c.Edge.Statuses) {
				t.Fatalf("answered %v, want %v", statuses, c.Edge.Statuses)
			}
			if last := got[len(got)-1]; last.StatusCode == 400 && !last.Close {
				t.Error("a connection that no one understands stays open")
			}
			seen := core.saw()
			for i := range seen {
				method, rest, _ := strings.Cut(seen[i], " ")
				if at, ok := strings.CutPrefix(rest, "http://127.0.0.1:"); ok {
					_, path, _ := strings.Cut(at, "/")
					seen[i] = method + " http://core/" + path
				}
			}
			if !slices.Equal(seen, c.Edge.Seen) {
				t.Errorf("core saw %q, want %q", seen, c.Edge.Seen)
			}
		})
	}
}
