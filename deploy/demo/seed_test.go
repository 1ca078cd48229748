package demo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"svc/core/client"
	"svc/shared/fault"
	"svc/shared/schema"
)

// readable is what readers see in the end: address to field values, with ids replaced by addresses.
func (s *service) readable() map[string]string {
	address := func(id string) string {
		e := s.entries[id]
		return e.collection + "/" + e.liveSlug
	}
	live := map[string]string{}
	for id, e := range s.entries {
		if e.live == nil {
			continue
		}
		fields, err := json.Marshal(e.live, json.Deterministic(true))
		if err != nil {
			s.t.Fatal(err)
		}
		live[address(id)] = entryID.ReplaceAllStringFunc(string(fields), address)
	}
	return live
}

func TestSeedLeavesTheMagazineThatTheReleasesDescribe(t *testing.T) {
	s, target := newService(t)
	if err := Seed(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if s.name != ProjectName || string(s.settings) != `{"defaultLocale":"en","locales":["en","de"]}` {
		t.Errorf("project %q with settings %s", s.name, s.settings)
	}
	if set, err := schema.ParseSet(s.schemas); err != nil || len(set) != 5 {
		t.Errorf("pushed %d collections: %v", len(set), err)
	}
	c := loaded(t)
	if s.published != len(c.Releases) {
		t.Errorf("published %d releases, want %d", s.published, len(c.Releases))
	}
	live := s.readable()
	if len(live) != len(c.Entries)-1 {
		t.Errorf("%d entries are live, want all %d but one", len(live), len(c.Entries))
	}
	for address, want := range map[string]string{
		"articles/night-buses":                `"The map that appears after midnight"`,
		"articles/one-over-two":               `"The wall that holds itself up"`,
		"articles/ten-months-in-the-air":      `"desk":"desks/science"`,
		"articles/what-fog-does-to-a-harbour": `"categories":["categories/water","categories/seasons","categories/after-dark"]`,
		"home/":                               `"lead":"articles/what-fog-does-to-a-harbour"`,
		"notes/walk-in-october":               `"status":"done"`,
	} {
		if !strings.Contains(live[address], want) {
			t.Errorf("%s lacks %s:\n%s", address, want, live[address])
		}
	}
	for _, gone := range []string{"articles/a-walk-before-breakfast", "articles/the-map-after-midnight"} {
		if _, ok := live[gone]; ok {
			t.Errorf("%s is still live", gone)
		}
	}
	if strings.Contains(live["notes/walk-in-october"], `"about"`) {
		t.Error("the note still names the article that was taken down")
	}
}

func TestSeedCallsInAnOrderThatADeploymentAccepts(t *testing.T) {
	s, target := newService(t)
	if err := Seed(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	at := func(call string) int {
		i := slices.Index(s.call, call)
		if i < 0 {
			t.Errorf("never called %s", call)
		}
		return i
	}
	const project = "/v1/projects/magazine"
	order := []string{
		"POST /v1/organizations/press/projects", "PATCH " + project, "POST " + project + "/schema/push",
		"POST " + project + "/change-sets", "POST " + project + "/collections/desks/entries",
		"POST " + project + "/collections/categories/entries", "POST " + project + "/collections/articles/entries",
		"POST " + project + "/collections/home/entries",
	}
	for i := 1; i < len(order); i++ {
		if at(order[i-1]) > at(order[i]) {
			t.Errorf("%s comes after %s", order[i-1], order[i])
		}
	}
	var creates int
	for _, call := range s.call {
		if strings.HasPrefix(call, "POST "+project+"/collections/") {
			creates++
		}
	}
	if want := len(loaded(t).Entries); creates != want {
		t.Errorf("%d creations, want one for each of the %d entries", creates, want)
	}
}

func TestSeedingAgainChangesNothing(t *testing.T) {
	s, target := newService(t)
	if err := Seed(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	writes := s.writes
	if err := Seed(t.Context(), target); err != nil || s.writes != writes {
		t.Errorf("the second seed made %d writes: %v", s.writes-writes, err)
	}
}

func TestAnInterruptedSeedGoesOnWhereItStopped(t *testing.T) {
	c := loaded(t)
	whole, target := newService(t)
	if err := c.seed(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	want := whole.readable()
	for n := 1; n <= whole.writes; n++ {
		t.Run(fmt.Sprintf("write %d", n), func(t *testing.T) {
			s, target := newService(t)
			s.failAfter = n
			if err := c.seed(t.Context(), target); !refusedWith(err, fault.Unavailable) {
				t.Fatalf("the interruption shows as %v", err)
			}
			if err := c.seed(t.Context(), target); err != nil {
				t.Fatal(err)
			}
			if got := s.readable(); !maps.Equal(got, want) {
				t.Errorf("%d entries are live, want the same %d as without the interruption", len(got), len(want))
			}
			if s.published != whole.published || len(s.entries) != len(whole.entries) {
				t.Errorf("%d releases and %d entries, want %d and %d", s.published, len(s.entries), whole.published, len(whole.entries))
			}
		})
	}
}

func TestSeedLeavesAnotherProjectOfThatNameAlone(t *testing.T) {
	s, target := newService(t)
	s.name = "Our own magazine"
	err := Seed(t.Context(), target)
	if err == nil || !strings.Contains(err.Error(), "it is not the demo") || s.writes != 0 {
		t.Errorf("%d writes, %v", s.writes, err)
	}
}

func TestARefusalSaysWhatIsWrong(t *testing.T) {
	_, target := newService(t)
	target.Token = "svc_sk_other"
	err := Seed(t.Context(), target)
	if !refusedWith(err, fault.AuthenticationRequired) || !strings.Contains(err.Error(), "seeding the demo project: ") {
		t.Errorf("got %v", err)
	}
}

func refusedWith(err error, code fault.Code) bool {
	var refused *client.Error
	return errors.As(err, &refused) && refused.Code == code
}
