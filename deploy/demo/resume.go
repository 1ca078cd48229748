package demo

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"svc/shared/content"
	"svc/shared/fault"
)

// openProject makes the project unless it is there, and returns how many releases it has. A project with the same
// slug that is somebody else's is an error.
func (s *seeder) openProject(ctx context.Context) (releases int, err error) {
	var project struct {
		Data struct {
			Name string `json:"name"`
		} `json:"data"`
	}
	err = s.project(ctx, http.MethodGet, nil, nil, nil, &project)
	if fault.Is(err, fault.NotFound) {
		in := map[string]any{"name": ProjectName, "slug": ProjectSlug}
		return 0, s.call(ctx, http.MethodPost, []string{"organizations", s.Organization, "projects"}, nil, in, nil)
	}
	if err != nil {
		return 0, err
	}
	if project.Data.Name != ProjectName {
		return 0, fmt.Errorf("the project %q exists and is called %q, not %q: it is not the demo", ProjectSlug, project.Data.Name, ProjectName)
	}
	err = list(ctx, s, []string{"releases"}, nil, func(struct{}) { releases++ })
	return releases, err
}

// findEntries learns the ids of what an earlier seed has created.
func (s *seeder) findEntries(ctx context.Context) error {
	bySlug := map[string]Key{}
	for key := range s.content.Entries {
		bySlug[string(key)] = key
	}
	for _, r := range s.content.Releases {
		for _, u := range r.Update {
			if u.Slug != "" {
				bySlug[u.Entry.Collection()+"/"+u.Slug] = u.Entry
			}
		}
	}
	type entry struct {
		ID   content.EntryID `json:"id"`
		Slug string          `json:"slug"`
	}
	for _, c := range s.content.Collections {
		query := url.Values{"collection": {c.Name}}
		err := list(ctx, s, []string{"entries"}, query, func(e entry) {
			address := c.Name + "/" + e.Slug
			if !c.HasSlug() {
				address = c.Name + "/" + c.Name
			}
			if key, ok := bySlug[address]; ok {
				s.ids[key] = e.ID
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// openChangeSet returns the change set of a release, which an interrupted seed may have left open.
func (s *seeder) openChangeSet(ctx context.Context, r Release) (content.ChangeSetID, error) {
	type changeSet struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	}
	var id string
	query := url.Values{"status": {string(content.ChangeSetOpen)}}
	err := list(ctx, s, []string{"change-sets"}, query, func(c changeSet) {
		if c.Title == r.Title {
			id = c.ID
		}
	})
	if err != nil {
		return "", err
	}
	if id == "" {
		in := map[string]any{"title": r.Title, "description": r.Description}
		var answer struct {
			Data changeSet `json:"data"`
		}
		if err := s.project(ctx, http.MethodPost, []string{"change-sets"}, nil, in, &answer); err != nil {
			return "", err
		}
		id = answer.Data.ID
	}
	return content.ParseID[content.ChangeSetID](id)
}

// list walks every page of a list below the project.
func list[T any](ctx context.Context, s *seeder, path []string, query url.Values, each func(T)) error {
	page := url.Values{"limit": {"100"}}
	for name, values := range query {
		page[name] = values
	}
	for {
		var answer struct {
			Data       []T `json:"data"`
			Pagination struct {
				NextCursor string `json:"nextCursor"`
			} `json:"pagination"`
		}
		if err := s.project(ctx, http.MethodGet, path, page, nil, &answer); err != nil {
			return err
		}
		for _, item := range answer.Data {
			each(item)
		}
		if answer.Pagination.NextCursor == "" {
			return nil
		}
		page.Set("cursor", answer.Pagination.NextCursor)
	}
}
