package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/node"
	"svc/core/client"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/fault"
)

// editedSet is a change set of an editor, and what it is to bring about.
type editedSet struct {
	*editor
	id      string
	pending map[string]values // the edits of each entry that differ from what they build on
	gone    map[string]content.Operation
	claims  []claim
}

func (e *editor) open(id string) *editedSet {
	return &editedSet{editor: e, id: id, pending: map[string]values{}, gone: map[string]content.Operation{}}
}

// ask makes a request about the project.
func (e *editor) ask(ctx context.Context, out any, method, path string, in any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	n := with(e.bed.account.Token, e.bed.core)[0]
	answer, err := n.Send(ctx, method, "/v1/projects/"+e.bed.project.Slug+"/"+path, body, node.Header{Name: "Content-Type", Value: "application/json"})
	if err != nil {
		return err
	}
	if answer.Status >= 400 {
		f := &client.Error{}
		if err := json.Unmarshal(answer.Body, &f.Document); err != nil {
			return fmt.Errorf("%s: %w", answer, err)
		}
		return f
	}
	return json.Unmarshal(answer.Body, out)
}

func membersOf(raw jsontext.Value) map[string]jsontext.Value {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil {
		panic(err) // the service answers with JSON
	}
	return members
}

func (s *editedSet) create(ctx context.Context) error {
	slug := "new-" + s.unique()
	data := map[string]any{"tags": []int{}, "seo": map[string]jsontext.Value{"title": jsontext.Value(s.value()), "description": jsontext.Value(s.value())}}
	made, err := s.api.CreateEntry(ctx, s.bed.project.Slug, "notes", client.NewEntry{Data: data, Slug: &slug, ChangeSetID: s.id})
	if err == nil {
		s.pending[string(made.Entry.ID)] = valuesOf(made.Revision.Fields)
	}
	return err
}

// unique is a text that no one else has.
func (e *editor) unique() string {
	e.made++
	return fmt.Sprintf("%d-%d", e.n, e.made)
}

// edit stages edits of some values of an entry that is published.
func (s *editedSet) edit(ctx context.Context, entry string) error {
	for {
		now, err := s.api.Entry(ctx, s.bed.project.Slug, entry)
		if err != nil || now.Published == nil {
			return err
		}
		was := valuesOf(now.Published.Fields)
		edits, patch := values{}, client.Patch{ChangeSetID: s.id, ExpectedRevisionID: string(now.Published.Revision)}
		data := map[string]jsontext.Value{}
		for range 1 + s.random.IntN(3) {
			switch field := []string{"a", "b", "c", "d", "seo.title", "seo.description", "tags", "slug"}[s.random.IntN(8)]; field {
			case "slug":
				slug := "edited-" + s.unique()
				patch.Slug, edits["slug"] = &slug, `"`+slug+`"`
			case "tags":
				edits["tags"] = "[" + s.value() + "]"
				data["tags"] = jsontext.Value(edits["tags"])
			case "a":
				if edits["a"] = ""; s.random.IntN(2) == 0 {
					edits["a"] = s.value()
				}
				data["a"] = orNull(edits["a"])
			case "seo.title", "seo.description":
				edits[field] = s.value()
			default:
				edits[field] = s.value()
				data[field] = jsontext.Value(edits[field])
			}
		}
		if whole := s.seo(was, edits); whole != nil {
			data["seo"] = whole
		}
		maps.DeleteFunc(edits, func(path, value string) bool { return was[path] == value })
		patch.Data = data
		made, err := s.api.PatchEntry(ctx, s.bed.project.Slug, entry, patch)
		switch {
		case refused(err, fault.StaleRevision) != nil:
			continue // someone published meanwhile
		case refused(err, fault.Conflict) != nil:
			return nil // someone deleted it meanwhile
		case err != nil:
			return err
		case made.Entry.PublishedRevisionID == nil:
			return s.takeOut(ctx, entry) // someone unpublished it meanwhile
		}
		s.pending[entry] = edits
		return nil
	}
}

func orNull(text string) jsontext.Value {
	if text == "" {
		return jsontext.Value("null")
	}
	return jsontext.Value(text)
}

// seo is the whole of an object in which members are edited; nil where none is.
func (s *editedSet) seo(was, edits values) jsontext.Value {
	_, title := edits["seo.title"]
	_, description := edits["seo.description"]
	if !title && !description {
		return nil
	}
	whole := maps.Clone(was)
	maps.Copy(whole, edits)
	return jsontext.Value(fmt.Sprintf(`{"title":%s,"description":%s}`, orNull(whole["seo.title"]), orNull(whole["seo.description"])))
}

// remove stages an unpublish or delete, of what is there.
func (s *editedSet) remove(ctx context.Context, entry string, operation content.Operation) error {
	stage := s.api.UnpublishEntry
	if operation == content.OperationDelete {
		stage = s.api.DeleteEntry
	}
	_, err := stage(ctx, s.bed.project.Slug, entry, s.id)
	if refused(err, fault.Conflict) != nil {
		return nil
	}
	if err == nil {
		delete(s.pending, entry)
		s.gone[entry] = operation
	}
	return err
}

func (s *editedSet) takeOut(ctx context.Context, entry string) error {
	delete(s.gone, entry)
	delete(s.pending, entry)
	return s.ask(ctx, &wire.Envelope[wire.ChangeSet]{}, http.MethodDelete, "change-sets/"+s.id+"/items/"+entry, nil)
}

func (s *editedSet) close(ctx context.Context) error {
	s.count("closed", 1)
	_, err := s.api.Close(ctx, s.bed.project.Slug, s.id)
	return err
}

// finish publishes the set, and rebases it as often as others are first. A set of which nothing is left is closed.
func (s *editedSet) finish(ctx context.Context) error {
	for {
		if len(s.pending)+len(s.gone) == 0 {
			return s.close(ctx)
		}
		out, err := s.api.Publish(ctx, s.bed.project.Slug, s.id)
		if err == nil {
			return s.published(*out.ChangeSet.ReleaseNumber)
		}
		f := refused(err, fault.PublishValidationFailed)
		if f == nil {
			return err
		}
		for _, i := range f.Errors {
			if i.Code != string(fault.StaleRevision) {
				return err
			}
		}
		if err := s.rebase(ctx); err != nil {
			return err
		}
	}
}

func (s *editedSet) published(number uint64) error {
	r := release{edits: s.pending, gone: slices.Sorted(maps.Keys(s.gone)), claims: s.claims}
	if err := s.enter(number, r); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for entry := range s.pending {
		if !slices.Contains(s.entries, entry) {
			s.entries = append(s.entries, entry)
		}
	}
	for _, operation := range s.gone {
		s.done[map[content.Operation]string{content.OperationUnpublish: "unpublished", content.OperationDelete: "deleted"}[operation]]++
	}
	return nil
}

// rebase rebases the set. Where edits conflict, either side is taken; where an entry has been deleted, only theirs can be.
func (s *editedSet) rebase(ctx context.Context) error {
	take := "fail"
	for {
		out, err := s.api.Rebase(ctx, s.bed.project.Slug, s.id, wire.Rebase{OnConflict: wire.Some(take)})
		if err == nil {
			return s.rebased(ctx, out, take)
		}
		f := refused(err, fault.Conflict)
		if f == nil || take == "take-theirs" {
			return fmt.Errorf("rebase with %s: %w", take, err)
		}
		if take = "take-theirs"; s.random.IntN(2) == 0 && !strings.Contains(err.Error(), "entry_deleted") {
			take = "take-mine"
		}
	}
}

// rebased compares what a rebase did with the edits that were to be replayed, and keeps those that are left of them.
func (s *editedSet) rebased(ctx context.Context, out wire.Rebased, take string) error {
	s.count("rebased", len(out.Items))
	for _, i := range out.Items {
		before, named := s.pending[i.ResourceID], values{}
		for _, c := range slices.Concat(i.Replayed, i.Agreed) {
			named.put(inEntry(c.Path), c.After)
		}
		for _, c := range i.Conflicts {
			named.put(inEntry(c.Path), c.Mine)
		}
		whole := len(i.Conflicts) == 1 && i.Conflicts[0].Reason != ""
		if !whole && !maps.Equal(named, before) {
			return fmt.Errorf("the edits of %s were %v, and the rebase names %v", i.ResourceID, before, named)
		}
		s.keep(i, take, whole)
	}
	for _, id := range out.Stale { // to be unpublished or deleted, which may have come to nothing
		entry, operation := string(id), s.gone[string(id)]
		err := s.takeOut(ctx, entry)
		if err == nil && s.random.IntN(2) == 0 {
			err = s.remove(ctx, entry, operation)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keep takes out the edits that are published by now, or dropped.
func (s *editedSet) keep(i wire.RebasedItem, take string, whole bool) {
	left := s.pending[i.ResourceID]
	for _, c := range i.Agreed {
		s.count("agreed", 1)
		left.clear(inEntry(c.Path))
	}
	if len(i.Conflicts) > 0 {
		s.count(map[string]string{"take-mine": "took mine", "take-theirs": "took theirs"}[take], 1)
	}
	if whole && take == "take-theirs" {
		delete(s.pending, i.ResourceID)
		return
	}
	for _, c := range i.Conflicts {
		left.clear(inEntry(c.Path))
		if take == "take-mine" {
			maps.Copy(left, difference(c))
		}
	}
}

// difference is what my side of a conflict makes of theirs: of objects, the members in which they differ.
func difference(c wire.RebaseConflict) values {
	mine, theirs := values{}, values{}
	mine.put(inEntry(c.Path), c.Mine)
	if c.Theirs.Kind() != 'n' {
		theirs.put(inEntry(c.Path), c.Theirs)
	}
	for path, value := range theirs {
		if mine[path] == value {
			delete(mine, path)
		} else if _, has := mine[path]; !has {
			mine[path] = ""
		}
	}
	return mine
}
