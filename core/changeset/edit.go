package changeset

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/event"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/fault"
)

const (
	// WorkingTitle is the title of the sets that writes outside of every set create.
	WorkingTitle = "Working changes"

	maxTitle       = 200   // characters
	maxDescription = 10000 // characters
)

// NewChangeSet is what a change set is made from.
type NewChangeSet struct {
	Title       string
	Description string
}

// Create makes an open change set.
func Create(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, project content.ProjectID, in NewChangeSet) (*ChangeSet, error) {
	var set *ChangeSet
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		set, err = CreateIn(ctx, tx, actor, project, in)
		return err
	})
	return set, err
}

// CreateIn is Create in a transaction.
func CreateIn(ctx context.Context, tx pgx.Tx, actor *access.Actor, project content.ProjectID, in NewChangeSet) (*ChangeSet, error) {
	in.Title = strings.TrimSpace(in.Title)
	if err := checkText(in.Title, in.Description); err != nil {
		return nil, err
	}
	return create(ctx, tx, actor, project, in)
}

func create(ctx context.Context, tx pgx.Tx, actor *access.Actor, project content.ProjectID, in NewChangeSet) (*ChangeSet, error) {
	set, err := get(ctx, tx, `
		INSERT INTO change_set (id, project_id, title, description, created_by) VALUES ($1, $2, $3, $4, $5)
		RETURNING `+columns, content.NewID[content.ChangeSetID](), project, in.Title, in.Description, actor.IDOrNil())
	if err != nil {
		return nil, err
	}
	return set, emit(ctx, tx, actor, set, event.ChangeSetCreated)
}

func emit(ctx context.Context, tx pgx.Tx, actor *access.Actor, set *ChangeSet, kind event.Type) error {
	return event.Emit(ctx, tx, set.Project, actor, event.Event{Type: kind, Data: stateOf(set)})
}

func stateOf(set *ChangeSet) event.ChangeSetData {
	state := event.ChangeSetState{ID: set.ID, Title: set.Title, Status: set.Status}
	if set.ReleaseNumber > 0 {
		state.ReleaseNumber = &set.ReleaseNumber
	}
	return event.ChangeSetData{ChangeSet: state}
}

func checkText(title, description string) error {
	if title == "" {
		return &fault.Error{
			Code: fault.ValidationFailed, Detail: "title: a change set needs a title",
			Items: []fault.Item{{Path: "title", Code: "required", Message: "a change set needs a title"}},
		}
	}
	if n := utf8.RuneCountInString(title); n > maxTitle {
		return fault.Invalid("title", "must have at most %d characters; it has %d", maxTitle, n)
	}
	if n := utf8.RuneCountInString(description); n > maxDescription {
		return fault.Invalid("description", "must have at most %d characters; it has %d", maxDescription, n)
	}
	return nil
}

// Edit is a change to a set's texts or status; nil leaves one as it is.
type Edit struct {
	Title       *string
	Description *string
	Status      *content.ChangeSetStatus // open or ready
}

// Patch edits a set that is open or ready. Published and closed sets are CONFLICT.
func Patch(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, project content.ProjectID, id string, in Edit) (*ChangeSet, error) {
	var set *ChangeSet
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		if set, err = lockEditable(ctx, tx, project, id); err != nil {
			return err
		}
		if err := cover(ctx, tx, actor, set); err != nil {
			return err
		}
		was := set.Status
		if err := in.apply(set); err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `
			UPDATE change_set SET title = $2, description = $3, status = $4, updated_at = now()
			WHERE id = $1 RETURNING updated_at`, set.ID, set.Title, set.Description, string(set.Status)).Scan(&set.UpdatedAt)
		if err != nil {
			return fmt.Errorf("editing a change set: %w", err)
		}
		if set.Status == content.ChangeSetReady && was != set.Status {
			return emit(ctx, tx, actor, set, event.ChangeSetReadyForReview)
		}
		return nil
	})
	return set, err
}

func (in Edit) apply(set *ChangeSet) error {
	if in.Title != nil {
		set.Title = strings.TrimSpace(*in.Title)
	}
	if in.Description != nil {
		set.Description = *in.Description
	}
	if err := checkText(set.Title, set.Description); err != nil {
		return err
	}
	if in.Status == nil || *in.Status == set.Status {
		return nil
	}
	if !in.Status.Editable() {
		return fault.Invalid("status", "must be open or ready; sets are published and closed by routes of their own")
	}
	set.Status = *in.Status
	return nil
}

// Close abandons an open or ready set. Its revisions stay in history. Published and closed sets are CONFLICT.
func Close(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, changeSet string) (*ChangeSet, error) {
	var set *ChangeSet
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		if set, err = lock(ctx, tx, id, changeSet); err != nil {
			return err
		}
		if !set.Status.CanBecome(content.ChangeSetClosed) {
			return fault.New(fault.Conflict, "the change set %s is %s and cannot be closed", set.ID, set.Status)
		}
		if err := cover(ctx, tx, actor, set); err != nil {
			return err
		}
		p, err := project.Share(ctx, tx, id)
		if err != nil {
			return err
		}
		set.Status = content.ChangeSetClosed
		err = tx.QueryRow(ctx, `UPDATE change_set SET status = $2, updated_at = now() WHERE id = $1 RETURNING updated_at`,
			set.ID, string(set.Status)).Scan(&set.UpdatedAt)
		if err != nil {
			return fmt.Errorf("closing a change set: %w", err)
		}
		if err := ResetDrafts(ctx, tx, set); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, retireItems, set.ID); err != nil {
			return fmt.Errorf("retiring the items of a change set: %w", err)
		}
		if err := emit(ctx, tx, actor, set, event.ChangeSetClosed); err != nil {
			return err
		}
		return event.Audit(ctx, tx, actor, event.Record{
			Organization: p.Organization, Project: id, Action: event.ChangeSetClose, Subject: string(set.ID),
		})
	})
	return set, err
}

// ResetDrafts moves the draft heads of entries off the revisions that a set proposes: to the newest draft that another open
// or ready set proposes, else to what is or was published. An entry that was never published keeps its only draft. With
// entries, only their heads are moved; with none, those of all entries of the set.
func ResetDrafts(ctx context.Context, tx pgx.Tx, set *ChangeSet, entries ...content.EntryID) error {
	only, args := ``, []any{set.ID}
	if len(entries) > 0 {
		only, args = ` AND i.resource_id = ANY($2)`, append(args, entries)
	}
	_, err := tx.Exec(ctx, `
		WITH held AS (
			SELECT e.id, coalesce(e.published_revision_id, e.last_published_revision_id) AS revision FROM change_set_item i
			JOIN entry e ON e.id = i.resource_id AND e.draft_revision_id = i.target_revision_id
			WHERE i.change_set_id = $1 AND i.resource_type = 'entry'`+only+`
			ORDER BY e.id FOR NO KEY UPDATE OF e),
		head AS (
			SELECT h.id, coalesce(o.target_revision_id, h.revision) AS revision
			FROM held h LEFT JOIN LATERAL (
				SELECT j.target_revision_id FROM change_set_item j
				WHERE j.resource_type = 'entry' AND j.resource_id = h.id AND j.live AND j.change_set_id <> $1
				  AND j.target_revision_id IS NOT NULL
				ORDER BY j.staged_at DESC, j.target_revision_id DESC LIMIT 1) o ON true)
		UPDATE entry e SET draft_revision_id = r.id, draft_slug = r.slug
		FROM head JOIN revision r ON r.id = head.revision WHERE e.id = head.id`, args...)
	if err != nil {
		return fmt.Errorf("moving draft heads away from a change set: %w", err)
	}
	return nil
}
