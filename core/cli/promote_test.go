package cli

import (
	"strings"
	"testing"

	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/schema"
)

func TestPromote(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	notes := `{"name":"notes","fields":{"text":{"type":"text","localized":true}}}`
	d.deployed = []*schema.Collection{parsed(notes), parsed(`{"name":"old","fields":{}}`)}
	d.elsewhere = map[string][]*schema.Collection{
		"staging": {parsed(strings.Replace(notes, `"localized"`, `"required":true,"localized"`, 1)), parsed(`{"name":"old","fields":{}}`), parsed(`{"name":"tags","fields":{}}`)},
		"lean":    {parsed(notes)},
	}
	d.script("promote")
	if body := d.bodies["POST /v1/projects/demo/schema/promote"]; body != `{"fromProject":"lean","confirm":true,"allowDestructive":true}` {
		t.Error(body)
	}
}

func TestTranslations(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.script("untranslated")
	d.deployed = []*schema.Collection{
		parsed(`{"name":"notes","fields":{"text":{"type":"text","localized":true}}}`), parsed(`{"name":"plain","fields":{"text":{"type":"text"}}}`),
		parsed(`{"name":"pages","fields":{"title":{"type":"text","localized":true}}}`),
	}
	slug := "spring"
	d.covered = []wire.Coverage{
		{Collection: "notes", Entries: 2, Fields: []string{"text"}, Locales: []wire.LocaleCoverage{
			{Locale: "en", Complete: 2, Percent: 100, Missing: []wire.MissingField{}, Worklist: []wire.MissingEntry{}},
			{Locale: "de", Complete: 0, Percent: 0, Missing: []wire.MissingField{{Field: "text", Entries: 2}}, Worklist: []wire.MissingEntry{
				{Entry: id[content.EntryID](1), Slug: &slug, Fields: []string{"text"}}, {Entry: id[content.EntryID](2), Slug: nil, Fields: []string{"text"}},
			}},
		}},
		{Collection: "pages", Entries: 40, Fields: []string{"title", "body", "lead", "note"}, Locales: []wire.LocaleCoverage{
			{Locale: "de", Complete: 10, Percent: 62.5, Missing: []wire.MissingField{{Field: "body", Entries: 30}, {Field: "lead", Entries: 20}, {Field: "note", Entries: 10}, {Field: "title", Entries: 1}}, Worklist: []wire.MissingEntry{
				{Entry: id[content.EntryID](3), Slug: &slug, Fields: []string{"body", "lead", "note"}},
			}},
		}},
	}
	d.script("translations")
}
