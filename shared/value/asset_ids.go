package value

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
)

// AssetIDs returns every asset id that stands anywhere in an entry's field values, as part of a longer string too,
// each once and in order of appearance (interface, "Policy rules"). fields is in compact form.
func AssetIDs(fields jsontext.Value) []content.AssetID {
	const prefix, length = "ast_", len("ast_") + 26
	var ids []content.AssetID
	seen := map[content.AssetID]bool{}
	for b := []byte(fields); ; {
		i := bytes.Index(b, []byte(prefix))
		if i < 0 {
			return ids
		}
		// U+001A is written \u001a; what looks like the first letter of the prefix may be its end.
		control := i >= 5 && string(b[i-5:i]) == `\u001` && !escaped(b, i-5)
		b = b[i:]
		if id := content.AssetID(b[:min(length, len(b))]); !control && !seen[id] && content.IsID[content.AssetID](string(id)) {
			seen[id] = true
			ids = append(ids, id)
		}
		b = b[len(prefix):]
	}
}
