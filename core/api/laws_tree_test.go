package api_test

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"svc/core/diff"
	"svc/core/wire"
	"svc/shared/schema"
)

// tree is an object by member: trees, and leaves as they are written.
type tree map[string]any

// leaf is what is no object.
type leaf = jsontext.Value

func (s *site) tree(raw jsontext.Value) tree {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil {
		s.t.Fatalf("%v: %s", err, raw)
	}
	out := tree{}
	for name, v := range members {
		if out[name] = v; v.Kind() == '{' {
			out[name] = s.tree(v)
		}
	}
	return out
}

func (t tree) clone() tree {
	out := maps.Clone(t)
	for name, v := range out {
		if inner, is := v.(tree); is {
			out[name] = inner.clone()
		}
	}
	return out
}

// applied makes changes in fields as any caller of the API would: member by member, along the paths. Of a localized field without
// a text in any locale nothing is left.
func (s *site) applied(base tree, changes []wire.Change) tree {
	out := base.clone()
	for _, c := range changes {
		path, err := diff.ParsePath(c.Path)
		if err != nil || len(path) < 2 || path[0].Name != "fields" {
			s.t.Fatalf("the path %q: %v", c.Path, err)
		}
		at := out
		for _, step := range path[1 : len(path)-1] {
			inner, is := at[step.Name].(tree)
			if !is {
				inner = tree{}
				at[step.Name] = inner
			}
			at = inner
		}
		if last := path[len(path)-1].Name; c.Kind == string(diff.Removed) {
			delete(at, last)
		} else {
			at[last] = s.tree(jsontext.Value(`{"v":` + string(c.After) + `}`))["v"]
		}
	}
	maps.DeleteFunc(out, func(name string, v any) bool {
		f := s.things.Fields.Get(name)
		inner, is := v.(tree)
		return is && len(inner) == 0 && f != nil && f.Localized && len(s.locales) > 0
	})
	return out
}

// holds reports whether a state has what a change leads to.
func (s *site) holds(state tree, c wire.Change) bool {
	return shownBody(s.applied(state, []wire.Change{c})) == shownBody(state)
}

// edited draws another state of a thing: some of its values are kept, and some members of its objects and locales.
func (s *site) edited(base tree) tree {
	out := s.mixed(s.things.Fields, base, s.fresh())
	if slug, has := base[s.slugKey()]; has && s.things.HasSlug() {
		if out[s.slugKey()] = slug; rapid.IntRange(0, 3).Draw(s.t, "new slug") == 0 {
			out[s.slugKey()] = leaf(`"` + s.newSlug() + `"`)
		}
	}
	return out
}

func (s *site) mixed(fields schema.Fields, was, fresh tree) tree {
	out := tree{}
	for _, f := range fields {
		if v := s.mix(f, was[f.Key], fresh[f.Key], f.Localized && len(s.locales) > 0); v != nil {
			out[f.Key] = v
		}
	}
	return out
}

func (s *site) mix(f *schema.Field, was, fresh any, localized bool) any {
	draw := rapid.IntRange(0, 3).Draw(s.t, "keep, mix or change")
	before, wasTree := was.(tree)
	after, isTree := fresh.(tree)
	switch mixes := draw == 1 && wasTree && isTree; {
	case draw == 0:
		return was
	case mixes && localized:
		out := tree{}
		for _, code := range s.locales {
			if v := s.mix(f, before[code], after[code], false); v != nil {
				out[code] = v
			}
		}
		return out
	case mixes && f.Type == schema.TypeObject:
		return s.mixed(f.Fields, before, after)
	}
	return fresh
}

// split deals changes out to two sides, some to both.
func (s *site) split(changes []wire.Change) (mine, theirs []wire.Change) {
	for _, c := range changes {
		whose := rapid.IntRange(0, 4).Draw(s.t, "whose")
		if whose%2 == 0 {
			mine = append(mine, c)
		}
		if whose != 0 && whose != 2 {
			theirs = append(theirs, c)
		}
	}
	return mine, theirs
}

// related reports whether one of the paths leads into the value of the other.
func (s *site) related(p, q string) bool {
	a, errA := diff.ParsePath(p)
	b, errB := diff.ParsePath(q)
	if errA != nil || errB != nil {
		s.t.Fatal(errA, errB)
	}
	return a.HasPrefix(b) || b.HasPrefix(a)
}

func (s *site) touches(conflicts []wire.RebaseConflict, c wire.Change) bool {
	return slices.ContainsFunc(conflicts, func(f wire.RebaseConflict) bool { return s.related(f.Path, c.Path) })
}
