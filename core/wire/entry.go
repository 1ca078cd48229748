package wire

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
)

// Entry is the management view of an entry: its published and its draft head. Slug is that of the draft where there is one.
type Entry struct {
	ID                      content.EntryID     `json:"id"`
	Collection              string              `json:"collection"`
	Slug                    *string             `json:"slug"`
	Status                  string              `json:"status" enum:"draft,published,changed,unpublished,deleted"`
	PublishedRevisionID     *content.RevisionID `json:"publishedRevisionId"`
	LastPublishedRevisionID *content.RevisionID `json:"lastPublishedRevisionId"`
	DraftRevisionID         *content.RevisionID `json:"draftRevisionId"`
	PublishedAt             Time                `json:"publishedAt"`
	UnpublishedAt           Time                `json:"unpublishedAt"`
	DeletedAt               Time                `json:"deletedAt"`
	CreatedBy               *string             `json:"createdBy"` // null: the system
	CreatedAt               Time                `json:"createdAt"`
	Published               *Head               `json:"published"`
	Draft                   *Head               `json:"draft"`
	Staged                  *content.Operation  `json:"staged,omitempty"` // by the change set that was asked for
}

// EntryInSets is an entry with the open and ready change sets that stage it, and the fields that several of them make different.
type EntryInSets struct {
	Entry
	OpenChangeSets  []OpenChangeSet  `json:"openChangeSets"`
	ContendedFields []ContendedField `json:"contendedFields"`
}

// OpenChangeSet says what an open or ready change set does to an entry: it changes fields, or it unpublishes or deletes the entry.
type OpenChangeSet struct {
	ID        content.ChangeSetID     `json:"id"`
	Title     string                  `json:"title"`
	Status    content.ChangeSetStatus `json:"status"`
	Fields    []string                `json:"fields,omitempty"` // paths
	Operation content.Operation       `json:"operation,omitempty"`
}

// ContendedField is a path whose value several change sets make different.
type ContendedField struct {
	Path         string                `json:"path"`
	ChangeSetIDs []content.ChangeSetID `json:"changeSetIds"`
}

// Head is the state of an entry at a revision.
type Head struct {
	Revision content.RevisionID `json:"revision"`
	Slug     *string            `json:"slug"`
	Fields   jsontext.Value     `json:"fields"`
}

// Revision is an immutable state of an entry.
type Revision struct {
	ID            content.RevisionID   `json:"id"`
	Entry         content.EntryID      `json:"entryId"`
	Parent        *content.RevisionID  `json:"parentRevisionId"`
	Slug          *string              `json:"slug"`
	Fields        jsontext.Value       `json:"fields"`
	SchemaVersion uint32               `json:"schemaVersion"`
	ChangeSet     *content.ChangeSetID `json:"changeSetId"`
	ChangeSummary string               `json:"changeSummary"`
	CreatedBy     *string              `json:"createdBy"` // null: the system
	CreatedAt     Time                 `json:"createdAt"`
	ReleaseNumber uint64               `json:"releaseNumber,omitzero"` // of the release that published it
}

// Written is the result of a write: the entry, its new revision, and the change set that it joined.
type Written struct {
	Entry     Entry     `json:"entry"`
	Revision  Revision  `json:"revision"`
	ChangeSet ChangeSet `json:"changeSet"`
}

// PublicEntry is a published entry, as core and edges answer it (contract, "Entry (public read shape)"). The read engine writes it
// without this type, which is for the OpenAPI document.
type PublicEntry struct {
	ID         content.EntryID `json:"id"`
	Collection string          `json:"collection"`
	Slug       *string         `json:"slug"` // null: the collection has none
	Fields     jsontext.Value  `json:"fields"`
	Meta       PublicMeta      `json:"meta"`
}

// PublicMeta says which revision was read.
type PublicMeta struct {
	Revision    content.RevisionID `json:"revision"`
	PublishedAt Time               `json:"publishedAt"`
}

// Backlinks are the published entries in public collections that refer to an entry (contract, "Entry (public read shape)").
type Backlinks struct {
	ReferencedBy []Backlink `json:"referencedBy"`
}

// Backlink is an entry that refers to another.
type Backlink struct {
	ID         content.EntryID `json:"id"`
	Collection string          `json:"collection"`
	Slug       *string         `json:"slug"` // null: the collection has none
}

// LiveEvent is the data of an event of GET /v1/projects/:project/live, as edges send it (package edge/live).
type LiveEvent struct {
	Release     uint64   `json:"release"`
	PublishedAt Time     `json:"publishedAt,omitzero"` // of a release
	Tags        []string `json:"tags"`                 // ids of projects, collections and entries (shared/read/tags.go)
}

// NewEntry creates an entry.
type NewEntry struct {
	Data          jsontext.Value `json:"data"`
	Slug          *string        `json:"slug,omitempty"`
	ChangeSetID   *string        `json:"changeSetId,omitempty"`
	ChangeSummary string         `json:"changeSummary,omitempty"`
}

// EntryEdit replaces the top-level fields that Data names; null clears one.
type EntryEdit struct {
	Data               jsontext.Value   `json:"data"`
	Slug               Optional[string] `json:"slug,omitzero"`
	ChangeSetID        Optional[string] `json:"changeSetId,omitzero"`
	ChangeSummary      Optional[string] `json:"changeSummary,omitzero"`
	ExpectedRevisionID Optional[string] `json:"expectedRevisionId,omitzero"`
}

// References are those of an entry in both directions.
type References struct {
	ReferencedBy []Referrer `json:"referencedBy"`
	References   []Referred `json:"references"`
}

// Referrer is a live entry that refers to another one, in its newest draft, in what is published of it, or in both.
type Referrer struct {
	ID          content.EntryID `json:"id"`
	Collection  string          `json:"collection"`
	Slug        *string         `json:"slug"`
	InDraft     bool            `json:"inDraft"`
	InPublished bool            `json:"inPublished"`
}

// Referred is what an entry refers to.
type Referred struct {
	ID         content.EntryID `json:"id"`
	Collection *string         `json:"collection"` // null: it does not exist
	Slug       *string         `json:"slug"`       // of its newest draft; null: it has none, or does not exist
	Exists     bool            `json:"exists"`
	Published  bool            `json:"published"`
}

// Restoration names the revision whose content is staged again.
type Restoration struct {
	RevisionID  string           `json:"revisionId"`
	ChangeSetID Optional[string] `json:"changeSetId,omitzero"`
}

// Target says which change set a write joins.
type Target struct {
	ChangeSetID Optional[string] `json:"changeSetId,omitzero"`
}

// Staged is an operation and the change set that it joined.
type Staged struct {
	ChangeSet content.ChangeSetID `json:"changeSetId"`
	Staged    content.Operation   `json:"staged"`
}

// Arrangement changes the editorial order of a collection: either Order, the whole of it, or Move, one step.
type Arrangement struct {
	Order *[]content.EntryID `json:"order,omitempty"`
	Move  *Move              `json:"move,omitempty"`
}

// Move puts an entry before or after another one.
type Move struct {
	Entry  content.EntryID `json:"entry"`
	Before content.EntryID `json:"before,omitempty"`
	After  content.EntryID `json:"after,omitempty"`
}

// Reordered lists the entries that have another position, and those of them that have none any more.
type Reordered struct {
	Moved      []content.EntryID `json:"movedEntryIds"`
	Unarranged []content.EntryID `json:"unarrangedEntryIds"`
}

// Import is an import as one JSON body.
type Import struct {
	Entries       []ImportRow    `json:"entries"`
	ChangeSetID   *string        `json:"changeSetId,omitempty"`
	ChangeSummary string         `json:"changeSummary,omitempty"`
	DryRun        Optional[bool] `json:"dryRun,omitzero"`
}

// ImportRow is one entry of an import; a line of its own in application/x-ndjson.
type ImportRow struct {
	ID            *string        `json:"id,omitempty"`
	Slug          *string        `json:"slug,omitempty"`
	Data          jsontext.Value `json:"data"`
	ChangeSummary string         `json:"changeSummary,omitempty"`
}

// Imported is the result of an import, with what became of each row in their order.
type Imported struct {
	ChangeSet  *content.ChangeSetID  `json:"changeSetId"` // that all rows joined; null where they joined none, or several
	ChangeSets []content.ChangeSetID `json:"changeSetIds"`
	Created    int                   `json:"created"`
	Updated    int                   `json:"updated"`
	Unchanged  int                   `json:"unchanged"`
	Conflicts  int                   `json:"conflicts"`
	Entries    []ImportedRow         `json:"entries"`
}

// ImportedRow is what became of a row. A dry run has no id for what it would create, and a change set only for rows that
// would join one that exists.
type ImportedRow struct {
	Entry     *content.EntryID     `json:"id"`
	Slug      *string              `json:"slug"`
	Outcome   string               `json:"outcome" enum:"created,updated,skipped,conflict"`
	ChangeSet *content.ChangeSetID `json:"changeSetId"`
	Error     *RowError            `json:"error,omitempty"`
}

// RowError says why a row was left out, as a problem does of a request.
type RowError struct {
	Code       string   `json:"code"`
	Detail     string   `json:"detail"`
	Entries    []string `json:"entryIds,omitempty"`
	ChangeSets []string `json:"changeSetIds,omitempty"`
}
