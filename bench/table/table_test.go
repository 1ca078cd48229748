package table

import (
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"svc/shared/read"
	"svc/shared/schema"
)

func TestDocumentsHaveAbout2KB(t *testing.T) {
	size := 0
	for n := range 100 {
		fields, err := json.Marshal(At(n, 1))
		if err != nil {
			t.Fatal(err)
		}
		size += len(fields)
	}
	if size /= 100; size < 1_700 || size > 2_200 {
		t.Errorf("a document has %d bytes", size)
	}
}

func TestEveryFieldButReferencesAndProseIsOrderedBy(t *testing.T) {
	parsed, err := schema.Parse([]byte(Schema))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range parsed.Fields {
		if f.Type != schema.TypeReference && f.Type != schema.TypeMarkdown {
			names = append(names, f.Key)
		}
	}
	if !slices.Equal(names, sortable) {
		t.Errorf("%v, not %v", sortable, names)
	}
}

func TestAStoreAnswersEveryListAtTheHeadAndAtThePin(t *testing.T) {
	s, err := Build(t.Context(), t.TempDir(), 300, 21)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if s.Pin != 11 || s.Releases != 21 {
		t.Fatalf("pin %d of %d", s.Pin, s.Releases)
	}
	ids := func(path string) (found []string) {
		var page struct {
			Data []struct {
				ID string `json:"id"`
			} `json:"data"`
		}
		if err := s.serve(t.Context(), path, func(r *read.Response) error { return json.Unmarshal(r.Body, &page) }); err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Data {
			found = append(found, e.ID)
		}
		return found
	}
	for _, kind := range Kinds() {
		found := 0
		for _, q := range kind.Queries {
			found += len(ids(Path(Project, q, 0)))
			ids(Path(Project, q, s.Pin))
		}
		if found == 0 {
			t.Errorf("%s: nothing is found", kind.Work)
		}
	}
	for _, q := range Walked() {
		path, err := s.PageAt(t.Context(), q, s.Pin, 40)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := ids(path), ids(Path(Project, with(q, "limit=100"), s.Pin))[40:65]; !slices.Equal(got, want) {
			t.Errorf("%q from row 40: %v, not %v", q, got, want)
		}
	}
}

func TestAReleaseIsReadOnceItIsPublished(t *testing.T) {
	s, err := Build(t.Context(), t.TempDir(), 50, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for range 2 {
		if err := s.Publish(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.serve(t.Context(), Path(Project, "", 5), nil); err != nil {
		t.Error(err)
	}
	if err := s.serve(t.Context(), Path(Project, "", 6), nil); err == nil {
		t.Error("release 6 is there before it is published")
	}
}

func TestAGetFindsItsDocuments(t *testing.T) {
	if took, err := Get(t.TempDir(), 200, time.Millisecond); err != nil || took <= 0 {
		t.Error(took, err)
	}
}
