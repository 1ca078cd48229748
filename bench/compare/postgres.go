package compare

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/bench/load"
)

// schema has the same indexes as PocketBase, and one for the search of words.
const schema = `
	CREATE TABLE authors (id bigint PRIMARY KEY, slug text NOT NULL UNIQUE, name text NOT NULL, bio text NOT NULL);
	CREATE TABLE posts (
		id bigint PRIMARY KEY, slug text NOT NULL UNIQUE, title text NOT NULL, body text NOT NULL, category text NOT NULL,
		rating double precision NOT NULL, featured boolean NOT NULL, "publishedOn" timestamptz NOT NULL,
		author bigint NOT NULL REFERENCES authors,
		words tsvector GENERATED ALWAYS AS (to_tsvector('simple', body)) STORED
	);
	CREATE INDEX ON posts (category);
	CREATE INDEX ON posts (rating);
	CREATE INDEX ON posts (featured);
	CREATE INDEX ON posts ("publishedOn");
	CREATE INDEX ON posts (author);
	CREATE INDEX ON posts (category, featured, rating, slug);
	CREATE INDEX ON posts USING gin (words)`

// rowsAsJSON selects posts, with the values that an edge shows, each as JSON; author stands for the column of its name.
func rowsAsJSON(author, which string) string {
	return `SELECT row_to_json(p) FROM (SELECT slug, title, body, category, rating, featured, "publishedOn", ` + author +
		` FROM posts ` + which + `) p`
}

// statements are by the letter of the work. A page by newest date begins below the date of the row before.
var statements = map[string]string{
	"a": rowsAsJSON("author", `WHERE slug = $1`),
	"b": rowsAsJSON("author", `ORDER BY "publishedOn" DESC LIMIT 25`),
	"c": rowsAsJSON("author", `WHERE category = $1 AND featured AND rating <= $2 ORDER BY rating, slug LIMIT 25`),
	"d": rowsAsJSON("author", `WHERE "publishedOn" < $1 ORDER BY "publishedOn" DESC LIMIT 25`),
	"e": rowsAsJSON("author", `WHERE words @@ to_tsquery('simple', $1) ORDER BY "publishedOn" DESC LIMIT 25`),
	"f": rowsAsJSON("(SELECT row_to_json(a) FROM (SELECT slug, name, bio FROM authors WHERE id = posts.author) a) author",
		`WHERE "publishedOn" < $1 ORDER BY "publishedOn" DESC LIMIT 25`),
}

// byOffset reads d by the number of rows before, as PocketBase does.
var byOffset = rowsAsJSON("author", `ORDER BY "publishedOn" DESC LIMIT 25 OFFSET $1`)

// PostgresName is what reports call PostgreSQL alone.
const PostgresName = "PostgreSQL"

// Postgres is a PostgreSQL database that has the content, read over connections of its own with prepared statements.
type Postgres struct {
	conns   []*pgx.Conn
	authors map[string]string // ids to slugs
}

// CreateDatabase creates a database on the server at a URL, and returns the URL of the database.
func CreateDatabase(ctx context.Context, server, name string) (string, error) {
	at, err := url.Parse(server)
	if err != nil {
		return "", fmt.Errorf("the address of PostgreSQL: %w", err)
	}
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	at.Path = "/" + name
	return at.String(), errors.Join(err, conn.Close(ctx))
}

// LoadPostgres fills an empty database with the content, and opens so many connections to it.
func LoadPostgres(ctx context.Context, database string, connections int, c *Content) (*Postgres, error) {
	p := &Postgres{authors: map[string]string{}}
	for range connections {
		conn, err := pgx.Connect(ctx, database)
		if err != nil {
			return nil, errors.Join(err, p.Close(ctx))
		}
		p.conns = append(p.conns, conn)
	}
	if err := p.load(ctx, c); err != nil {
		return nil, errors.Join(err, p.Close(ctx))
	}
	return p, nil
}

func (p *Postgres) load(ctx context.Context, c *Content) error {
	conn := p.conns[0]
	if _, err := conn.Exec(ctx, schema); err != nil {
		return err
	}
	ids := map[string]int{}
	var people, rows [][]any
	for id, a := range c.Authors {
		ids[a.Slug], p.authors[fmt.Sprint(id)] = id, a.Slug
		people = append(people, []any{id, a.Slug, a.Name, a.Bio})
	}
	for id, v := range c.Posts {
		rows = append(rows, []any{id, v.Slug, v.Title, v.Body, v.Category, v.Rating, v.Featured, v.PublishedOn, ids[v.Author]})
	}
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"authors"}, []string{"id", "slug", "name", "bio"}, pgx.CopyFromRows(people)); err != nil {
		return err
	}
	names := []string{"id", "slug", "title", "body", "category", "rating", "featured", "publishedOn", "author"}
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"posts"}, names, pgx.CopyFromRows(rows)); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "VACUUM ANALYZE")
	return err
}

// Close closes the connections.
func (p *Postgres) Close(ctx context.Context) error {
	var faults []error
	for _, conn := range p.conns {
		faults = append(faults, conn.Close(ctx))
	}
	return errors.Join(faults...)
}

// Keyset reads pages by newest date by the date of the row before, which is the best that PostgreSQL can do.
func (p *Postgres) Keyset() Server { return query{p, PostgresName, false} }

// Offset reads pages by newest date by the number of rows before.
func (p *Postgres) Offset() Server { return query{p, PostgresName + " with OFFSET", true} }

// query is a database and how it is asked for pages.
type query struct {
	*Postgres
	name   string
	offset bool
}

func (q query) Name() string { return q.name }

func (q query) statement(w Work) string {
	if q.offset && w.Letter == "d" {
		return byOffset
	}
	return statements[w.Letter]
}

func (q query) arguments(w Work, v Variant) []any {
	switch w.Letter {
	case "a":
		return []any{v.Slug}
	case "c":
		return []any{v.Category, v.Rating}
	case "d", "f":
		if q.offset && w.Letter == "d" {
			return []any{v.Page * pageRows}
		}
		if v.After == nil {
			return []any{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}
		}
		return []any{v.After.PublishedOn}
	case "e":
		return []any{v.Words[0] + " & " + v.Words[1]}
	}
	return nil
}

// Rows reads a variant on the first connection.
func (q query) Rows(ctx context.Context, w Work, v Variant) ([]Row, error) {
	result, err := q.conns[0].Query(ctx, q.statement(w), q.arguments(w, v)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(result, func(r pgx.CollectableRow) (Row, error) {
		values, err := decode[fields](r.RawValues()[0])
		if err != nil {
			return Row{}, err
		}
		row, err := values.row()
		if err != nil {
			return Row{}, err
		}
		if values.Author.Kind() == '{' {
			included, err := decode[Author](values.Author)
			row.include(included)
			return row, err
		}
		row.Author = q.authors[string(values.Author)]
		return row, nil
	})
}

// Measure reads the text of all rows of each answer. A connection prepares a statement when it sees it first.
func (q query) Measure(ctx context.Context, w Work, turn load.Turn) (load.Result, error) {
	if len(q.conns) < turn.Connections {
		return load.Result{}, fmt.Errorf("%d connections are open, not %d", len(q.conns), turn.Connections)
	}
	statement := q.statement(w)
	arguments := make([][]any, len(w.Variants))
	for i, v := range w.Variants {
		arguments[i] = q.arguments(w, v)
	}
	// Repeat watches ctx; for the connections to watch it at every query would cost PostgreSQL requests.
	unwatched := context.WithoutCancel(ctx)
	return load.Repeat(ctx, turn, func(connection int, random *rand.Rand) (int, error) {
		rows, err := q.conns[connection].Query(unwatched, statement, arguments[random.IntN(len(arguments))]...)
		if err != nil {
			return 0, err
		}
		bytes := 0
		for rows.Next() {
			bytes += len(rows.RawValues()[0])
		}
		return bytes, rows.Err()
	})
}
