package entry

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/validate"
	"svc/shared/value"
)

// frame is what content is written under.
type frame struct {
	schema  *schema.Collection
	version uint32
	locales value.Locales
}

func loadFrame(ctx context.Context, q postgres.Querier, p *project.Project, collection string) (frame, error) {
	d, err := schemadeploy.Get(ctx, q, p.ID, collection)
	if err != nil {
		return frame{}, err
	}
	return frame{schema: d.Schema, version: d.Version, locales: schemadeploy.Locales(p)}, nil
}

// draft is the content of a revision to be.
type draft struct {
	fields jsontext.Value // canonical
	hash   [sha256.Size]byte
	slug   *string
}

// merge lays data over what is there: members replace top-level fields, null ones clear them.
func (f frame) merge(base, data jsontext.Value) (jsontext.Value, error) {
	if base == nil {
		return data, nil
	}
	base, err := value.Canonical(f.schema, f.locales, base, value.FillNothing)
	if err != nil {
		return nil, fmt.Errorf("reading the fields of a revision: %w", err)
	}
	merged := map[string]jsontext.Value{}
	for _, fields := range []jsontext.Value{base, data} {
		members, err := value.Members(fields)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			merged[m.Name] = m.Value
		}
	}
	return json.Marshal(merged)
}

// with returns the object with one member set to a string, or without it where text is nil.
func with(object jsontext.Value, name string, text *string) (jsontext.Value, error) {
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, err
	}
	delete(members, name)
	if text != nil {
		quoted, err := json.Marshal(*text)
		if err != nil {
			return nil, err
		}
		members[name] = quoted
	}
	return json.Marshal(members, json.Deterministic(true))
}

// finish gives the content its slug, checks it and brings it to stored form. New entries get every default.
func (f frame) finish(fields jsontext.Value, slug *string, isNew bool) (draft, []fault.Item, error) {
	var err error
	if s := f.schema.SlugField(); s != nil {
		if fields, err = with(fields, s.Key, slug); err != nil {
			return draft{}, nil, err
		}
	}
	fill := value.FillRequired
	if isNew {
		fill = value.FillAll
	}
	stored, items := validate.Entry(f.schema, f.locales, fields, fill)
	if len(items) > 0 {
		if slug == nil {
			err = f.underived(items, fields)
		}
		return draft{}, items, err
	}
	return draft{fields: stored, hash: sha256.Sum256(stored), slug: slug}, nil, nil
}

// renew brings stored content, perhaps of an earlier schema, into the form of now, and checks it. What no reader sees any more is
// left out.
func (f frame) renew(fields jsontext.Value, slug *string) (draft, []fault.Item, error) {
	fields, err := value.Canonical(f.schema, f.locales, fields, value.FillNothing)
	if err != nil {
		return draft{}, nil, err
	}
	if !f.schema.HasSlug() {
		slug = nil
	}
	return f.finish(fields, slug, false)
}

// renewWhole is renew with everything that the content mentions, which counts as written. It mentions it where it does not fit, too.
func (f frame) renewWhole(fields jsontext.Value, slug *string) (draft, mentions, []fault.Item, error) {
	made, items, err := f.renew(fields, slug)
	if err != nil {
		return draft{}, mentions{}, nil, err
	}
	if len(items) == 0 {
		fields = made.fields
	}
	all, err := value.MentionsIn(f.schema, f.locales, fields)
	return made, mentions{Mentions: all}, items, err
}

// renewOne is renewWhole for an entry alone. What is wrong with it, and what the caller found, is VALIDATION_FAILED.
func (f frame) renewOne(ctx context.Context, tx pgx.Tx, p content.ProjectID, fields jsontext.Value, slug *string, found ...fault.Item) (draft, error) {
	made, named, items, err := f.renewWhole(fields, slug)
	if err != nil {
		return draft{}, err
	}
	all, err := findMentioned(ctx, tx, p, named)
	if err != nil {
		return draft{}, err
	}
	if items = slices.Concat(found, items, all.misfits(named)); len(items) > 0 {
		return draft{}, invalid(items)
	}
	return made, nil
}

// invalid is the fault about an entry's content.
func invalid(items []fault.Item) error {
	detail := items[0].String()
	if len(items) > 1 {
		detail = fmt.Sprintf("the content has %s; the first: %s", schema.Count(len(items), "fault"), detail)
	}
	return &fault.Error{Code: fault.ValidationFailed, Detail: detail, Items: items}
}
