package entry

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/search"
	"svc/shared/value"
)

// matchesWords holds for an entry e whose draft has all phrases and none of those that are excluded.
const matchesWords = ` AND EXISTS (SELECT FROM entry_words w WHERE w.entry_id = e.id AND NOT EXISTS (
	SELECT FROM unnest($7::text[], $8::boolean[]) AS c(phrase, excluded) WHERE (strpos(w.words, c.phrase) > 0) = c.excluded))`

// phrases are the parameters of matchesWords.
func phrases(q search.Query) (phrases []string, excluded []bool) {
	for _, c := range q.Clauses {
		phrases = append(phrases, " "+strings.Join(slices.Collect(c.Words), " ")+" ")
		excluded = append(excluded, c.Exclude)
	}
	return phrases, excluded
}

// wordsOf are the words of all texts of an entry, in all locales, and of its slug, as the table entry_words keeps them.
func wordsOf(d *schemadeploy.Deployed, locales value.Locales, fields []byte, slug string) (string, error) {
	var b strings.Builder
	add := func(text string) {
		b.WriteByte(' ')
		for w := range search.Words(text) {
			b.WriteString(w.Text)
			b.WriteByte(' ')
		}
		b.WriteByte('\n')
	}
	for text, err := range value.Texts(d.Schema, locales, "", fields) {
		if err != nil {
			return "", err
		}
		add(text)
	}
	if d.Schema.SlugField() == nil {
		add(slug)
	}
	return b.String(), nil
}

// The drafts whose words are brought in at once.
const (
	wordsRows  = 500
	wordsBytes = 4 << 20 // of fields, about
)

// staleWords are the drafts of a collection behind an entry whose words are missing, or those of another revision or schema.
const staleWords = `SELECT e.id, r.id, r.fields, coalesce(r.slug, '') FROM entry e JOIN revision r ON r.id = e.draft_revision_id
	LEFT JOIN entry_words w ON w.entry_id = e.id
	WHERE e.project_id = $1 AND e.collection = $2 AND e.id > $3 AND (w.revision_id, w.schema_version) IS DISTINCT FROM (r.id, $4)
	ORDER BY e.id LIMIT $5`

// storeWords stores the words of drafts that are still the newest ones: others may have stored those of newer drafts meanwhile.
const storeWords = `INSERT INTO entry_words (entry_id, revision_id, words, schema_version)
	SELECT n.*, $4::integer FROM unnest($1::text[], $2::text[], $3::text[]) AS n(entry, revision, words)
	JOIN entry e ON e.id = n.entry AND e.draft_revision_id = n.revision ORDER BY n.entry ON CONFLICT (entry_id) DO UPDATE
	SET revision_id = excluded.revision_id, schema_version = excluded.schema_version, words = excluded.words`

// bringAllWords is bringWords for several collections.
func bringAllWords(ctx context.Context, q postgres.Querier, id content.ProjectID, collections schemadeploy.Set) error {
	p, err := project.Get(ctx, q, string(id))
	if err != nil {
		return err
	}
	for _, d := range collections {
		if err := bringWords(ctx, q, p, d); err != nil {
			return err
		}
	}
	return nil
}

// bringWords brings in the words of a collection's drafts, those that are not there yet.
func bringWords(ctx context.Context, q postgres.Querier, p *project.Project, d *schemadeploy.Deployed) error {
	for last, more := "", true; more; {
		var entries, revisions, words []string
		rows, err := q.Query(ctx, staleWords, p.ID, d.Schema.Name, last, d.Version, wordsRows)
		if err == nil {
			entries, revisions, words, more, err = readWords(rows, d, schemadeploy.Locales(p))
		}
		if err != nil {
			return fmt.Errorf("reading drafts to search: %w", err)
		}
		if len(entries) == 0 {
			return nil
		}
		if _, err := q.Exec(ctx, storeWords, entries, revisions, words, d.Version); err != nil {
			return fmt.Errorf("storing the words of drafts: %w", err)
		}
		last = entries[len(entries)-1]
	}
	return nil
}

// readWords reads rows of staleWords until they are enough; more says that others may follow.
func readWords(rows pgx.Rows, d *schemadeploy.Deployed, locales value.Locales) (entries, revisions, words []string, more bool, err error) {
	defer rows.Close()
	for size := 0; rows.Next(); {
		var entry, revision, slug string
		var fields []byte
		if err := rows.Scan(&entry, &revision, &fields, &slug); err != nil {
			return nil, nil, nil, false, err
		}
		text, err := wordsOf(d, locales, fields, slug)
		if err != nil {
			return nil, nil, nil, false, fmt.Errorf("the revision %s: %w", revision, err)
		}
		entries, revisions, words = append(entries, entry), append(revisions, revision), append(words, text)
		if size += len(fields); size > wordsBytes {
			return entries, revisions, words, true, nil
		}
	}
	return entries, revisions, words, len(entries) == wordsRows, rows.Err()
}
