package value

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/schema"
)

// Alt is an asset that a value names, with the alt text beside it.
type Alt struct {
	// Path names the place: the value, or the attribute of a richText node.
	Path  string
	Asset content.AssetID
	// Text is the alt text that this usage carries: the attribute alt of a richText node, or that of an image in
	// markdown. It is empty where there is none, or where such a place cannot carry any.
	Text string
}

// Alts returns every asset id that stands anywhere in the leaf, each usage as an image on its own. An id that stands in
// the value otherwise too, such as in a link around its image, is not listed again for that. r is the leaf's reading.
func (l Leaf) Alts(r Reading) ([]Alt, error) {
	var alts []Alt
	for _, image := range r.pictures {
		for _, id := range AssetIDs(jsontext.Value(image.src)) {
			alts = append(alts, Alt{Path: l.Path, Asset: id, Text: image.alt})
		}
	}
	if l.Field.Type == schema.TypeRichText {
		if err := treeAlts(l.Raw, l.Path, &alts); err != nil {
			return nil, err
		}
	}
	seen := map[content.AssetID]bool{}
	for _, a := range alts {
		seen[a.Asset] = true
	}
	for _, id := range AssetIDs(l.Raw) {
		if !seen[id] {
			alts = append(alts, Alt{Path: l.Path, Asset: id})
		}
	}
	return alts, nil
}

// treeAlts takes the embedded assets of a richText tree: nodes whose attribute asset is an id.
func treeAlts(raw jsontext.Value, path string, alts *[]Alt) error {
	switch raw.Kind() {
	case '[':
		c, err := openArray(raw)
		for n := 0; err == nil && c.next(); n++ {
			err = treeAlts(c.value, index(path, n), alts)
		}
		return firstError(err, c.err)
	case '{':
		if err := embedded(raw, path, alts); err != nil {
			return err
		}
		c, err := openObject(raw)
		for err == nil && c.next() {
			err = treeAlts(c.value, join(path, schema.Show(string(c.name))), alts)
		}
		return firstError(err, c.err)
	}
	return nil
}

// embedded takes the asset of one node.
func embedded(node jsontext.Value, path string, alts *[]Alt) error {
	attributes, err := memberOf(node, "attrs")
	if err != nil {
		return err
	}
	asset, err := memberOf(attributes, "asset")
	if err != nil {
		return err
	}
	text, err := memberOf(attributes, "alt")
	if err != nil {
		return err
	}
	id, _ := schema.Unquote(asset)
	if !content.IsID[content.AssetID](string(id)) {
		return nil
	}
	alt, _ := schema.Unquote(text)
	*alts = append(*alts, Alt{Path: join(path, "attrs.asset"), Asset: content.AssetID(id), Text: string(alt)})
	return nil
}
