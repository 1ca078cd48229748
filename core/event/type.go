// Package event records what happened, in the transaction that makes it happen: events, which webhooks deliver,
// and the audit trail (interface, "Events").
package event

// Type names an event. Types are part of the contract.
type Type string

// The events of the interface, and those that the service adds.
const (
	EntryPublished          Type = "entry.published"
	EntryUnpublished        Type = "entry.unpublished"
	EntryDeleted            Type = "entry.deleted"
	AssetPublished          Type = "asset.published"
	ChangeSetCreated        Type = "change_set.created"
	ChangeSetReadyForReview Type = "change_set.ready_for_review"
	ChangeSetPublished      Type = "change_set.published"
	ChangeSetClosed         Type = "change_set.closed"
	SchemaPushed            Type = "schema.pushed"
)
