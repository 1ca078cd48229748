package demo

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
)

// Seed puts the demo into a deployment: it makes the project, sets its locales, pushes the schemas, and stages and
// publishes one release after the other. It can be called again at any time: a seed that was cut short goes on
// where it stopped, and a finished one is left alone, along with everything that has been done to it since.
func Seed(ctx context.Context, t Target) error {
	c, err := Load(ctx)
	if err != nil {
		return err
	}
	return c.seed(ctx, t)
}

func (c *Content) seed(ctx context.Context, t Target) error {
	s := &seeder{Target: t, content: c, ids: map[Key]content.EntryID{}}
	if err := s.run(ctx); err != nil {
		return fmt.Errorf("seeding the demo project: %w", err)
	}
	return nil
}

type seeder struct {
	Target
	content *Content
	ids     map[Key]content.EntryID
}

func (s *seeder) run(ctx context.Context) error {
	published, err := s.openProject(ctx)
	if err != nil {
		return err
	}
	if published >= len(s.content.Releases) {
		return nil
	}
	if err := s.configure(ctx); err != nil {
		return err
	}
	if err := s.findEntries(ctx); err != nil {
		return err
	}
	for i, r := range s.content.Releases[published:] {
		if err := s.publish(ctx, r); err != nil {
			return fmt.Errorf("release %d (%s): %w", published+i+1, r.Title, err)
		}
	}
	return nil
}

// configure sets the locales and pushes the schemas; done twice, the second time changes nothing.
func (s *seeder) configure(ctx context.Context) error {
	locales := map[string]any{"locales": Locales(), "defaultLocale": DefaultLocale}
	if err := s.project(ctx, http.MethodPatch, nil, nil, locales, nil); err != nil {
		return err
	}
	var set []jsontext.Value
	for _, c := range s.content.Collections {
		set = append(set, c.Canonical())
	}
	push := map[string]any{"collections": set, "summary": "The magazine's collections."}
	return s.project(ctx, http.MethodPost, []string{"schema", "push"}, nil, push, nil)
}

// publish stages one release in a change set of its own and publishes that.
func (s *seeder) publish(ctx context.Context, r Release) error {
	set, err := s.openChangeSet(ctx, r)
	if err != nil {
		return err
	}
	for _, key := range r.Create {
		if err := s.create(ctx, set, key); err != nil {
			return fmt.Errorf("creating %s: %w", key, err)
		}
	}
	for _, u := range r.Update {
		if err := s.update(ctx, set, u); err != nil {
			return fmt.Errorf("updating %s: %w", u.Entry, err)
		}
	}
	for _, key := range r.Unpublish {
		path := []string{"entries", string(s.ids[key]), "unpublish"}
		query := url.Values{"changeSetId": {string(set)}}
		if err := s.project(ctx, http.MethodPost, path, query, nil, nil); err != nil {
			return fmt.Errorf("unpublishing %s: %w", key, err)
		}
	}
	path := []string{"change-sets", string(set), "publish"}
	return s.project(ctx, http.MethodPost, path, nil, map[string]any{"confirm": true}, nil)
}

// create stages a new entry. One that an interrupted seed has left behind is written over instead.
func (s *seeder) create(ctx context.Context, set content.ChangeSetID, key Key) error {
	slug := key.Slug()
	if !s.content.Collection(key.Collection()).HasSlug() {
		slug = ""
	}
	if _, there := s.ids[key]; there {
		return s.update(ctx, set, Update{Entry: key, Slug: slug, Data: s.content.Entries[key]})
	}
	body, err := s.write(set, Update{Entry: key, Slug: slug, Data: s.content.Entries[key]})
	if err != nil {
		return err
	}
	var answer struct {
		Data struct {
			Entry struct {
				ID string `json:"id"`
			} `json:"entry"`
		} `json:"data"`
	}
	path := []string{"collections", key.Collection(), "entries"}
	if err := s.project(ctx, http.MethodPost, path, nil, body, &answer); err != nil {
		return err
	}
	s.ids[key], err = content.ParseID[content.EntryID](answer.Data.Entry.ID)
	return err
}

func (s *seeder) update(ctx context.Context, set content.ChangeSetID, u Update) error {
	body, err := s.write(set, u)
	if err != nil {
		return err
	}
	return s.project(ctx, http.MethodPatch, []string{"entries", string(s.ids[u.Entry])}, nil, body, nil)
}

// write is the body of an entry write, its references resolved.
func (s *seeder) write(set content.ChangeSetID, u Update) (map[string]any, error) {
	data, err := resolve(u.Data, func(key Key) (string, error) {
		id, ok := s.ids[key]
		if !ok {
			return "", fmt.Errorf("%s has no id yet", key)
		}
		return string(id), nil
	})
	if err != nil {
		return nil, err
	}
	body := map[string]any{"data": data, "changeSetId": set}
	if u.Slug != "" {
		body["slug"] = u.Slug
	}
	if u.Summary != "" {
		body["changeSummary"] = u.Summary
	}
	return body, nil
}

// project calls a route below the project.
func (s *seeder) project(ctx context.Context, method string, path []string, query url.Values, in, out any) error {
	return s.call(ctx, method, append([]string{"projects", ProjectSlug}, path...), query, in, out)
}
