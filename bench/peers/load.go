package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pocketbase/pocketbase/core"
)

// everybody is an access rule that lets anybody read.
var everybody = new(string)

// createCollections creates authors and posts, readable by everybody. Each field that is filtered, ordered or joined by has
// an index, as PocketBase's documentation advises, and the list that is filtered and ordered by several has one of its own.
func createCollections(app core.App) error {
	authors := core.NewBaseCollection("authors")
	authors.ListRule, authors.ViewRule = everybody, everybody
	authors.Fields.Add(
		&core.TextField{Name: "slug", Required: true},
		&core.TextField{Name: "name", Required: true},
		&core.TextField{Name: "bio"},
	)
	authors.AddIndex("authors_slug", true, "slug", "")
	if err := app.Save(authors); err != nil {
		return err
	}
	posts := core.NewBaseCollection("posts")
	posts.ListRule, posts.ViewRule = everybody, everybody
	posts.Fields.Add(
		&core.TextField{Name: "slug", Required: true},
		&core.TextField{Name: "title", Required: true},
		&core.TextField{Name: "body"},
		&core.TextField{Name: "category"},
		&core.NumberField{Name: "rating"},
		&core.BoolField{Name: "featured"},
		&core.DateField{Name: "publishedOn"},
		&core.RelationField{Name: "author", CollectionId: authors.Id, MaxSelect: 1},
	)
	posts.AddIndex("posts_slug", true, "slug", "")
	for _, field := range []string{"category", "rating", "featured", "publishedOn", "author"} {
		posts.AddIndex("posts_"+field, false, field, "")
	}
	posts.AddIndex("posts_rated", false, "category, featured, rating, slug", "")
	return app.Save(posts)
}

// line is one record of the file. A post names its author, which comes before it, by the slug.
type line struct {
	Collection string         `json:"collection"`
	Fields     map[string]any `json:"fields"`
}

// load inserts the records of a file of JSON lines, in one transaction.
func load(app core.App, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return app.RunInTransaction(func(tx core.App) error {
		ids := map[string]string{} // of authors, by slug
		decoder := json.NewDecoder(bufio.NewReader(file))
		for number := 1; ; number++ {
			var l line
			err := decoder.Decode(&l)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err == nil {
				err = insert(tx, l, ids)
			}
			if err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
		}
	})
}

func insert(app core.App, l line, authors map[string]string) error {
	collection, err := app.FindCachedCollectionByNameOrId(l.Collection)
	if err != nil {
		return fmt.Errorf("collection %q: %w", l.Collection, err)
	}
	record := core.NewRecord(collection)
	for field, value := range l.Fields {
		record.Set(field, value)
	}
	if slug := record.GetString("author"); slug != "" {
		record.Set("author", authors[slug])
	}
	if err := app.Save(record); err != nil {
		return err
	}
	if l.Collection == "authors" {
		authors[record.GetString("slug")] = record.Id
	}
	return nil
}
