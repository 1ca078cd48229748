package schemadeploy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/core/asset/assettest"
	"svc/core/entry/entrytest"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// What a push makes the place of an asset is held to what a write is held to.
func TestNewPlacesOfAssetsMustNameOnesThatFit(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	notes := func(field string) string {
		return `{"name":"notes","fields":{"text":{"type":"text"},"r":` + field + `}}`
	}
	images := `{"type":"asset","allowed":["image/*"]}`
	image, video, deleted := b.Asset("image/png"), b.Asset("video/mp4"), b.Asset("image/png")
	assettest.Move(t, b.Pool, deleted, content.AssetDeleted)
	const unknown = content.AssetID("ast_01h455vb4pex5vsknk084sn02q")
	for _, form := range []struct{ name, from, to, value, at string }{
		{"text", `{"type":"text"}`, images, `%q`, ""},
		{"a list of text", `{"type":"list","of":{"type":"text"}}`, `{"type":"list","of":` + images + `}`, `[%q]`, "[0]"},
		{"json", `{"type":"json"}`, `{"type":"richText"}`, `{"type":"doc","content":[{"type":"image","attrs":{"asset":%q}}]}`, ".content[0].attrs.asset"},
	} {
		mustDeploy(b, notes(form.from))
		e := b.Create(nil, "notes", `{}`)
		for _, test := range []struct {
			name string
			id   content.AssetID
			want string
		}{
			{"no asset", unknown, "there is no"},
			{"a deleted asset", deleted, "has been deleted"},
			{"an asset of another type", video, "is video/mp4"},
			{"an asset that is allowed", image, ""},
		} {
			if form.name == "json" && test.id == video {
				test.want = "" // richText embeds any
			}
			b.Patch(nil, e.Entry.ID, fmt.Sprintf(`{"r":`+form.value+`}`, test.id))
			out, err := schemadeploy.Diff(t.Context(), b.Pool, b.Actor, b.ID, entrytest.Proposal(notes(form.to)).Collections)
			b.OK(err)
			switch {
			case out.ContentErrorCount == 0 && test.want == "":
			case out.ContentErrorCount != 1 || test.want == "":
				t.Errorf("%s of %s: %+v", form.name, test.name, out.ContentErrors)
			default:
				if e := out.ContentErrors[0]; e.Path != "fields.r"+form.at || e.Code != "asset" || !strings.Contains(e.Message, test.want) {
					t.Errorf("%s of %s: %+v", form.name, test.name, e)
				}
			}
		}
		mustDeploy(b, notes(form.to))
		b.Patch(nil, e.Entry.ID, `{"r":null}`)
	}
}

func withImage(allowed string) string {
	return `{"name":"notes","fields":{"text":{"type":"text"},"r":{"type":"asset","allowed":[` + allowed + `]}}}`
}

// A field that allows less than it did is held against the types of what its heads name, published ones and drafts, and
// says where nothing can be done by leaving the field alone.
func TestAllowedShrinksOverWhatHeadsName(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, withImage(`"*/*"`))
	png, pdf := b.Asset("image/png"), b.Asset("application/pdf")
	e := b.Published("notes", fmt.Sprintf(`{"r":%q}`, pdf))
	b.Published("notes", fmt.Sprintf(`{"r":%q}`, png))
	draft := b.Patch(nil, e.ID, fmt.Sprintf(`{"r":%q}`, png))
	_, err := deploy(b, withImage(`"image/*"`))
	f := b.Refused(err, fault.ValidationFailed)
	if want := string(e.ID) + " fields.r asset; "; entrytest.Codes(f) != want || !strings.Contains(f.Items[0].Message, "must name an asset of the type image/*; "+string(pdf)+" is application/pdf") {
		t.Fatalf("%+v, want %s", f.Items, want)
	}
	b.Publish(draft.ChangeSet)
	mustDeploy(b, withImage(`"image/*"`))
	mustDeploy(b, withImage(`"image/png", "video/*"`))
}

// What has become of assets that were accepted is no matter of schemas: neither a deletion nor other bytes keep out a push
// that does not make their field stricter.
func TestAcceptedAssetsKeepNoPushFromBeingMade(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, withImage(`"image/*"`))
	gone, other := b.Asset("image/png"), b.Asset("image/png")
	b.Published("notes", fmt.Sprintf(`{"r":%q}`, gone))
	b.Published("notes", fmt.Sprintf(`{"r":%q}`, other))
	assettest.Move(t, b.Pool, gone, content.AssetDeleted)
	_, err := b.Pool.Exec(t.Context(), `UPDATE asset SET content_type = 'video/mp4' WHERE id = $1`, other)
	b.OK(err)
	mustDeploy(b, strings.Replace(withImage(`"image/*"`), `"type":"text"`, `"type":"text","maxLength":9`, 1))
	mustDeploy(b, withImage(`"image/*", "application/pdf"`))
	mustDeploy(b, withImage(`"image/png"`))
}

// Whether assets fit is looked at again under the lock: they may have gone, or have become something else, meanwhile.
func TestAssetsAreLookedAtAgain(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, withImage(`"image/*"`))
	id := b.Asset("image/png")
	b.Published("notes", fmt.Sprintf(`{"r":%q}`, id))
	b.Published("notes", `{}`)
	set, err := schema.ParseSet(entrytest.Proposal(withImage(`"image/png"`)).Collections)
	b.OK(err)
	scales := schemadeploy.NewScales(set...)
	var got []int
	weigh := func() {
		out, read, err := scales.Weigh(t.Context(), b.Pool, b.ID)
		b.OK(err)
		got = append(got, read, out.ContentErrorCount)
	}
	weigh()
	_, err = b.Pool.Exec(t.Context(), `UPDATE asset SET content_type = 'image/gif' WHERE id = $1`, id)
	b.OK(err)
	weigh()
	if want := []int{2, 0, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("read and wrong, twice: %v, want %v", got, want)
	}
}
