package api

import (
	"svc/core/changeset"
	"svc/core/wire"
)

func releaseOf(r changeset.Release) wire.Release {
	return wire.Release{Number: r.Number, Title: r.Title, ChangeSet: r.ChangeSet, PublishedAt: wire.Time{Time: r.PublishedAt}, CreatedBy: orNull(r.CreatedBy), ItemCount: r.ItemCount}
}

func listReleases(c *call) (wire.List[wire.Release], error) {
	page, err := c.page()
	if err != nil {
		return wire.List[wire.Release]{}, err
	}
	list, err := changeset.ListReleases(c.ctx(), c.server.Pool, c.project.ID, page)
	return listingOf(list, releaseOf, err)
}

// getRelease answers with a release, by its number or its change set, and everything it did: at most as many items
// as a release holds. A key confined to collections is shown its items alone; itemCount stays that of the release.
func getRelease(c *call) (wire.ReleaseWithItems, error) {
	r, found, err := changeset.GetRelease(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("release"))
	if err != nil {
		return wire.ReleaseWithItems{}, err
	}
	items := make([]wire.ReleaseItem, len(found))
	for i, item := range found {
		items[i] = wire.ReleaseItem(item)
	}
	return wire.ReleaseWithItems{Release: releaseOf(*r), Items: items}, nil
}
