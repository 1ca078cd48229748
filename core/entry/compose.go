package entry

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
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
	over, err := value.Members(data)
	if err != nil {
		return nil, err
	}
	replaced := make(map[string]bool, len(over))
	for _, m := range over {
		replaced[m.Name] = true
	}
	under, err := value.Members(base)
	if err != nil {
		return nil, err
	}
	merged := make(jsontext.Value, 0, len(base)+len(data))
	for _, m := range under {
		if replaced[m.Name] {
			continue
		}
		if merged, err = appendMember(merged, m); err != nil {
			return nil, err
		}
	}
	for _, m := range over {
		if merged, err = appendMember(merged, m); err != nil {
			return nil, err
		}
	}
	return closeObject(merged), nil
}

// with returns the object with one member set to a string, or without it where text is nil.
func with(object jsontext.Value, name string, text *string) (jsontext.Value, error) {
	members, err := value.Members(object)
	if err != nil {
		return nil, err
	}
	out := make(jsontext.Value, 0, len(object)+64)
	for _, m := range members {
		if m.Name == name {
			continue
		}
		if out, err = appendMember(out, m); err != nil {
			return nil, err
		}
	}
	if text == nil {
		return closeObject(out), nil
	}
	quoted, err := jsontext.AppendQuote(nil, *text)
	if err != nil {
		return nil, err
	}
	out, err = appendMember(out, value.Member{Name: name, Value: quoted})
	return closeObject(out), err
}

// appendMember appends to an object that closeObject will close.
func appendMember(dst jsontext.Value, m value.Member) (jsontext.Value, error) {
	if len(dst) == 0 {
		dst = append(dst, '{')
	} else {
		dst = append(dst, ',')
	}
	quoted, err := jsontext.AppendQuote([]byte(dst), m.Name)
	if err != nil {
		return nil, err
	}
	return append(append(quoted, ':'), m.Value...), nil
}

func closeObject(dst jsontext.Value) jsontext.Value {
	if len(dst) == 0 {
		dst = append(dst, '{')
	}
	return append(dst, '}')
}

// finish gives the content its slug, checks it and brings it to stored form. New entries get every default.
func (f frame) finish(fields jsontext.Value, slug *string, isNew bool) (draft, []fault.Item, error) {
	var err error
	if s := f.schema.SlugField(); s != nil {
		if fields, err = with(fields, s.Key, slug); err != nil {
			return draft{}, nil, err
		}
	}
	stored, items := validate.Entry(f.schema, f.locales, fields)
	if len(items) > 0 {
		if slug == nil {
			err = f.underived(items, fields)
		}
		return draft{}, items, err
	}
	if isNew {
		if stored, err = validate.ApplyDefaults(f.schema, f.locales, fields); err != nil {
			return draft{}, nil, err
		}
	}
	return draft{fields: stored, hash: sha256.Sum256(stored), slug: slug}, nil, nil
}

// invalid is the fault about an entry's content.
func invalid(items []fault.Item) error {
	detail := items[0].String()
	if len(items) > 1 {
		detail = fmt.Sprintf("the content has %s; the first: %s", schema.Count(len(items), "fault"), detail)
	}
	return &fault.Error{Code: fault.ValidationFailed, Detail: detail, Items: items}
}
