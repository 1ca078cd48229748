package cli

import (
	"strings"
	"testing"

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
	d.covered = []coverage{
		{Collection: "notes", Entries: 2, Fields: []string{"text"}, Locales: []localeCoverage{
			{Locale: "en", Complete: 2, Percent: 100, Missing: []missingField{}, Worklist: []missingEntry{}},
			{Locale: "de", Complete: 0, Percent: 0, Missing: []missingField{{"text", 2}}, Worklist: []missingEntry{
				{id[content.EntryID](1), &slug, []string{"text"}}, {id[content.EntryID](2), nil, []string{"text"}},
			}},
		}},
		{Collection: "pages", Entries: 40, Fields: []string{"title", "body", "lead", "note"}, Locales: []localeCoverage{
			{Locale: "de", Complete: 10, Percent: 62.5, Missing: []missingField{{"body", 30}, {"lead", 20}, {"note", 10}, {"title", 1}}, Worklist: []missingEntry{
				{id[content.EntryID](3), &slug, []string{"body", "lead", "note"}},
			}},
		}},
	}
	d.script("translations")
}
