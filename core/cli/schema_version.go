package cli

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/wire"
	"svc/shared/schema"
	"svc/shared/schema/typescript"
)

// inspectedVersion is a version of a collection that was deployed once.
type inspectedVersion struct {
	Name      string         `json:"name"`
	Version   uint32         `json:"version"`
	Hash      string         `json:"hash"`
	Summary   *string        `json:"summary"`
	CreatedBy *string        `json:"createdBy"`
	CreatedAt string         `json:"createdAt"`
	Schema    jsontext.Value `json:"schema"`
	// Source is the TypeScript file, where that was asked for.
	Source *string `json:"source,omitempty"`
}

// inspectVersion shows a version as the service keeps it, also of a collection that was removed.
func (a *app) inspectVersion(ctx context.Context, name string, number int64, source bool) error {
	if err := a.connectProject(ordinary); err != nil {
		return err
	}
	versions, err := ask(a, "reading the versions of "+name, func() ([]wire.CollectionVersion, error) { return a.client.CollectionVersions(ctx, a.project, name) })
	if err != nil {
		return err
	}
	if len(versions) == 0 {
		return failed("the service knows no version of %s", name)
	}
	i := slices.IndexFunc(versions, func(v wire.CollectionVersion) bool { return int64(v.Number) == number })
	if i < 0 {
		return failed("the collection %s of %s has no version %d", name, a.project, number).
			hinted("the newest one is " + decimal(uint64(versions[0].Number)))
	}
	v := versions[i]
	parsed, err := schema.Parse(v.Schema)
	if err != nil {
		return failed("version %d of %s says what this program does not know; a newer one may: %v", number, name, err)
	}
	out := inspectedVersion{
		Name: name, Version: v.Number, Hash: v.Hash, Summary: orNull(v.Summary), CreatedBy: v.CreatedBy,
		CreatedAt: v.CreatedAt.String(), Schema: v.Schema,
	}
	if source {
		text := typescript.Source(parsed)
		out.Source = new(string(text))
		return a.answer(out, func(p *page) { p.Write(text) })
	}
	return a.answer(out, func(p *page) {
		from := [][2]string{{"version", decimal(uint64(v.Number)) + " of " + a.project + ", pushed at " + out.CreatedAt}}
		if v.Summary != "" {
			from = append(from, [2]string{"summary", v.Summary})
		}
		p.showCollection(parsed, from...)
	})
}
