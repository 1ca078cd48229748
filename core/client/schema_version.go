package client

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// CollectionVersion is one immutable version of a collection, as canonical JSON.
type CollectionVersion struct {
	Version   int64          `json:"version"`
	Hash      string         `json:"hash"`
	Summary   string         `json:"summary"`
	CreatedBy *string        `json:"createdBy"`
	CreatedAt time.Time      `json:"createdAt"`
	Schema    jsontext.Value `json:"schema"`
}

// NewestVersion reads the newest version of a collection, also of one that was removed.
func (c *Client) NewestVersion(ctx context.Context, project, collection string) (CollectionVersion, error) {
	versions, _, err := first[CollectionVersion](ctx, c, projectPath(project, "collections", collection, "versions"), nil, 1)
	if err != nil {
		return CollectionVersion{}, err
	}
	if len(versions) == 0 {
		return CollectionVersion{}, fmt.Errorf("the collection %s has no version", collection)
	}
	return versions[0], nil
}

// CollectionVersions reads all versions of a collection, newest first, also of one that was removed.
func (c *Client) CollectionVersions(ctx context.Context, project, collection string) ([]CollectionVersion, error) {
	return all[CollectionVersion](ctx, c, projectPath(project, "collections", collection, "versions"), nil)
}
