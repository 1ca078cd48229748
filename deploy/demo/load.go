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
)

// Load reads the demo. Only its form is checked here: a deployment refuses what does not fit.
func Load(ctx context.Context) (*Content, error) {
	c := &Content{Entries: map[Key]jsontext.Value{}}
	if err := errors.Join(c.readSchemas(ctx), c.readEntries(), c.readReleases()); err != nil {
		return nil, err
	}
	return c, nil
}

// readSchemas loads the schemas as "svc schema push" does, from a folder.
func (c *Content) readSchemas(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "svc-demo-schema-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.CopyFS(dir, files); err != nil {
		return err
	}
	set, err := dsl.Load(ctx, path.Join(dir, "schema"), dsl.Options{})
	if err != nil {
		return fmt.Errorf("loading the schemas: %w", err)
	}
	for _, s := range set.Collections {
		c.Collections = append(c.Collections, s.Collection)
	}
	return nil
}

func (c *Content) readEntries() error {
	names, err := fs.Glob(files, "content/*/*.json")
	if err != nil {
		return err
	}
	for _, name := range names {
		fields, err := compact(fs.ReadFile(files, name))
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		key := strings.TrimSuffix(strings.TrimPrefix(name, "content/"), ".json")
		c.Entries[Key(key)] = fields
	}
	return nil
}

func (c *Content) readReleases() error {
	data, err := compact(files.ReadFile("releases.json"))
	if err == nil {
		err = json.Unmarshal(data, &c.Releases, json.RejectUnknownMembers(true))
	}
	if err != nil {
		return fmt.Errorf("reading releases.json: %w", err)
	}
	return nil
}

func compact(data jsontext.Value, err error) (jsontext.Value, error) {
	if err == nil {
		err = data.Compact()
	}
	return data, err
}
