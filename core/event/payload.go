package event

import (
	"svc/shared/content"
)

// The payloads of events, which are the member "data" of their envelope.

// EntryData is the payload of the entry events.
type EntryData struct {
	Entry         EntryRef     `json:"entry"`
	ChangeSet     ChangeSetRef `json:"changeSet"`
	ReleaseNumber uint64       `json:"releaseNumber"`
}

// EntryRef names an entry; Slug is null where it has none.
type EntryRef struct {
	ID         content.EntryID `json:"id"`
	Collection string          `json:"collection"`
	Slug       *string         `json:"slug"`
}

// AssetData is the payload of asset.published: the change set that named the asset.
type AssetData struct {
	Asset         AssetRef     `json:"asset"`
	ChangeSet     ChangeSetRef `json:"changeSet"`
	ReleaseNumber uint64       `json:"releaseNumber"`
}

// AssetRef names an asset.
type AssetRef struct {
	ID content.AssetID `json:"id"`
}

// ChangeSetRef names a change set.
type ChangeSetRef struct {
	ID    content.ChangeSetID `json:"id"`
	Title string              `json:"title"`
}

// ChangeSetData is the payload of the change set events.
type ChangeSetData struct {
	ChangeSet ChangeSetState `json:"changeSet"`
}

// ChangeSetState is a change set as its events show it. ReleaseNumber is null before it is published, ScheduledAt
// while no publish is scheduled.
type ChangeSetState struct {
	ID            content.ChangeSetID     `json:"id"`
	Title         string                  `json:"title"`
	Status        content.ChangeSetStatus `json:"status"`
	ScheduledAt   *string                 `json:"scheduledAt"`
	ReleaseNumber *uint64                 `json:"releaseNumber"`
}

// SchemaData is the payload of schema.pushed: the version that each changed collection has now.
type SchemaData struct {
	Versions map[string]uint32 `json:"versions"`
	Removed  []string          `json:"removed"`
	Summary  string            `json:"summary"`
}
