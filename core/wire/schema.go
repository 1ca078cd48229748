package wire

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

// Collection is the management view of a collection. Schema is its canonical JSON.
type Collection struct {
	Name       string            `json:"name"`
	Label      string            `json:"label"`
	Kind       schema.Kind       `json:"kind"`
	Visibility schema.Visibility `json:"visibility"`
	Path       *string           `json:"path"`
	Guidance   *string           `json:"guidance"`
	Version    uint32            `json:"version"`
	Hash       string            `json:"hash"`
	Schema     jsontext.Value    `json:"schema"`
	CreatedAt  Time              `json:"createdAt"`
	UpdatedAt  Time              `json:"updatedAt"`
}

// PublicCollection is a collection as callers without schema:read see it.
type PublicCollection struct {
	Key   string  `json:"key"`
	Label string  `json:"label"`
	Kind  string  `json:"kind" enum:"collection,singleton"`
	Path  *string `json:"path"`
}

// Schema is the set of collections in force.
type Schema struct {
	Collections []Collection `json:"collections"`
}

// CollectionVersion is one immutable version of a collection.
type CollectionVersion struct {
	Number    uint32         `json:"version"`
	Hash      string         `json:"hash"`
	Summary   string         `json:"summary"`
	CreatedBy *string        `json:"createdBy"`
	CreatedAt Time           `json:"createdAt"`
	Schema    jsontext.Value `json:"schema"`
}

// SchemaSet is a whole set of collections to compare with the one in force, each as canonical JSON.
type SchemaSet struct {
	Collections []jsontext.Value `json:"collections"`
}

// SchemaProposal is a whole set of collections to deploy: a deployed collection that it leaves out is removed.
type SchemaProposal struct {
	Collections      []jsontext.Value `json:"collections"`
	AllowDestructive bool             `json:"allowDestructive,omitzero"`
	Summary          string           `json:"summary,omitempty"`
}

// Plan is what a push would do, or did. Without content:read the content is not checked against it. For a key that is confined to
// collections it is about those alone, and names them.
type Plan struct {
	Operations        []Operation    `json:"operations"`
	Classification    diff.Class     `json:"classification"`
	ContentErrors     []ContentError `json:"contentErrors"`
	ContentErrorCount int            `json:"contentErrorCount"`
	ContentChecked    bool           `json:"contentChecked"`
	InSync            bool           `json:"inSync"`
	ConfinedTo        []string       `json:"confinedTo,omitempty"`
	// Versions are those that the collections of the set have after a push; absent from a comparison.
	Versions map[string]uint32 `json:"versions,omitzero"`
}

// Operation is one change of a plan; one of the collection itself has no field.
type Operation struct {
	Collection     string     `json:"collection"`
	Field          string     `json:"field,omitempty"`
	Kind           diff.Kind  `json:"kind"`
	Classification diff.Class `json:"classification"`
	Message        string     `json:"message"`
}

// ContentError is a place where an entry does not fit the proposed schemas.
type ContentError struct {
	Entry      content.EntryID    `json:"entryId"`
	Collection string             `json:"collection"`
	Slug       string             `json:"slug,omitempty"`
	Title      string             `json:"title,omitempty"`
	Revision   content.RevisionID `json:"revisionId"`
	Path       string             `json:"path"`
	Code       string             `json:"code"`
	Message    string             `json:"message"`
}

// Drift is what promoting another project's schemas would change; content does not count.
type Drift struct {
	Operations     []Operation `json:"operations"`
	Classification diff.Class  `json:"classification"`
	InSync         bool        `json:"inSync"`
	ConfinedTo     []string    `json:"confinedTo,omitempty"`
}

// Promotion deploys the schemas that another project has in force.
type Promotion struct {
	FromProject      string `json:"fromProject"`
	Confirm          bool   `json:"confirm"`
	AllowDestructive bool   `json:"allowDestructive,omitzero"`
}

// Coverage is how far the entries of a collection are translated, by their working heads.
type Coverage struct {
	Collection string           `json:"collection"`
	Entries    int              `json:"entries"`
	Fields     []string         `json:"fields"` // the localized ones
	Locales    []LocaleCoverage `json:"locales"`
}

// LocaleCoverage is how far one locale is.
type LocaleCoverage struct {
	Locale   string         `json:"locale"`
	Complete int            `json:"completeEntries"`
	Percent  float64        `json:"percent"` // filled, of all entries times localized fields
	Missing  []MissingField `json:"missing"` // most often missing first
	Worklist []MissingEntry `json:"worklist"`
}

// MissingField is a field with the number of entries that lack it.
type MissingField struct {
	Field   string `json:"field"`
	Entries int    `json:"entries"`
}

// MissingEntry is an entry with the fields that it lacks.
type MissingEntry struct {
	Entry  content.EntryID `json:"entryId"`
	Slug   *string         `json:"slug"`
	Fields []string        `json:"missing"`
}
