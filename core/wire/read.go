package wire

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
)

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

// PublicCollection is a collection as callers without schema:read see it.
type PublicCollection struct {
	Key   string  `json:"key"`
	Label string  `json:"label"`
	Kind  string  `json:"kind" enum:"collection,singleton"`
	Path  *string `json:"path"`
}
