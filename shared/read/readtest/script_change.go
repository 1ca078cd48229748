package readtest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/read"
)

// state is what a script has done so far. The project that was named last is the one that changes go to.
type state struct {
	projects map[string]*projectState
	current  *projectState
	keys     uint64
}

type projectState struct {
	settings                Settings
	release, push, revision uint64
	versions                map[string]uint32
	items                   []Item
	open                    bool // a release is being put together
}

func newState() *state { return &state{projects: map[string]*projectState{}} }

func (s *state) change(ctx context.Context, site Site, lines []string) error {
	for _, line := range lines {
		verb, rest, _ := strings.Cut(line, " ")
		if s.current != nil && s.current.open && verb != "put" && verb != "unpublish" && verb != "delete" {
			if err := s.publish(ctx, site); err != nil {
				return err
			}
		}
		if err := s.one(ctx, site, verb, rest); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	if s.current != nil && s.current.open {
		return s.publish(ctx, site)
	}
	return nil
}

func (s *state) one(ctx context.Context, site Site, verb, rest string) error {
	p := s.current
	switch verb {
	case "project":
		return s.project(ctx, site, rest)
	case "key":
		return s.key(ctx, site, rest)
	case "schema":
		words := strings.SplitN(rest, " ", 4)
		version, err := strconv.ParseUint(words[1], 10, 32)
		if err != nil {
			return err
		}
		p.versions[words[0]] = uint32(version)
		return p.pushed(ctx, site, Schema{Collections: []Version{{
			Name: words[0], Version: uint32(version), Label: words[2], Canonical: []byte(words[3])}}})
	case "remove":
		return p.pushed(ctx, site, Schema{Removed: []string{rest}})
	case "release":
		p.open, p.items = true, nil
		return nil
	case "skip":
		n, err := strconv.ParseUint(rest, 10, 32)
		p.release += n
		return err
	case "put", "unpublish", "delete":
		return p.item(verb, rest)
	case "rank":
		return p.rank(ctx, site, rest)
	}
	return fmt.Errorf("no such change")
}

// scriptEpoch is when release 0 of a script would have been; release n is n days later.
var scriptEpoch = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)

func (s *state) publish(ctx context.Context, site Site) error {
	p := s.current
	p.open = false
	p.release++
	at := scriptEpoch.AddDate(0, 0, int(p.release))
	if err := site.Publish(ctx, p.settings.ID, Release{content.Release{Number: p.release, PublishedAt: at}, p.items}); err != nil {
		return err
	}
	return site.Settle(ctx, at.AddDate(0, 0, 100))
}

func (s *state) project(ctx context.Context, site Site, rest string) error {
	name, options, _ := strings.Cut(rest, " ")
	p := s.projects[name]
	if p == nil {
		p = &projectState{versions: map[string]uint32{}}
		n := uint64(len(s.projects) + 1)
		p.settings.Project = read.Project{
			ID: Project(n), Organization: Organization(1), Slug: name, PublicAPIEnabled: true, CursorKey: []byte("a cursor key of 32 bytes for all"),
		}
		s.projects[name] = p
	}
	s.current = p
	var o struct {
		Public  *bool    `json:"publicApiEnabled"`
		Origins []string `json:"allowedOrigins"`
		Locales []string `json:"locales"`
		Default *string  `json:"defaultLocale"`
		Pinned  *uint64  `json:"pinned"`
	}
	if options != "" {
		if err := json.Unmarshal([]byte(options), &o, json.RejectUnknownMembers(true)); err != nil {
			return err
		}
	}
	if o.Public != nil {
		p.settings.PublicAPIEnabled = *o.Public
	}
	if o.Origins != nil {
		p.settings.AllowedOrigins = o.Origins
	}
	if o.Locales != nil {
		p.settings.Locales = o.Locales
	}
	if o.Default != nil {
		p.settings.DefaultLocale = *o.Default
	}
	if o.Pinned != nil {
		p.settings.Pinned = *o.Pinned
	}
	p.settings.From = p.release + 1
	return site.PutSettings(ctx, p.settings)
}

func (p *projectState) pushed(ctx context.Context, site Site, s Schema) error {
	p.push++
	s.Number, s.From = p.push, p.release+1
	return site.PutSchema(ctx, p.settings.ID, s)
}

func (p *projectState) item(verb, rest string) error {
	words := strings.SplitN(rest, " ", 4)
	entry, err := strconv.ParseUint(words[1], 10, 32)
	if err != nil {
		return err
	}
	it := Item{Entry: Entry(entry), Collection: words[0], Deleted: verb == "delete"}
	if verb == "put" {
		p.revision++
		it.Revision, it.SchemaVersion, it.Fields = Revision(p.revision), p.versions[words[0]], words[3]
		if words[2] != "-" {
			it.Slug = words[2]
		}
	}
	p.items = append(p.items, it)
	return nil
}

func (p *projectState) rank(ctx context.Context, site Site, rest string) error {
	words := strings.Fields(rest)
	r := Ranks{Collection: words[0], Entries: map[content.EntryID]string{}}
	for _, w := range words[1:] {
		entry, rank, _ := strings.Cut(w, "=")
		n, err := strconv.ParseUint(entry, 10, 32)
		if err != nil {
			return err
		}
		r.Entries[Entry(n)] = rank
	}
	return site.Arrange(ctx, p.settings.ID, r)
}

// secret is the secret of the key with this name. It is no secret: it follows from the name.
func secret(name string) credential.Secret {
	word := strings.ReplaceAll(name, "-", "")
	fill := func(n int) string { return strings.Repeat(word+"0", n)[:n] }
	s, err := credential.Parse("svc_sk_" + fill(16) + "_" + fill(40))
	if err != nil {
		panic("readtest: the name of a key is letters and hyphens: " + name)
	}
	return s
}

func (s *state) key(ctx context.Context, site Site, rest string) error {
	words := strings.Fields(rest)
	s.keys++
	sec := secret(words[0])
	g := credential.Grant{Key: id[content.KeyID](s.keys), PublicID: sec.PublicID, Hash: sec.Hash(), Organization: Organization(1)}
	for _, scope := range strings.Split(words[1], ",") {
		g.Scopes = append(g.Scopes, credential.Scope(scope))
	}
	for _, w := range words[2:] {
		option, value, _ := strings.Cut(w, "=")
		switch option {
		case "org":
			n, err := strconv.ParseUint(value, 10, 32)
			if err != nil {
				return err
			}
			g.Organization = Organization(n)
		case "project":
			g.Project = s.projects[value].settings.ID
		case "collections":
			g.Collections = strings.Split(value, ",")
		case "expired":
			g.ExpiresAt = scriptEpoch
		case "revoked":
			g.Revoked = true
		default:
			return fmt.Errorf("no such option: %s", w)
		}
	}
	return site.PutKey(ctx, g)
}
