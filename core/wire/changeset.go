package wire

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/problem"
)

// ChangeSet is a change set.
type ChangeSet struct {
	ID            content.ChangeSetID     `json:"id"`
	Title         string                  `json:"title"`
	Description   string                  `json:"description"`
	Status        content.ChangeSetStatus `json:"status"`
	ScheduledAt   *Time                   `json:"scheduledAt"`
	ReleaseNumber *uint64                 `json:"releaseNumber"` // null until it is published
	CreatedBy     *string                 `json:"createdBy"`     // null: the system
	CreatedAt     Time                    `json:"createdAt"`
	UpdatedAt     Time                    `json:"updatedAt"`
}

// NewChangeSet opens a change set.
type NewChangeSet struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// ChangeSetEdit changes what it names. A change set is published and closed by routes of their own.
type ChangeSetEdit struct {
	Title       Optional[string]                  `json:"title,omitzero"`
	Description Clearable                         `json:"description,omitzero"`
	Status      Optional[content.ChangeSetStatus] `json:"status,omitzero" enum:"open,ready" description:"Other states are reached by publishing and closing."`
}

// Item is what a change set does to one entry or asset.
type Item struct {
	ResourceType     content.ResourceType `json:"resourceType"`
	ResourceID       string               `json:"resourceId"`
	Operation        content.Operation    `json:"operation" description:"An update on no base brings back what is not published any more."`
	BaseRevisionID   *content.RevisionID  `json:"baseRevisionId" description:"What was published when this was staged. Null: nothing was."`
	TargetRevisionID *content.RevisionID  `json:"targetRevisionId" description:"The draft that a publish makes public. Null: it takes something away."`
	Collection       string               `json:"collection"`
	Slug             *string              `json:"slug"`
	ChangeSummary    string               `json:"changeSummary"`
	StagedAt         Time                 `json:"stagedAt"`
	StaleSince       *uint64              `json:"staleSince" description:"The release that left something else published of the resource than what this was staged on: it is not published before it is rebased or staged again. Null: there is none."`
}

// ItemDiff is what an item of a change set changes.
type ItemDiff struct {
	Item
	Changes []Change `json:"changes"`
}

// Change is one difference between two revisions, at a path such as fields.title or fields.seo.description.
type Change struct {
	Path     string         `json:"path" description:"Such as fields.title or fields.seo.description. Lists are compared as a whole."`
	Before   jsontext.Value `json:"before" value:"any" description:"Null: there is none."`
	After    jsontext.Value `json:"after" value:"any" description:"Null: there is none."`
	Kind     string         `json:"kind" enum:"added,removed,changed"`
	Segments []Segment      `json:"segments,omitempty" description:"Of prose of more than 160 characters: what both sides have and what only one has, word by word, in the order of the texts."`
}

// Segment is a run of words that both sides have, or only one.
type Segment struct {
	Op    string `json:"op" enum:"equal,insert,delete"`
	Value string `json:"value"`
}

// Rebase says what a rebase does with conflicts, and whether it only plans.
type Rebase struct {
	OnConflict Optional[string] `json:"onConflict,omitzero" enum:"fail,take-mine,take-theirs" default:"fail" description:"What to do where both sides changed a value: write nothing, or take the value of the change set (mine) or the published one (theirs)."`
	DryRun     Optional[bool]   `json:"dryRun,omitzero"`
}

// Rebased says what a rebase did, or in a dry run would do, to the items that were behind what is published.
type Rebased struct {
	ChangeSet ChangeSet         `json:"changeSet"`
	DryRun    bool              `json:"dryRun"`
	Items     []RebasedItem     `json:"items"`
	Stale     []content.EntryID `json:"staleEntryIds" description:"Entries that the change set unpublishes or deletes, and of which something else has been published since. They are not rebased."`
	Errors    []problem.Issue   `json:"errors" description:"What the rebase would be refused for, besides conflicts. Only a dry run has any."`
}

// RebasedItem is what becomes of one item: edits that are replayed, those that were published by someone else too, and conflicts.
type RebasedItem struct {
	ResourceType     content.ResourceType `json:"resourceType"`
	ResourceID       string               `json:"resourceId"`
	Collection       string               `json:"collection"`
	Slug             *string              `json:"slug" description:"That of the draft that is replayed. Null: it has none."`
	BaseRevisionID   *content.RevisionID  `json:"baseRevisionId" description:"What is published now, on which the draft builds from then on. Null: nothing is."`
	TargetRevisionID *content.RevisionID  `json:"targetRevisionId" description:"The new draft. Null in a dry run, and where the edit was dropped because its entry is gone."`
	Replayed         []Change             `json:"replayed" description:"Edits of the change set that no one else touched."`
	Agreed           []Change             `json:"agreed" description:"Edits that have been published with the same values."`
	Conflicts        []RebaseConflict     `json:"conflicts"`
}

// RebaseConflict is a value that both sides changed.
type RebaseConflict struct {
	Path   string         `json:"path" description:"Of an entry that is not published any more, fields: all that it had."`
	Base   jsontext.Value `json:"base" value:"any"`
	Mine   jsontext.Value `json:"mine" value:"any"`
	Theirs jsontext.Value `json:"theirs" value:"any"`
	Reason string         `json:"reason,omitempty" enum:"field_removed,field_retyped,entry_unpublished,entry_deleted"`
}

// Warning is something to know about a change set that does not block it.
type Warning struct {
	ResourceType string            `json:"resourceType"`
	ResourceID   string            `json:"resourceId"`
	Message      string            `json:"message"`
	Code         string            `json:"code"`
	ReferencedBy []content.EntryID `json:"referencedBy"`
}

// Validation is what a publish would be refused for. Detail sums it up; it is absent where nothing is wrong.
type Validation struct {
	Valid    bool            `json:"valid"`
	Detail   string          `json:"detail,omitempty"`
	Errors   []problem.Issue `json:"errors"`
	Warnings []Warning       `json:"warnings"`
}

// Confirmation confirms a publish.
type Confirmation struct {
	Confirm bool `json:"confirm" description:"Must be true."`
}

// Published is the result of a publish.
type Published struct {
	ChangeSet ChangeSet         `json:"changeSet"`
	Entries   []content.EntryID `json:"publishedEntryIds"`
	Warnings  []Warning         `json:"warnings"`
}

// Release is one publish of a project.
type Release struct {
	Number      uint64              `json:"number"`
	Title       string              `json:"title"`
	ChangeSet   content.ChangeSetID `json:"changeSetId"`
	PublishedAt Time                `json:"publishedAt"`
	CreatedBy   *string             `json:"createdBy"`
	ItemCount   int                 `json:"itemCount"`
}

// ReleaseItem is what a release did to one entry.
type ReleaseItem struct {
	Entry      content.EntryID     `json:"entryId"`
	Collection string              `json:"collection"`
	Operation  content.Operation   `json:"operation"`
	Slug       *string             `json:"slug"`
	RevisionID *content.RevisionID `json:"revisionId"`       // null: an unpublish or delete
	BeforeID   *content.RevisionID `json:"beforeRevisionId"` // null: it was not published before
}

// Revert drafts the state before a release.
type Revert struct {
	Title Optional[string] `json:"title,omitzero"`
	Force Optional[bool]   `json:"force,omitzero"`
}

// ReleaseWithItems is a release and everything it did.
type ReleaseWithItems struct {
	Release
	Items []ReleaseItem `json:"items"`
}
