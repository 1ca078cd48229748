package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema/dsl"
	"svc/shared/value"
)

// Load reads the demo and checks it as a whole: schemas parse, values fit them, every localized field is there in
// every locale, slugs are slugs, references lead to an entry of the right collection that is live by then, and no
// release takes away what another entry still refers to. All that is wrong is reported at once. The program must have
// called dsl.RunChild.
func Load(ctx context.Context) (*Content, error) { return load(ctx, files) }

func load(ctx context.Context, fsys fs.FS) (*Content, error) {
	c := &Content{Entries: map[Key]jsontext.Value{}}
	if err := c.readSchemas(ctx, fsys); err != nil {
		return nil, err
	}
	if err := c.readContent(fsys); err != nil {
		return nil, err
	}
	return c, nil
}

// readContent reads and checks what is written under the schemas.
func (c *Content) readContent(fsys fs.FS) error {
	if err := errors.Join(c.readEntries(fsys), c.readReleases(fsys)); err != nil {
		return err
	}
	if err := errors.Join(c.checkEntries(), c.checkReleases()); err != nil {
		return fmt.Errorf("the demo content is not consistent: %w", err)
	}
	return nil
}

// readSchemas loads the schemas as "svc schema push" does, from a folder.
func (c *Content) readSchemas(ctx context.Context, fsys fs.FS) (err error) {
	dir, err := os.MkdirTemp("", "svc-demo-schema-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	schemas, err := fs.Sub(fsys, "schema")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, schemas); err != nil {
		return err
	}
	set, err := dsl.Load(ctx, dir, dsl.Options{})
	if err != nil {
		return fmt.Errorf("loading the schemas: %w", err)
	}
	for _, s := range set.Collections {
		c.Collections = append(c.Collections, s.Collection)
	}
	return nil
}

func (c *Content) readEntries(fsys fs.FS) error {
	names, err := fs.Glob(fsys, "content/*/*.json")
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		fields, err := value.ParseObject(data, "fields")
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		collection := path.Base(path.Dir(name))
		slug := strings.TrimSuffix(path.Base(name), ".json")
		c.Entries[Key(collection+"/"+slug)] = fields
	}
	return nil
}

func (c *Content) readReleases(fsys fs.FS) error {
	data, err := fs.ReadFile(fsys, "releases.json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &c.Releases, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("reading releases.json: %w", err)
	}
	for i := range c.Releases {
		for j := range c.Releases[i].Update {
			u := &c.Releases[i].Update[j]
			if u.Data == nil {
				u.Data = jsontext.Value("{}")
			}
			if u.Data, err = value.ParseObject(u.Data, "data"); err != nil {
				return fmt.Errorf("reading releases.json: release %d, update of %s: %w", i+1, u.Entry, err)
			}
		}
	}
	return nil
}
