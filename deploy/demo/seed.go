package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/client"
	"svc/shared/content"
	"svc/shared/fault"
)

// Target is a deployment to fill.
type Target struct {
	// URL is the root of a core or an edge, such as "http://127.0.0.1:7400".
	URL string
	// Organization that gets the project, by id or slug.
	Organization string
	// Token is an API key of that organization that may make projects, push schemas, write and publish content.
	Token string
	// HTTP sends the requests; nil is that of package client.
	HTTP *http.Client
}

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

// seeder fills a deployment. It does not remember how far an earlier one came, and finds out instead: every step is one that
// changes nothing where it was done before.
type seeder struct {
	*client.Client
	content *Content
	ids     map[Key]string // of the entries that are there
}

func (c *Content) seed(ctx context.Context, t Target) error {
	s := &seeder{client.New(t.URL, t.Token, t.HTTP), c, map[Key]string{}}
	if err := s.run(ctx, t.Organization); err != nil {
		return fmt.Errorf("seeding the demo project: %w", err)
	}
	return nil
}

func (s *seeder) run(ctx context.Context, organization string) error {
	if err := s.openProject(ctx, organization); err != nil {
		return err
	}
	published, err := s.Releases(ctx, ProjectSlug)
	if err != nil || len(published) >= len(s.content.Releases) {
		return err
	}
	if err := s.configure(ctx); err != nil {
		return err
	}
	if err := s.findEntries(ctx); err != nil {
		return err
	}
	for _, r := range s.content.Releases[len(published):] {
		if err := s.publish(ctx, r); err != nil {
			return fmt.Errorf("the release %q: %w", r.Title, err)
		}
	}
	return nil
}

// openProject makes the project unless it is there. A project with the same slug that is somebody else's is an error.
func (s *seeder) openProject(ctx context.Context, organization string) error {
	project, err := s.Project(ctx, ProjectSlug)
	var refused *client.Error
	if errors.As(err, &refused) && refused.Code == fault.NotFound {
		project, err = s.CreateProject(ctx, organization, ProjectName, ProjectSlug)
	}
	if err == nil && project.Name != ProjectName {
		err = fmt.Errorf("the project %q exists and is called %q, not %q: it is not the demo", ProjectSlug, project.Name, ProjectName)
	}
	return err
}

// configure sets the locales and pushes the schemas.
func (s *seeder) configure(ctx context.Context) error {
	locales := map[string]any{"locales": Locales(), "defaultLocale": DefaultLocale}
	if _, err := s.UpdateProject(ctx, ProjectSlug, locales); err != nil {
		return err
	}
	var set []jsontext.Value
	for _, c := range s.content.Collections {
		set = append(set, c.Canonical())
	}
	_, err := s.PushSchema(ctx, ProjectSlug, set, false, "The magazine's collections.")
	return err
}

// findEntries learns the ids of what an earlier seed has created, under the slugs that they have by now.
func (s *seeder) findEntries(ctx context.Context) error {
	renamed := map[Key]Key{}
	for _, r := range s.content.Releases {
		for _, u := range r.Update {
			renamed[Key(u.Entry.Collection()+"/"+u.Slug)] = u.Entry // one without a slug renames nothing
		}
	}
	for _, c := range s.content.Collections {
		entries, err := s.AllEntries(ctx, ProjectSlug, c.Name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			key := Key(c.Name + "/" + c.Name)
			if e.Slug != nil {
				key = Key(c.Name + "/" + *e.Slug)
			}
			if first, ok := renamed[key]; ok {
				key = first
			}
			s.ids[key] = string(e.ID)
		}
	}
	return nil
}

// publish stages one release in a change set of its own and publishes that.
func (s *seeder) publish(ctx context.Context, r Release) error {
	set, err := s.openChangeSet(ctx, r)
	if err != nil {
		return err
	}
	var writes []Update
	for _, key := range r.Create {
		u := Update{Entry: key, Data: s.content.Entries[key]}
		if s.content.Collection(key.Collection()).HasSlug() {
			u.Slug = key.Slug()
		}
		writes = append(writes, u)
	}
	for _, u := range append(writes, r.Update...) {
		if err := s.write(ctx, set, u); err != nil {
			return fmt.Errorf("writing %s: %w", u.Entry, err)
		}
	}
	for _, key := range r.Unpublish {
		if _, err := s.UnpublishEntry(ctx, ProjectSlug, s.ids[key], set); err != nil {
			return fmt.Errorf("unpublishing %s: %w", key, err)
		}
	}
	_, err = s.Publish(ctx, ProjectSlug, set)
	return err
}

// openChangeSet returns the change set of a release, which an interrupted seed may have left open.
func (s *seeder) openChangeSet(ctx context.Context, r Release) (string, error) {
	open, err := s.ChangeSets(ctx, ProjectSlug, string(content.ChangeSetOpen))
	if err != nil {
		return "", err
	}
	for _, set := range open {
		if set.Title == r.Title {
			return string(set.ID), nil
		}
	}
	set, err := s.CreateChangeSet(ctx, ProjectSlug, r.Title, r.Description)
	return string(set.ID), err
}

// write stages an entry: a new one, or a change of one that is there.
func (s *seeder) write(ctx context.Context, set string, u Update) error {
	data, err := s.resolve(u.Data)
	if err != nil {
		return err
	}
	var slug *string
	if u.Slug != "" {
		slug = &u.Slug
	}
	if id, ok := s.ids[u.Entry]; ok {
		_, err := s.PatchEntry(ctx, ProjectSlug, id, client.Patch{Data: data, Slug: slug, ChangeSetID: set, ChangeSummary: u.Summary})
		return err
	}
	written, err := s.CreateEntry(ctx, ProjectSlug, u.Entry.Collection(), client.NewEntry{Data: data, Slug: slug, ChangeSetID: set})
	if err == nil {
		s.ids[u.Entry] = string(written.Entry.ID)
	}
	return err
}

// refPrefix marks a text as a reference to another entry of the demo.
const refPrefix = "ref:"

// resolve copies JSON and puts ids in the place of references.
func (s *seeder) resolve(data jsontext.Value) (jsontext.Value, error) {
	if data == nil { // of an update that changes the slug alone
		return jsontext.Value("{}"), nil
	}
	var out bytes.Buffer
	in, enc := jsontext.NewDecoder(bytes.NewReader(data)), jsontext.NewEncoder(&out)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return out.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
		if key, ok := strings.CutPrefix(token.String(), refPrefix); ok && token.Kind() == '"' {
			id, known := s.ids[Key(key)]
			if !known {
				return nil, fmt.Errorf("%s refers to %s, which is not there yet", in.StackPointer(), key)
			}
			token = jsontext.String(id)
		}
		if err := enc.WriteToken(token); err != nil {
			return nil, err
		}
	}
}
