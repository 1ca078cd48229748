package validate

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
	"svc/shared/value"
)

func (k *checker) blocks(f *schema.Field, raw jsontext.Value, path string) {
	if !k.is(raw, '[', "an array of blocks", path) {
		return
	}
	declared := 0
	items := k.elements(raw)
	for i, item := range items {
		if !k.is(item, '{', "a block: an object with type and fields", position(path, i)) || k.block(f, item, position(path, i)) {
			declared++
		}
	}
	k.count(f, declared, path)
}

// block checks one block; it is false where the block is passed over, since its type is not declared any more.
func (k *checker) block(f *schema.Field, raw jsontext.Value, path string) bool {
	for _, m := range k.members(raw) {
		if m.Name != "type" && m.Name != "fields" && !k.stored {
			k.add(path+"."+schema.Show(m.Name), schema.CodeUnknownField, "a block has type and fields only")
		}
	}
	key, fields, err := value.Block(raw)
	if err != nil {
		k.err = err
		return true
	}
	b := f.Block(key)
	switch {
	case b == nil && k.undeclared:
		k.add(path+".type", schema.CodeUnknownBlock, "the schema has no block %s any more, %s", schema.Quote(key), lost)
		return false
	case b == nil && k.stored:
		return false
	case key == "":
		k.add(path+".type", schema.CodeRequired, "is required: the key of an allowed block, as a string")
	case b == nil:
		k.add(path+".type", schema.CodeUnknownBlock, "%s is not an allowed block; allowed are %s", schema.Quote(key), blockKeys(f))
	case fields == nil || fields.Kind() == 'n':
		k.object(b.Fields, jsontext.Value("{}"), path+".fields")
	case k.is(fields, '{', "an object", path+".fields"):
		k.object(b.Fields, fields, path+".fields")
	}
	return true
}

// blockKeys lists the allowed blocks for a message, the first ones where there are many.
func blockKeys(f *schema.Field) string {
	const most = 20
	keys := make([]string, 0, most)
	for _, b := range f.Blocks[:min(most, len(f.Blocks))] {
		keys = append(keys, b.Key)
	}
	if more := len(f.Blocks) - most; more > 0 {
		keys = append(keys, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(keys, ", ")
}
