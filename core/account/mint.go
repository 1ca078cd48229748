package account

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/event"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/schema"
)

// NewKey is what a key is made from.
type NewKey struct {
	Organization content.OrganizationID
	Project      content.ProjectID // empty: every project of the organization
	Label        string
	Scopes       []credential.Scope
	Collections  []string  // nil: every collection; an empty list is refused
	ExpiresAt    time.Time // zero: never
}

// MintKey makes a key and returns it with its secret, which cannot be had again. A key never carries more than its
// maker: no further scope, collection or project, and no longer life.
func MintKey(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, in NewKey) (Key, string, error) {
	var key Key
	var secret string
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		key, secret, err = mint(ctx, tx, actor, in)
		return err
	})
	return key, secret, err
}

func mint(ctx context.Context, tx pgx.Tx, actor *access.Actor, in NewKey) (Key, string, error) {
	var now time.Time
	if err := tx.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return Key{}, "", fmt.Errorf("reading the database's clock: %w", err)
	}
	in.Label = strings.TrimSpace(in.Label)
	in.ExpiresAt = in.ExpiresAt.UTC().Truncate(time.Millisecond)
	if err := checkKey(actor, in, now); err != nil {
		return Key{}, "", err
	}
	if err := checkCollections(ctx, tx, actor, in); err != nil {
		return Key{}, "", err
	}
	secret := credential.Mint(credential.APIKey)
	hash := secret.Hash()
	key := Key{
		ID: content.NewID[content.KeyID](), Organization: in.Organization, Project: in.Project, PublicID: secret.PublicID,
		Label: in.Label, Scopes: sortedScopes(in.Scopes), Collections: sortedUnique(in.Collections), CreatedBy: actor.ID,
		ExpiresAt: in.ExpiresAt, hash: hash[:],
	}
	err := tx.QueryRow(ctx, `
		INSERT INTO api_key (id, organization_id, project_id, public_id, hash, label, scopes, collections, created_by, expires_at)
		VALUES ($1, $2, nullif($3, ''), $4, $5, $6, $7, $8, $9, $10) RETURNING created_at`,
		key.ID, key.Organization, key.Project, key.PublicID, key.hash, key.Label, key.Scopes, key.Collections,
		actor.IDOrNil(), orNil(key.ExpiresAt)).Scan(&key.CreatedAt)
	if err != nil {
		return Key{}, "", fmt.Errorf("storing a key: %w", err)
	}
	audit := event.Record{Organization: key.Organization, Project: key.Project, Action: event.KeyMint, Subject: string(key.ID)}
	if err := event.Audit(ctx, tx, actor, audit); err != nil {
		return Key{}, "", err
	}
	return key, secret.Text(), appendKey(ctx, tx, key)
}

// checkKey reports everything that is wrong with a key at once.
func checkKey(actor *access.Actor, in NewKey, now time.Time) error {
	var items []fault.Item
	add := func(path, code, format string, args ...any) {
		items = append(items, fault.Item{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if in.Label == "" {
		add("label", "required", "a key needs a label")
	} else if n := utf8.RuneCountInString(in.Label); n > maxName {
		add("label", "max_length", "must have at most %d characters; it has %d", maxName, n)
	}
	if len(in.Scopes) == 0 {
		add("scopes", "required", "a key needs at least one scope")
	}
	for i, s := range in.Scopes {
		if !s.Known() {
			add(fmt.Sprintf("scopes[%d]", i), "enum", "%q is no scope; scopes are %s", s, scopeNames())
		}
	}
	if in.Collections != nil && len(in.Collections) == 0 { // stored, it would stand for all of them
		add("collections", "min_items", "must name at least one collection; leave it out for all of them")
	}
	for i, c := range in.Collections {
		if !schema.IsName(c) { // the key would reach nothing, whatever is pushed later
			add(fmt.Sprintf("collections[%d]", i), "key", "%s is not the name of a collection: lower-case letters, digits and underscores, "+
				"a letter first, at most %d", schema.Quote(c), schema.MaxKeyLength)
		}
	}
	if !in.ExpiresAt.IsZero() && !in.ExpiresAt.After(now) {
		add("expiresAt", "min", "must lie in the future")
	}
	if len(items) > 0 {
		return refusal(items)
	}
	return withinMaker(actor, in)
}

// refusal is the fault of these findings; nil where there are none.
func refusal(items []fault.Item) error {
	if len(items) == 0 {
		return nil
	}
	return &fault.Error{Code: fault.ValidationFailed, Detail: items[0].Path + ": " + items[0].Message, Items: items}
}

// checkCollections refuses to confine a key to a collection that no project it reaches has: most likely it is misspelled.
func checkCollections(ctx context.Context, tx pgx.Tx, actor *access.Actor, in NewKey) error {
	if len(in.Collections) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		SELECT DISTINCT c.name FROM collection c JOIN project p ON p.id = c.project_id AND p.deleted_at IS NULL
		WHERE p.organization_id = $1 AND ($2 = '' OR p.id = $2) AND c.removed_at IS NULL ORDER BY c.name`, in.Organization, in.Project)
	if err != nil {
		return fmt.Errorf("listing collections: %w", err)
	}
	known, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("listing collections: %w", err)
	}
	known = slices.DeleteFunc(known, func(name string) bool { return access.Confine(actor, name) != nil })
	where := "the project has no collection"
	if in.Project == "" {
		where = "no project of the organization has a collection"
	}
	var items []fault.Item
	for i, c := range in.Collections {
		if !slices.Contains(known, c) {
			items = append(items, fault.Item{Path: fmt.Sprintf("collections[%d]", i), Code: "unknown",
				Message: fmt.Sprintf("%s %q; there are: %s", where, c, cmp.Or(strings.Join(known, ", "), "none yet"))})
		}
	}
	return refusal(items)
}

// withinMaker refuses a key that may do more than the one who makes it.
func withinMaker(actor *access.Actor, in NewKey) error {
	if actor.Grant == nil {
		return nil
	}
	for _, s := range in.Scopes {
		if !actor.Grant.Has(s) {
			return fault.New(fault.Forbidden, "a key cannot carry the scope %s, which its maker lacks", s)
		}
	}
	if actor.Grant.Project != "" && in.Project != actor.Grant.Project {
		return fault.New(fault.Forbidden, "a key of one project cannot make keys that reach further")
	}
	if end := actor.Grant.ExpiresAt; !end.IsZero() && (in.ExpiresAt.IsZero() || in.ExpiresAt.After(end)) {
		return fault.New(fault.Forbidden, "a key cannot outlive its maker, which expires at %s: give an expiresAt no later than that", content.FormatTime(end))
	}
	return withinCollections(actor, in.Collections)
}

// withinCollections refuses an actor who is confined to collections what concerns a key that reaches further.
func withinCollections(actor *access.Actor, collections []string) error {
	if _, confined := access.Confined(actor); confined && len(collections) == 0 {
		return fault.New(fault.Forbidden, "a key that is confined to collections cannot manage keys that are not")
	}
	for _, c := range collections {
		if err := access.Confine(actor, c); err != nil {
			return err
		}
	}
	return nil
}

// sortedScopes returns each scope once, in the order of credential.Scopes.
func sortedScopes(in []credential.Scope) []credential.Scope {
	return slices.DeleteFunc(credential.Scopes(), func(s credential.Scope) bool { return !slices.Contains(in, s) })
}

func sortedUnique(in []string) []string {
	out := append([]string{}, in...)
	slices.Sort(out)
	return slices.Compact(out)
}

func scopeNames() string {
	var names []string
	for _, s := range credential.Scopes() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func orNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
