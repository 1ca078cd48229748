package cli

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/problem"
	"svc/shared/schema"
)

func (s *service) imports(r *http.Request, body string) (any, error) {
	if got := r.Header.Get("Content-Type"); got != "application/x-ndjson" {
		return nil, fault.New(fault.UnsupportedMediaType, "the body's Content-Type is %q", got)
	}
	if r.PathValue("collection") != "posts" {
		return nil, fault.New(fault.NotFound, "the project has no collection %q", r.PathValue("collection"))
	}
	if s.rowFault != "" {
		return nil, fault.Invalid("entries[1].data.title", "%s", s.rowFault)
	}
	if strings.Contains(body, "[]") {
		return nil, fault.Invalid("entries[1]", "must be an object")
	}
	rows := len(strings.Fields(body))
	entries := []importedRow{{ID: new(id[content.EntryID](1)), Slug: orNull("a"), Outcome: "skipped"}, {Outcome: "created"}}
	var set *string
	sets := []string{}
	query := r.URL.Query()
	switch {
	case query.Get("dryRun") == "true":
	case query.Get("changeSetId") != "":
		set = orNull(query.Get("changeSetId"))
	case strings.Contains(body, "scattered"):
		sets = append(sets, string(id[content.ChangeSetID](2)), string(id[content.ChangeSetID](77)))
		return dataBody{map[string]any{"created": 1, "updated": 1, "unchanged": 0, "conflicts": 1, "changeSetId": nil, "changeSetIds": sets, "entries": []any{
			map[string]any{"id": id[content.EntryID](1), "slug": "a", "outcome": "conflict", "changeSetId": nil, "error": map[string]any{
				"code": "CONFLICT", "detail": "the entry is in 2 open change sets; say which one with changeSetId",
				"changeSetIds": []string{string(id[content.ChangeSetID](1)), string(id[content.ChangeSetID](2))},
			}},
			map[string]any{"id": id[content.EntryID](2), "slug": "b", "outcome": "updated", "changeSetId": id[content.ChangeSetID](2)},
			map[string]any{"id": id[content.EntryID](3), "slug": "c", "outcome": "created", "changeSetId": id[content.ChangeSetID](77)},
		}}}, nil
	default:
		set = orNull(string(id[content.ChangeSetID](77)))
	}
	if set != nil {
		sets = append(sets, *set)
	}
	return dataBody{map[string]any{
		"created": rows - 1, "updated": 0, "unchanged": 1, "conflicts": 0, "changeSetId": set, "changeSetIds": sets, "entries": entries,
	}}, nil
}

// getEntry knows a draft that belongs to no change set, and an entry that two sets stage.
func (s *service) getEntry(r *http.Request, _ string) (any, error) {
	if r.PathValue("id") == string(id[content.EntryID](8)) {
		sets := []content.ChangeSetID{id[content.ChangeSetID](1), id[content.ChangeSetID](2)}
		return dataBody{wire.EntryInSets{
			Entry: wire.Entry{
				ID: id[content.EntryID](8), Collection: "posts", Status: "changed", Slug: orNull("two-sets"),
				Draft: &wire.Head{Fields: jsontext.Value(`{"title":"Two \u001b[31msets","rating":1.50,"tags":["a","b"]}`)},
			},
			OpenChangeSets: []wire.OpenChangeSet{
				{ID: sets[0], Title: "First", Status: content.ChangeSetOpen, Fields: []string{"fields.title", "fields.tags"}},
				{ID: sets[1], Title: "Second", Status: content.ChangeSetReady, Operation: content.OperationDelete},
			},
			ContendedFields: []wire.ContendedField{{Path: "fields.title", ChangeSetIDs: sets}},
		}}, nil
	}
	switch r.PathValue("id") {
	case string(id[content.EntryID](7)):
		return dataBody{wire.Entry{ID: id[content.EntryID](7), Collection: "home", Status: "draft"}}, nil
	case string(id[content.EntryID](6)):
		return dataBody{s.inOneSet(r)}, nil
	case string(id[content.EntryID](4)):
		return dataBody{longEntry()}, nil
	case string(id[content.EntryID](5)):
		return dataBody{wire.Entry{ID: id[content.EntryID](5), Status: "deleted", UnpublishedAt: stamp(1), DeletedAt: stamp(2)}}, nil
	}
	return dataBody{map[string]any{"id": r.PathValue("id"), "collection": "posts", "slug": "left-over", "status": "draft"}}, nil
}

// inOneSet is an entry that the first set stages, and nothing else of it.
func (s *service) inOneSet(r *http.Request) wire.EntryInSets {
	fields := jsontext.Value(`{"title":"One","views":1.50,"big":9007199254740993,"text":"a\nb\n","seo":{"de":"x","en":"y"}}`)
	e := wire.EntryInSets{
		Entry: wire.Entry{
			ID: id[content.EntryID](6), Collection: "posts", Status: "changed", Slug: orNull("one"),
			Published: &wire.Head{Revision: id[content.RevisionID](1), Slug: orNull("one"), Fields: jsontext.Value(`{"title":"Live"}`)},
			Draft:     &wire.Head{Revision: id[content.RevisionID](2), Slug: orNull("one"), Fields: fields},
		},
		OpenChangeSets: []wire.OpenChangeSet{{ID: id[content.ChangeSetID](1), Title: "First", Status: content.ChangeSetOpen, Fields: []string{"fields.title"}}},
	}
	if s.removes != "" {
		e.OpenChangeSets[0].Operation, e.OpenChangeSets[0].Fields = s.removes, nil
	}
	if set := r.URL.Query().Get("changeSetId"); set != "" && set != string(id[content.ChangeSetID](1)) {
		e.Draft = nil
	}
	return e
}

// longEntry has a field of each kind, of which three are long.
func longEntry() wire.Entry {
	body := strings.Repeat("A paragraph of a few more words than one line of a narrow terminal holds.\n\n", 9)
	tags := `"` + strings.Join(strings.Fields(strings.Repeat("tag ", 14)), `","`) + `"`
	return wire.Entry{ID: id[content.EntryID](4), Collection: "posts", Status: "draft", Draft: &wire.Head{Fields: jsontext.Value(
		`{"title":"Short","lead":"Rather long, but a single line that stays in one piece unless there is a terminal for which it is too wide.","nothing":"","none":null,` +
			`"on":true,"seo":{"title":{"de":"x","en":"y"},"text":"a\nb\n"},"empty":[],"body":` + quoted(body) + `,"tags":[` + tags + `],` +
			`"texts":{"de":` + quoted(strings.TrimSpace(body)) + `,"en":` + quoted(strings.TrimSpace(body)) + `},"one":["x"],"notes":[{"text":"An item of a list that is too long for one line of a narrow terminal."}]}`,
	)}}
}

// patchEntry refuses the title "Bad", and what is built on anything but the two revisions there are.
func (s *service) patchEntry(r *http.Request, body string) (any, error) {
	var in wire.EntryEdit
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		return nil, err
	}
	switch {
	case s.edited:
		return nil, fault.New(fault.StaleRevision, "expectedRevisionId is not the head this write builds on")
	case strings.Contains(body, `"title":"Bad"`):
		return nil, fault.Invalid("fields.title", "must be good")
	}
	return dataBody{wire.Written{Entry: wire.Entry{ID: id[content.EntryID](6), Collection: "posts", Slug: orNull("one")}, ChangeSet: s.sets[0]}}, nil
}

// collections are those that public reads see, and the private singleton "notes" for a key with schema:read.
func (s *service) collections(r *http.Request, _ string) (any, error) {
	if needs(r, "schema:read") != nil {
		return listBody{[]wire.PublicCollection{{Key: "posts", Kind: "collection"}, {Key: "home", Kind: "singleton"}}, map[string]any{"nextCursor": nil}}, nil
	}
	return listBody{[]wire.Collection{{Name: "posts", Kind: "collection", Schema: jsontext.Value(`{"titleField":"title"}`)}, {Name: "home", Kind: "singleton"}, {Name: "notes", Kind: "singleton"}}, map[string]any{"nextCursor": nil}}, nil
}

// listEntries has three entries, of which one is updated in 2027 and none by a user, and finds nothing with words. Two have the slug
// "twice", and one that is not listed otherwise has "two-sets".
func (s *service) listEntries(r *http.Request, _ string) (any, error) {
	all := []wire.Entry{}
	switch collection := r.URL.Query().Get("collection"); collection {
	case "", "posts", "drafts":
	case "home", "notes":
		return paged(r, []wire.Entry{{ID: id[content.EntryID](8), Collection: collection}}), nil
	case "post", "hme":
		return nil, fault.New(fault.NotFound, "the project has no collection %q", collection)
	default:
		return paged(r, all), nil
	}
	for n, slug := range map[byte]string{8: "two-sets", 6: "twice", 7: "twice"} {
		if r.URL.Query().Get("slug") == slug {
			all = append(all, wire.Entry{ID: id[content.EntryID](n), Collection: "posts", Slug: &slug})
		}
	}
	slices.SortFunc(all, func(a, b wire.Entry) int { return strings.Compare(string(a.ID), string(b.ID)) })
	if r.URL.Query().Get("slug") != "" {
		return paged(r, all), nil
	}
	for n, status := range []string{"draft", "published", "changed"} {
		q := r.URL.Query()
		if old := status != "changed" && strings.HasPrefix(q.Get("updatedSince"), "2027") || strings.HasPrefix(q.Get("updatedBy"), "usr_"); old {
			continue
		}
		if (q.Get("status") == "" || q.Get("status") == status) && q.Get("q") == "" {
			e := wire.Entry{ID: id[content.EntryID](byte(n)), Collection: "posts", Status: status, Slug: orNull("post-" + status)}
			head := &wire.Head{Fields: jsontext.Value(`{"slug":"post-` + status + `","title":{"de":"Ein Beitrag","en":"A post that is ` + status + `, with 春の号"}}`)}
			switch status {
			case "draft":
				head.Fields = jsontext.Value(`{"title":7}`)
				e.Draft = head
			case "changed":
				e.Published, e.Draft = &wire.Head{Fields: jsontext.Value(`{"title":{"en":"Former"}}`)}, head
			default:
				e.Published = head
			}
			all = append(all, e)
		}
	}
	return paged(r, all), nil
}

// listRevisions has one that was published, and one that the system made outside of change sets.
func (s *service) listRevisions(r *http.Request, _ string) (any, error) {
	if r.PathValue("id") != string(id[content.EntryID](6)) {
		return nil, fault.New(fault.NotFound, "there is no entry %q in the project", r.PathValue("id"))
	}
	return paged(r, []wire.Revision{
		{ID: id[content.RevisionID](2), Entry: id[content.EntryID](6), Parent: new(id[content.RevisionID](1)), Fields: jsontext.Value(`{"title":"One"}`), CreatedAt: stamp(2)},
		{
			ID: id[content.RevisionID](1), Entry: id[content.EntryID](6), Slug: orNull("one"), Fields: jsontext.Value(`{"title":"Live"}`), ChangeSet: new(id[content.ChangeSetID](3)),
			ChangeSummary: "Typo\x1b[31m\nfixed", CreatedBy: orNull(string(id[content.KeyID](1))), CreatedAt: stamp(1), ReleaseNumber: 7,
		},
	}), nil
}

// references are of every kind for one entry, and none for others.
func (s *service) references(r *http.Request, _ string) (any, error) {
	if r.PathValue("id") != string(id[content.EntryID](8)) {
		return dataBody{wire.References{ReferencedBy: []wire.Referrer{}, References: []wire.Referred{}}}, nil
	}
	return dataBody{wire.References{
		References: []wire.Referred{
			{ID: id[content.EntryID](1), Collection: orNull("authors"), Slug: orNull("ada"), Exists: true, Published: true},
			{ID: id[content.EntryID](2), Collection: orNull("authors"), Exists: true}, {ID: id[content.EntryID](3)},
		},
		ReferencedBy: []wire.Referrer{
			{ID: id[content.EntryID](4), Collection: "posts", Slug: orNull("both"), InDraft: true, InPublished: true}, {ID: id[content.EntryID](5), Collection: "posts", InDraft: true},
		},
	}}, nil
}

// stages stages a removal. An entry that two sets stage is unpublished in a set that is named.
func (s *service) stages(operation content.Operation) respond {
	return func(r *http.Request, _ string) (any, error) {
		if operation == content.OperationUnpublish && r.PathValue("id") == string(id[content.EntryID](8)) && r.URL.RawQuery == "" {
			return nil, fault.New(fault.Conflict, "the entry is in 2 open change sets; say which one with changeSetId")
		}
		return wire.Staged{ChangeSet: id[content.ChangeSetID](1), Staged: operation}, nil
	}
}

// copied knows a revision and an entry.
func (s *service) copied(r *http.Request, body string) (any, error) {
	if strings.Contains(body, "rev_9") {
		return nil, fault.New(fault.NotFound, "the entry has no revision \"rev_9\"")
	}
	set := s.sets[0]
	return dataBody{wire.Written{Entry: wire.Entry{ID: id[content.EntryID](7), Collection: "posts", Slug: orNull("post-2")}, ChangeSet: set}}, nil
}

func (s *service) discard(r *http.Request, _ string) (any, error) {
	if r.PathValue("id") == string(id[content.EntryID](2)) {
		f := fault.New(fault.Conflict, "the draft of the entry is staged; unstage it instead")
		f.ChangeSetIDs = []string{string(id[content.ChangeSetID](2))}
		return nil, f
	}
	return s.getEntry(r, "")
}

func (s *service) listSets(r *http.Request, _ string) (any, error) {
	status := r.URL.Query().Get("status")
	return paged(r, slices.DeleteFunc(slices.Clone(s.sets), func(c wire.ChangeSet) bool { return status != "" && string(c.Status) != status })), nil
}

func (s *service) createSet(r *http.Request, body string) (any, error) {
	var in wire.NewChangeSet
	err := json.Unmarshal([]byte(body), &in)
	return dataBody{wire.ChangeSet{ID: id[content.ChangeSetID](9), Title: in.Title, Description: in.Description, Status: content.ChangeSetOpen, CreatedAt: stamp(9)}}, err
}

func (s *service) createPreview(r *http.Request, body string) (any, error) {
	set, err := s.find(r)
	if err != nil {
		return nil, err
	}
	var in wire.NewPreview
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		return nil, err
	}
	if *in.ExpiresInSeconds.Value > 100_000 {
		return nil, fault.New(fault.Forbidden, "a preview cannot outlive the API key that makes it: give a smaller expiresInSeconds")
	}
	made := wire.Preview{ID: id[content.PreviewID](byte(len(s.previews))), ChangeSet: set.ID, Entry: in.Entry.Value, CreatedAt: stamp(0)}
	made.ExpiresAt = wire.Time{Time: made.CreatedAt.Add(time.Duration(*in.ExpiresInSeconds.Value) * time.Second)}
	s.previews = slices.Insert(s.previews, 0, made)
	return dataBody{wire.CreatedPreview{Preview: made, Token: "svc_prv_public_secret"}}, nil
}

func (s *service) listPreviews(r *http.Request, _ string) (any, error) {
	set := r.PathValue("id")
	return paged(r, slices.DeleteFunc(slices.Clone(s.previews), func(v wire.Preview) bool { return set != "" && string(v.ChangeSet) != set })), nil
}

func (s *service) revokePreview(r *http.Request, _ string) (any, error) {
	for n := range s.previews {
		if v := &s.previews[n]; string(v.ID) == r.PathValue("preview") {
			v.RevokedAt = stamp(5)
			return dataBody{*v}, nil
		}
	}
	return nil, fault.New(fault.NotFound, "there is no such preview token in the project")
}

func (s *service) find(r *http.Request) (*wire.ChangeSet, error) {
	for i := range s.sets {
		if string(s.sets[i].ID) == r.PathValue("id") {
			return &s.sets[i], nil
		}
	}
	return nil, fault.New(fault.NotFound, "there is no such change set in the project")
}

func (s *service) getSet(r *http.Request, _ string) (any, error) {
	set, err := s.find(r)
	return dataBody{set}, err
}

func (s *service) editSet(r *http.Request, body string) (any, error) {
	set, err := s.find(r)
	if err != nil {
		return nil, err
	}
	if !set.Status.Editable() {
		return nil, fault.New(fault.Conflict, "the change set %s is %s and takes no more edits", set.ID, set.Status)
	}
	var in wire.ChangeSetEdit
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		return nil, err
	}
	for to, from := range map[*string]*string{&set.Title: in.Title.Value, &set.Description: in.Description.Text, (*string)(&set.Status): (*string)(in.Status.Value)} {
		if from != nil {
			*to = *from
		}
	}
	return dataBody{set}, nil
}

func (s *service) listItems(r *http.Request, _ string) (any, error) {
	set, err := s.find(r)
	if err != nil {
		return nil, err
	}
	return paged(r, s.items[string(set.ID)]), nil
}

// diff is what the first set of all changes: of the item that updates, something of each kind, and of the one that deletes, a long text.
func (s *service) diff(r *http.Request, _ string) (any, error) {
	set, err := s.find(r)
	if err != nil {
		return nil, err
	}
	text := func(s string) jsontext.Value {
		quoted, _ := jsontext.AppendQuote(nil, s) // it is UTF-8
		return quoted
	}
	long := strings.Repeat("The same words again. ", 10)
	var all []wire.ItemDiff
	for _, i := range s.items[string(set.ID)] {
		d := wire.ItemDiff{Item: i}
		if i.Operation == content.OperationUpdate {
			d.Changes = []wire.Change{
				{Path: "fields.title", Before: text("One | <b>two</b>"), After: text("春の号\x1b[31m*"), Kind: "changed"},
				{Path: "fields.seo.description", After: text("New"), Kind: "added"},
				{Path: "fields.tags", Before: jsontext.Value(`["a","b"]`), Kind: "removed"},
				{Path: "fields.body", Before: text(long + "Red barn." + long), After: text(long + "Green barn and 春の号." + long), Kind: "changed", Segments: []wire.Segment{
					{Op: "equal", Value: long}, {Op: "delete", Value: "Red"}, {Op: "insert", Value: "Green"}, {Op: "equal", Value: " barn"},
					{Op: "insert", Value: " and 春の号"}, {Op: "equal", Value: "." + long},
				}},
				paragraphs(),
			}
		}
		if i.Operation == content.OperationDelete {
			d.Changes = []wire.Change{{Path: "fields.body", Before: text(strings.Repeat("The same words again.\n\n", 40)), Kind: "removed"}}
		}
		all = append(all, d)
	}
	return paged(r, all), nil
}

// paragraphs is a text of which a paragraph is divided, and another one inserted.
func paragraphs() wire.Change {
	plain := strings.Repeat("Nothing new here.\n\n", 8)
	return wire.Change{Path: "fields.lead", Kind: "changed", Segments: []wire.Segment{
		{Op: "equal", Value: "One, "}, {Op: "delete", Value: "and "}, {Op: "insert", Value: "\n\n"}, {Op: "equal", Value: "two.\n\n" + plain},
		{Op: "insert", Value: "A paragraph of its own.\n\n"}, {Op: "equal", Value: plain + "Three\n"}, {Op: "delete", Value: "Four\n"}, {Op: "equal", Value: "Five"},
	}}
}

// rebase has something of each kind for the first item of a set that has some, and two entries that are gone; mine is not to be taken
// of the one that is deleted, which the service refuses. The third set has nothing but what is stale.
func (s *service) rebase(r *http.Request, body string) (any, error) {
	set, err := s.find(r)
	if err != nil {
		return nil, err
	}
	var in wire.Rebase
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		return nil, err
	}
	theirs, base := jsontext.Value(`"c"`), id[content.RevisionID](3)
	if s.rebases++; s.others > 0 && s.rebases >= s.others {
		if base = id[content.RevisionID](4); !s.elseOnly {
			theirs = jsontext.Value(`"d"`)
		}
	}
	conflicts := []wire.RebaseConflict{
		{Path: "fields.body", Base: jsontext.Value(`"a"`), Mine: jsontext.Value(`"b"`), Theirs: theirs},
		{Path: "fields.note", Mine: jsontext.Value(`1`), Reason: "field_removed"},
	}
	if s.agreeing && s.rebases < s.others {
		conflicts = nil
	}
	out := wire.Rebased{ChangeSet: *set, DryRun: *in.DryRun.Value, Items: []wire.RebasedItem{}, Stale: []content.EntryID{}}
	if set.ID == id[content.ChangeSetID](3) {
		out.Stale = append(out.Stale, id[content.EntryID](3))
		if *in.OnConflict.Value == "take-mine" {
			out.Errors = []problem.Issue{{Path: "slug", Code: "slug_taken", Message: "the slug \"one\" is that of another entry by now", ResourceType: "entry", ResourceID: string(id[content.EntryID](3))}}
		}
	}
	if items := s.items[string(set.ID)]; len(items) > 0 {
		if *in.OnConflict.Value == "fail" && !*in.DryRun.Value {
			return nil, fault.New(fault.Conflict, "the edits conflict with what is published in 1 place")
		}
		out.Stale = append(out.Stale, id[content.EntryID](3))
		out.Items = append(out.Items, wire.RebasedItem{
			ResourceType: content.ResourceEntry, ResourceID: items[0].ResourceID, Collection: "posts", Slug: items[0].Slug, BaseRevisionID: &base,
			Replayed: []wire.Change{{Path: "fields.title", Kind: "changed"}}, Agreed: []wire.Change{{Path: "fields.rating", Kind: "changed"}},
			Conflicts: conflicts,
		})
		gone := func(n byte, slug, reason string) {
			out.Items = append(out.Items, wire.RebasedItem{
				ResourceType: content.ResourceEntry, ResourceID: string(id[content.EntryID](n)), Collection: "notes", Slug: orNull(slug),
				Conflicts: []wire.RebaseConflict{{Path: "fields", Base: jsontext.Value(`{}`), Mine: jsontext.Value(`{"a":1}`), Reason: reason}},
			})
		}
		mine := *in.OnConflict.Value == "take-mine"
		if !s.agreeing {
			gone(8, "gone", "entry_unpublished")
		}
		if !s.agreeing && !mine {
			gone(9, "", "entry_deleted")
		}
		for n := range out.Items {
			if !*in.DryRun.Value && (n == 0 || mine) {
				out.Items[n].TargetRevisionID = new(id[content.RevisionID](5))
			}
		}
	}
	return dataBody{out}, nil
}

func (s *service) unstage(r *http.Request, _ string) (any, error) {
	set, err := s.find(r)
	if err == nil && r.PathValue("resource") == string(id[content.EntryID](9)) {
		err = fault.New(fault.NotFound, "the change set stages nothing for %q", r.PathValue("resource"))
	}
	return dataBody{set}, err
}

func (s *service) closeSet(r *http.Request, _ string) (any, error) {
	set, err := s.find(r)
	if err == nil && !set.Status.Editable() {
		err = fault.New(fault.Conflict, "the change set %s is %s and cannot be closed", set.ID, set.Status)
	}
	return dataBody{set}, err
}

// undelete knows an entry whose deletion is staged.
func (s *service) undelete(r *http.Request, body string) (any, error) {
	if r.PathValue("id") == string(id[content.EntryID](8)) {
		f := fault.New(fault.Conflict, "the entry is not deleted; its deletion is staged: unstage it instead")
		f.ChangeSetIDs = []string{string(id[content.ChangeSetID](2))}
		return nil, f
	}
	return s.copied(r, body)
}

func (s *service) validate(r *http.Request, _ string) (any, error) {
	set, err := s.find(r)
	if err != nil {
		return nil, err
	}
	if s.validated++; s.validated == s.restaged {
		s.items[string(set.ID)][0].TargetRevisionID = new(id[content.RevisionID](99))
	}
	answer := map[string]any{"valid": len(s.errors) == 0, "errors": slices.Concat([]issue{}, s.errors), "warnings": s.warnings(string(set.ID))}
	if len(s.items[string(set.ID)]) == 0 {
		answer["valid"], answer["detail"] = false, "the change set stages nothing"
	}
	if len(s.errors) > 0 {
		answer["detail"] = s.detail()
	}
	return answer, nil
}

// detail sums up what is wrong, as core does.
func (s *service) detail() string {
	first := s.errors[0]
	return fmt.Sprintf("the change set has %s; the first: %s", schema.Count(len(s.errors), "fault"), fault.Item{ResourceID: first.ResourceID, Path: first.Path, Message: first.Message})
}

// warnings are about everything that a set takes away: each such entry has more referrers than the one before.
func (s *service) warnings(set string) []wire.Warning {
	warnings := []wire.Warning{}
	for n, i := range s.items[set] {
		if i.Operation == "unpublish" || i.Operation == "delete" {
			w := wire.Warning{ResourceType: "entry", ResourceID: i.ResourceID, Code: "referenced", Message: "live entries refer to it"}
			for referrer := range 3 * (n - 1) {
				w.ReferencedBy = append(w.ReferencedBy, id[content.EntryID](byte(10+referrer)))
			}
			warnings = append(warnings, w)
		}
	}
	return warnings
}

func (s *service) publish(r *http.Request, body string) (any, error) {
	if err := needs(r, "content:publish"); err != nil {
		return nil, err
	}
	set, err := s.find(r)
	switch {
	case err != nil:
		return nil, err
	case body != `{"confirm":true}`:
		return nil, fault.Invalid("confirm", "must be true")
	case set.ReleaseNumber != nil:
		return nil, fault.New(fault.Conflict, "the change set %s was published as release %d", set.ID, *set.ReleaseNumber)
	case len(s.errors) > 0:
		f := fault.New(fault.PublishValidationFailed, "%s", s.detail())
		for _, e := range s.errors {
			f.Items = append(f.Items, fault.Item{Path: e.Path, Code: e.Code, Message: e.Message, ResourceType: e.ResourceType, ResourceID: e.ResourceID})
		}
		return nil, f
	}
	number := uint64(len(s.releases) + 1)
	set.Status, set.ReleaseNumber = "published", &number
	s.releases = slices.Insert(s.releases, 0, wire.Release{
		Number: number, Title: set.Title, ChangeSet: set.ID, PublishedAt: stamp(int(number)), ItemCount: len(s.items[string(set.ID)]),
	})
	ids := []string{}
	for _, i := range s.items[string(set.ID)] {
		if i.Operation == "create" || i.Operation == "update" {
			ids = append(ids, i.ResourceID)
		}
	}
	return map[string]any{"changeSet": set, "publishedEntryIds": ids, "warnings": s.warnings(string(set.ID))}, nil
}

func (s *service) release(r *http.Request, _ string) (any, error) {
	found, err := s.findRelease(r)
	if err != nil {
		return nil, err
	}
	var items []wire.ReleaseItem
	for _, i := range s.items[string(found.ChangeSet)] {
		items = append(items, wire.ReleaseItem{Entry: content.EntryID(i.ResourceID), Collection: i.Collection, Operation: i.Operation, Slug: i.Slug})
	}
	return dataBody{wire.ReleaseWithItems{Release: found, Items: items}}, nil
}

func (s *service) findRelease(r *http.Request) (found wire.Release, err error) {
	for _, found = range s.releases {
		if name := r.PathValue("number"); strconv.FormatUint(found.Number, 10) == name || string(found.ChangeSet) == name {
			return found, nil
		}
	}
	return found, fault.New(fault.NotFound, "there is no release %s", r.PathValue("number"))
}

// revert refuses release 1 without force, since a later one touched its entries.
func (s *service) revert(r *http.Request, body string) (any, error) {
	release, err := s.findRelease(r)
	if err != nil {
		return nil, err
	}
	var in wire.Revert
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		return nil, err
	}
	if r.PathValue("number") == "1" && !*in.Force.Value {
		f := fault.New(fault.Conflict, "later releases changed again what release 1 touched; force reverts it all the same")
		f.EntryIDs = []string{string(id[content.EntryID](1))}
		f.Items = []fault.Item{{Code: "changed_later", Message: "was changed again in release 2", ResourceType: "entry", ResourceID: string(id[content.EntryID](1))}}
		return nil, f
	}
	set := wire.ChangeSet{ID: id[content.ChangeSetID](9), Title: "Revert of release " + strconv.FormatUint(release.Number, 10), Status: content.ChangeSetOpen, CreatedAt: stamp(9)}
	if in.Title.Value != nil {
		set.Title = *in.Title.Value
	}
	return dataBody{set}, nil
}

func (s *service) pin(r *http.Request, body string) (any, error) {
	if err := needs(r, "project:admin"); err != nil {
		return nil, err
	}
	p := wire.Pin{PinnedBy: orNull(string(id[content.KeyID](1))), PinnedAt: stamp(9)}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s.releases, func(r wire.Release) bool { return r.Number == p.Release }) {
		return nil, fault.Invalid("release", "there is no release %d", p.Release)
	}
	if p.Reason != nil && *p.Reason == "" {
		p.Reason = nil
	}
	s.pinned = &p
	return dataBody{p}, nil
}

func (s *service) unpin(r *http.Request, _ string) (any, error) {
	s.pinned = nil
	return nil, needs(r, "project:admin")
}
