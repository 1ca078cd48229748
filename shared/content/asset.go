package content

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
