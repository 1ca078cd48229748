package entry

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/validate"
)

// staging stores drafts of entries of several collections, some at a time, and collects all that is wrong with them: they stay together
// or not at all.
type staging struct {
	tx      pgx.Tx
	actor   *access.Actor
	project *project.Project
	most    chunkSize // to be read and stored at a time

	frames   map[string]frame    // by collection
	drafts   map[string][]staged // to be stored
	made     map[content.EntryID]content.RevisionID
	slugs    map[string][]setSlug // that drafts want, stored or not
	named    []mentions
	owners   []content.EntryID // of named
	undelete []content.EntryID
	problems []fault.Item

	deletedToo bool // deleted entries may be referred to, as unpublished ones
	lossy      bool // what is brought back leaves out values of fields that the schema has no more
}

func newStaging(tx pgx.Tx, actor *access.Actor, p *project.Project) *staging {
	return &staging{
		tx: tx, actor: actor, project: p, most: usualChunk, frames: map[string]frame{}, drafts: map[string][]staged{},
		made: map[content.EntryID]content.RevisionID{}, slugs: map[string][]setSlug{},
	}
}

// frame is what content of a collection is written under.
func (s *staging) frame(ctx context.Context, collection string) (frame, error) {
	f, known := s.frames[collection]
	if known {
		return f, nil
	}
	f, err := loadFrame(ctx, s.tx, s.project, collection)
	s.frames[collection] = f
	return f, err
}

// add takes a draft in, whose references and assets are among those that are named.
func (s *staging) add(collection string, one staged, named mentions) {
	s.drafts[collection] = append(s.drafts[collection], one)
	if slug := one.draft.slug; slug != nil {
		s.slugs[collection] = append(s.slugs[collection], setSlug{set: one.set.ID, slug: *slug, owner: one.id})
	}
	s.names(one.id, named)
}

// names notes what the content of an entry names.
func (s *staging) names(entry content.EntryID, named mentions) {
	s.named, s.owners = append(s.named, named), append(s.owners, entry)
}

// revive has an entry, if it is deleted, be deleted no more once all is stored, and returns what its content is written under.
func (s *staging) revive(ctx context.Context, e *row) (frame, error) {
	f, err := s.frame(ctx, e.collection)
	if err != nil || !e.deleted {
		return f, err
	}
	s.undelete = append(s.undelete, e.id)
	// Others lock a collection before its entries. Where that meets over a singleton, one of the transactions starts over.
	return f, f.claimSingleton(ctx, s.tx, s.project.ID)
}

// bringBackUnpublished has a deleted entry be there again with its draft, which must fit like what is written: schemas that are pushed
// are held against it from then on.
func (s *staging) bringBackUnpublished(ctx context.Context, e *row, draft storedRevision) error {
	f, err := s.revive(ctx, e)
	if err != nil {
		return err
	}
	_, named, items, err := f.renewWhole(draft.Fields, draft.Slug)
	if err != nil {
		return err
	}
	s.problem(e.id, items...)
	s.names(e.id, named)
	return nil
}

// bringBack takes in the content that an entry had at a revision. A deleted entry is deleted no more once that is stored.
func (s *staging) bringBack(ctx context.Context, set *changeset.ChangeSet, e *row, former storedRevision, summary string) error {
	f, err := s.revive(ctx, e)
	if err != nil {
		return err
	}
	made, named, items, err := f.renewWhole(former.Fields, former.Slug)
	if err != nil {
		return err
	}
	if !s.lossy {
		lost, err := validate.Undeclared(f.schema, f.locales, former.Fields, former.Slug)
		if err != nil {
			return err
		}
		s.problem(e.id, lost...)
	}
	if len(items) > 0 { // there is no draft to store
		s.problem(e.id, items...)
		s.names(e.id, named)
		return nil
	}
	s.add(e.collection, staged{
		head: &head{row: e, on: baseline{revision: new(former.id)}, base: e.published}, set: set, draft: made, summary: summary,
	}, named)
	return nil
}

// problem notes what is wrong with an entry.
func (s *staging) problem(entry content.EntryID, items ...fault.Item) {
	for _, i := range items {
		i.ResourceType, i.ResourceID = string(content.ResourceEntry), string(entry)
		s.problems = append(s.problems, i)
	}
}

// store stores the drafts that were added since. That is to be followed by finish, which tells whether they may stay.
func (s *staging) store(ctx context.Context) error {
	for _, collection := range slices.Sorted(maps.Keys(s.drafts)) {
		drafts := s.drafts[collection]
		if err := s.frames[collection].store(ctx, s.tx, s.actor, s.project.ID, drafts); err != nil {
			return err
		}
		for _, d := range drafts {
			s.made[d.id] = d.made
		}
	}
	clear(s.drafts)
	return nil
}

// finish undeletes what is to be there again once all drafts are stored. It is CONFLICT where others have their slugs, unless those
// are given up, and VALIDATION_FAILED with all that is wrong otherwise.
func (s *staging) finish(ctx context.Context, givingUp map[content.EntryID]*row) error {
	if err := s.refuseTakenSlugs(ctx, givingUp); err != nil {
		return err
	}
	// Before it is looked what they refer to: that may be each other. A deletion that ended a publication counts as its end from now on.
	_, err := s.tx.Exec(ctx, `UPDATE entry SET deleted_at = NULL,
		unpublished_at = coalesce(unpublished_at, CASE WHEN last_published_revision_id IS NOT NULL THEN deleted_at END) WHERE id = ANY($1)`, s.undelete)
	if err != nil {
		return fmt.Errorf("undeleting entries: %w", err)
	}
	found, err := findMentioned(ctx, s.tx, s.project.ID, s.named...)
	if err != nil {
		return err
	}
	found.deletedToo = s.deletedToo
	for n, m := range s.named {
		s.problem(s.owners[n], found.misfits(m)...)
	}
	if len(s.problems) > 0 {
		return invalid(s.problems)
	}
	return nil
}

// codeSlugTaken is the code of a slug that another entry has by now.
const codeSlugTaken = "slug_taken"

// refuseTakenSlugs is CONFLICT where other entries would have slugs of the drafts once their set is published alone. All of them must
// be stored, so that what they had before does not count. Nor does what some others have, which give it up.
func (s *staging) refuseTakenSlugs(ctx context.Context, givingUp map[content.EntryID]*row) error {
	f := fault.New(fault.Conflict, "")
	for _, collection := range slices.Sorted(maps.Keys(s.slugs)) {
		wanted := s.slugs[collection]
		taken, err := holders(ctx, s.tx, s.project.ID, collection, wanted...)
		if err != nil {
			return err
		}
		for _, w := range wanted {
			holder, held := taken[w]
			if _, gives := givingUp[holder]; !held || gives {
				continue
			}
			f.EntryIDs = append(f.EntryIDs, string(w.owner))
			f.Items = append(f.Items, fault.Item{
				Path: "slug", Code: codeSlugTaken, Message: fmt.Sprintf("the slug %q is that of the entry %s by now: stage another one", w.slug, holder),
				ResourceType: string(content.ResourceEntry), ResourceID: string(w.owner),
			})
		}
	}
	if len(f.Items) == 0 {
		return nil
	}
	f.Detail = "other entries have slugs that are wanted; the first: " + f.Items[0].String()
	return f
}
