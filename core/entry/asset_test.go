package entry_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/access"
	"svc/core/asset/assettest"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
)

// places are everywhere that content names assets.
const places = `{"name": "pages", "fields": {
	"note": {"type": "text"},
	"cover": {"type": "asset", "allowed": ["image/*", "application/pdf"]},
	"any": {"type": "asset"},
	"files": {"type": "asset", "multiple": true, "allowed": ["image/*"]},
	"signs": {"type": "asset", "allowed": ["image/svg+xml"], "localized": true},
	"list": {"type": "list", "of": {"type": "asset", "allowed": ["image/*"]}},
	"seo": {"type": "object", "fields": {"image": {"type": "asset", "allowed": ["image/*"]}}},
	"rows": {"type": "list", "of": {"type": "object", "fields": {"image": {"type": "asset", "allowed": ["image/*"]}}}},
	"sections": {"type": "blocks", "allowed": [{"key": "figure", "fields": {"image": {"type": "asset", "allowed": ["image/*"]}}}]},
	"prose": {"type": "richText", "localized": true},
	"body": {"type": "markdown"}}}`

// pagesBed has the collection with all places, in a project with two locales.
func pagesBed(t *testing.T) *bed {
	t.Helper()
	b := newBed(t)
	locales := []string{"en", "de"}
	_, err := schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{Locales: &locales, DefaultLocale: &locales[0]})
	b.OK(err)
	b.Push(entrytest.Posts, entrytest.Authors, places)
	return b
}

const unknown = content.AssetID("ast_01h455vb4pex5vsknk084sn02q")

// foreign is an asset of another project.
func (b *bed) foreign() content.AssetID {
	b.Helper()
	here, err := project.Get(b.Context(), b.Pool, string(b.ID))
	b.OK(err)
	other, err := project.Create(b.Context(), b.Pool, access.System(), here.Organization, project.NewProject{Slug: "other"})
	b.OK(err)
	return assettest.Insert(b, b.Pool, other.ID, "image/png")
}

func (b *bed) deleted(contentType string) content.AssetID {
	b.Helper()
	id := b.Asset(contentType)
	assettest.Move(b, b.Pool, id, content.AssetDeleted)
	return id
}

// rowsOf is an import of one row.
func rowsOf(data string) iter.Seq2[entry.ImportRow, error] {
	return func(yield func(entry.ImportRow, error) bool) { yield(entry.ImportRow{Data: jsontext.Value(data)}, nil) }
}

// An asset field takes an asset of the project that has not been deleted and is of an allowed type; creating, editing and
// importing say the same.
func TestAnAssetFieldTakesWhatItAllows(t *testing.T) {
	t.Parallel()
	b := pagesBed(t)
	png, svg, pdf, video := b.Asset("image/png"), b.Asset("image/svg+xml"), b.Asset("application/pdf"), b.Asset("video/mp4; codecs=avc1")
	deleted, foreign := b.deleted("image/png"), b.foreign()
	page := b.Create(nil, "pages", `{}`).Entry.ID
	const wrong = "must name an asset of the type application/pdf, image/*; %s is %s"
	for _, test := range []struct {
		name, data string
		want       []string // path, then message
	}{
		{"an image among images", fmt.Sprintf(`{"cover": %q, "any": %q}`, png, video), nil},
		{"a type named in full", fmt.Sprintf(`{"cover": %q, "signs": {"de": %q}}`, pdf, svg), nil},
		{"nothing", `{"cover": null, "files": []}`, nil},
		{"another type", fmt.Sprintf(`{"cover": %q}`, video), []string{"fields.cover", fmt.Sprintf(wrong, video, "video/mp4; codecs=avc1")}},
		{"none of the project", fmt.Sprintf(`{"any": %q}`, unknown), []string{"fields.any", "must name an asset of the project; there is no " + string(unknown)}},
		{"one of another project", fmt.Sprintf(`{"any": %q}`, foreign), []string{"fields.any", "must name an asset of the project; there is no " + string(foreign)}},
		{"a deleted one", fmt.Sprintf(`{"any": %q}`, deleted), []string{"fields.any", "must name an asset of the project; " + string(deleted) + " has been deleted"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			here := *b.Bed
			here.TB = t
			b := &bed{&here}
			patched := func() error {
				_, err := entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(page), entrytest.Write(nil, test.data))
				return err
			}
			created := func() error {
				_, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "pages", entrytest.Write(nil, test.data))
				return err
			}
			imported := func() error {
				_, err := entry.Import(t.Context(), b.Pool, b.Actor, b.ID, "pages", entry.ImportOptions{}, rowsOf(test.data))
				return err
			}
			for how, do := range map[string]func() error{"": created, " ": patched, "entries[0].": imported} {
				err := do()
				if test.want == nil {
					b.OK(err)
					continue
				}
				f := b.Refused(err, fault.ValidationFailed)
				if len(f.Items) != 1 || f.Items[0].Path != strings.TrimSpace(how)+test.want[0] || f.Items[0].Message != test.want[1] || f.Items[0].Code != "asset" {
					t.Errorf("%+v, want %q", f.Items, test.want)
				}
			}
		})
	}
}

// Assets are found wherever they stand, but for the text of markdown; the field around them says what it allows.
func TestAssetsAreCheckedAtAnyDepth(t *testing.T) {
	t.Parallel()
	b := pagesBed(t)
	png, pdf := b.Asset("image/png"), b.Asset("application/pdf")
	page := strings.NewReplacer("PNG", string(png), "PDF", string(pdf), "UNKNOWN", string(unknown)).Replace(`{
		"files": ["PNG", "PDF"], "signs": {"en": "UNKNOWN", "de": "PNG"}, "list": ["PDF", "PNG"], "seo": {"image": "PDF"},
		"rows": [{"image": "PNG"}, {"image": "PDF"}], "body": "![x](/assets/site/UNKNOWN/x.png)",
		"sections": [{"type": "figure", "fields": {"image": "PNG"}}, {"type": "figure", "fields": {"image": "UNKNOWN"}}],
		"prose": {"de": {"type": "doc", "content": [{"type": "image", "attrs": {"asset": "UNKNOWN"}}, {"type": "image", "attrs": {"asset": "PDF"}}]}}}`)
	_, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "pages", entrytest.Write(nil, page))
	const want = " fields.files[1] asset;  fields.signs.de asset;  fields.signs.en asset;  fields.list[0] asset;  fields.seo.image asset; " +
		" fields.rows[1].image asset;  fields.sections[1].fields.image asset;  fields.prose.de.content[0].attrs.asset asset; "
	if got := entrytest.Codes(b.Refused(err, fault.ValidationFailed)); got != want {
		t.Fatalf("found %q, want %q", got, want)
	}
}

// What an edit leaves as it is was accepted before. But where it builds on what no draft held any more, assets may have
// been deleted meanwhile.
func TestAnEditAnswersForWhatItWrites(t *testing.T) {
	t.Parallel()
	b := pagesBed(t)
	png := b.Asset("image/png")
	w := b.Create(nil, "pages", fmt.Sprintf(`{"cover": %q}`, png))
	_, err := b.Pool.Exec(t.Context(), `UPDATE asset SET content_type = 'video/mp4' WHERE id = $1`, png)
	b.OK(err)
	b.Patch(nil, w.Entry.ID, `{"note": "x"}`)
	assettest.Move(t, b.Pool, png, content.AssetDeleted)
	_, err = entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(w.Entry.ID), entrytest.Write(nil, `{"note": "y"}`))
	f := b.Refused(err, fault.ValidationFailed)
	if entrytest.Codes(f) != " fields.cover asset; " || !strings.Contains(f.Items[0].Message, "has been deleted") {
		t.Fatalf("%+v", f.Items)
	}
	b.Patch(nil, w.Entry.ID, `{"note": "y", "cover": null}`)
}
