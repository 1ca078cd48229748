package api

import (
	"svc/core/changeset"
	"svc/shared/content"
)

type releaseBody struct {
	Number      uint64              `json:"number"`
	Title       string              `json:"title"`
	ChangeSet   content.ChangeSetID `json:"changeSetId"`
	PublishedAt stamp               `json:"publishedAt"`
	CreatedBy   *string             `json:"createdBy"`
	ItemCount   int                 `json:"itemCount"`
}

func releaseOf(r changeset.Release) releaseBody {
	return releaseBody{r.Number, r.Title, r.ChangeSet, stamp(r.PublishedAt), orNull(r.CreatedBy), r.ItemCount}
}

type releaseItemBody struct {
	Entry      content.EntryID     `json:"entryId"`
	Collection string              `json:"collection"`
	Operation  content.Operation   `json:"operation"`
	Slug       *string             `json:"slug"`
	RevisionID *content.RevisionID `json:"revisionId"`
	BeforeID   *content.RevisionID `json:"beforeRevisionId"`
}

type releaseWithItems struct {
	releaseBody
	Items []releaseItemBody `json:"items"`
}

func listReleases(c *call) (listing[releaseBody], error) {
	page, err := c.page()
	if err != nil {
		return listing[releaseBody]{}, err
	}
	list, err := changeset.ListReleases(c.ctx(), c.server.Pool, c.project.ID, page)
	return listingOf(list, releaseOf, err)
}

// getRelease answers with a release, by its number or its change set, and everything it did: at most as many items
// as a release holds. A key confined to collections is shown its items alone; itemCount stays that of the release.
func getRelease(c *call) (releaseWithItems, error) {
	r, found, err := changeset.GetRelease(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("release"))
	if err != nil {
		return releaseWithItems{}, err
	}
	items := make([]releaseItemBody, len(found))
	for i, item := range found {
		items[i] = releaseItemBody(item)
	}
	return releaseWithItems{releaseOf(*r), items}, nil
}
