package wire

import "svc/shared/content"

// Preview is a preview token without its secret.
type Preview struct {
	ID        content.PreviewID   `json:"id"`
	Project   content.ProjectID   `json:"projectId"`
	ChangeSet content.ChangeSetID `json:"changeSetId"`
	Entry     *content.EntryID    `json:"entryId"`   // null: everything that the change set stages
	CreatedBy *string             `json:"createdBy"` // null: the system
	CreatedAt Time                `json:"createdAt"`
	ExpiresAt Time                `json:"expiresAt"`
	RevokedAt Time                `json:"revokedAt"`
}

// NewPreview asks for a preview token, of one entry or of everything that the change set stages. It lives for an hour, or for
// expiresInSeconds, 60 to 2,592,000.
type NewPreview struct {
	Entry            Optional[content.EntryID] `json:"entryId,omitzero"`
	ExpiresInSeconds Optional[int64]           `json:"expiresInSeconds,omitzero" minimum:"60" maximum:"2592000" default:"3600"`
}

// CreatedPreview is a new preview token with its secret, which is shown this once.
type CreatedPreview struct {
	Preview Preview `json:"preview"`
	Token   string  `json:"token"`
}

// ResolvedPreview is what a preview token shows.
type ResolvedPreview struct {
	ID        content.PreviewID `json:"id"`
	Project   PreviewProject    `json:"project"`
	ChangeSet PreviewChangeSet  `json:"changeSet"`
	Entry     *PreviewEntry     `json:"entry"` // null: everything that the change set stages
	ExpiresAt Time              `json:"expiresAt"`
}

// PreviewProject is the project that a preview token reads.
type PreviewProject struct {
	ID   content.ProjectID `json:"id"`
	Slug string            `json:"slug"`
}

// PreviewChangeSet is the change set that a preview token shows. What was published reads as published.
type PreviewChangeSet struct {
	ID     content.ChangeSetID     `json:"id"`
	Title  string                  `json:"title"`
	Status content.ChangeSetStatus `json:"status"`
}

// PreviewEntry is the only entry whose draft a preview token shows.
type PreviewEntry struct {
	ID         content.EntryID `json:"id"`
	Collection string          `json:"collection"`
	Slug       *string         `json:"slug"` // of the draft; null: it has none
}
