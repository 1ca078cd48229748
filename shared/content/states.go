package content

import "slices"

// ChangeSetStatus is where a change set stands (interface, "Change set statuses").
type ChangeSetStatus string

const (
	ChangeSetOpen      ChangeSetStatus = "open"
	ChangeSetReady     ChangeSetStatus = "ready"
	ChangeSetPublished ChangeSetStatus = "published"
	ChangeSetClosed    ChangeSetStatus = "closed"
)

// ChangeSetStatuses lists every status.
func ChangeSetStatuses() []ChangeSetStatus {
	return []ChangeSetStatus{ChangeSetOpen, ChangeSetReady, ChangeSetPublished, ChangeSetClosed}
}

var changeSetMoves = map[ChangeSetStatus][]ChangeSetStatus{
	ChangeSetOpen:  {ChangeSetReady, ChangeSetPublished, ChangeSetClosed},
	ChangeSetReady: {ChangeSetOpen, ChangeSetPublished, ChangeSetClosed},
}

// CanBecome reports whether a set in status s may move to next. Published and closed are final.
func (s ChangeSetStatus) CanBecome(next ChangeSetStatus) bool {
	return slices.Contains(changeSetMoves[s], next)
}

// Editable reports whether items may be staged into a set in status s.
func (s ChangeSetStatus) Editable() bool { return s == ChangeSetOpen || s == ChangeSetReady }

// ResourceType says what a change set item is about.
type ResourceType string

const (
	ResourceEntry ResourceType = "entry"
	ResourceAsset ResourceType = "asset"
)

// Operation is what a change set item does at publish.
type Operation string

const (
	OperationCreate    Operation = "create"
	OperationUpdate    Operation = "update"
	OperationUnpublish Operation = "unpublish"
	OperationDelete    Operation = "delete"
)

// Operations lists every operation.
func Operations() []Operation {
	return []Operation{OperationCreate, OperationUpdate, OperationUnpublish, OperationDelete}
}

// Publishes reports whether the operation leaves a published revision behind.
func (o Operation) Publishes() bool { return o == OperationCreate || o == OperationUpdate }

// AssetState is where an asset stands (interface, "Asset states").
type AssetState string

const (
	AssetPending     AssetState = "pending"
	AssetDraft       AssetState = "draft"
	AssetPublished   AssetState = "published"
	AssetQuarantined AssetState = "quarantined"
	AssetDeleted     AssetState = "deleted"
)

// AssetStates lists every state.
func AssetStates() []AssetState {
	return []AssetState{AssetPending, AssetDraft, AssetPublished, AssetQuarantined, AssetDeleted}
}

// PublishedByUse reports whether an asset in state s becomes published with content that names it.
func (s AssetState) PublishedByUse() bool { return s == AssetPending || s == AssetDraft }
