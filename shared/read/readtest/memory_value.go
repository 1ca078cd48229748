package readtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"svc/shared/read"
	"svc/shared/schema"
)

// members are those of an object; nil where raw is none.
func members(raw json.RawMessage) (all map[string]json.RawMessage) {
	if !strings.HasPrefix(string(raw), "{") || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	return all
}

// items are those of an array; ok is false where raw is none.
func items(raw json.RawMessage) (all []json.RawMessage, ok bool) {
	return all, strings.HasPrefix(string(raw), "[") && json.Unmarshal(raw, &all) == nil
}

// unset reports whether there is no value: null says as much as nothing.
func unset(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// byLocale are the values of a localized field, without those that are null. A plain value, from before the field was localized, is
// that of the default locale.
func byLocale(frame *read.Frame, f *schema.Field, raw json.RawMessage) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if !isMap(frame, f, raw) {
		all[frame.DefaultLocale] = raw
	} else {
		all = members(raw)
	}
	for locale, v := range all {
		if unset(v) {
			delete(all, locale)
		}
	}
	return all
}

// isMap tells a map of locales from a value that is an object itself, which names no locale of the project.
func isMap(frame *read.Frame, f *schema.Field, raw json.RawMessage) bool {
	all := members(raw)
	named := func(is func(name string) bool) bool {
		for name := range all {
			if is(name) {
				return true
			}
		}
		return false
	}
	switch {
	case all == nil:
		return false
	case f.Type != schema.TypeObject && f.Type != schema.TypeJSON && f.Type != schema.TypeRichText, len(all) == 0:
		return true
	case named(func(name string) bool { return slices.Contains(frame.Locales, name) }):
		return true
	case f.Type == schema.TypeObject:
		return !named(func(name string) bool { return f.Fields.Get(name) != nil })
	}
	return f.Type == schema.TypeRichText && !named(func(name string) bool { return name == "type" || name == "content" })
}

// isLocalized reports whether a field has a value for each locale. In a project without locales, none has.
func isLocalized(frame *read.Frame, f *schema.Field) bool {
	return f.Localized && len(frame.Locales) > 0
}

// seen is what a reader in a locale sees of a field, or in the default locale for ""; nil where that is nothing.
func seen(frame *read.Frame, f *schema.Field, raw json.RawMessage, locale string) json.RawMessage {
	if unset(raw) {
		return nil
	}
	if !isLocalized(frame, f) {
		return raw
	}
	all := byLocale(frame, f, raw)
	if v, has := all[locale]; has {
		return v
	}
	return all[frame.DefaultLocale]
}

// leaf is a value that holds no fields of its own.
type leaf struct {
	field *schema.Field
	value any
}

// leavesOf are the leaves of an entry, at any depth: as they are seen in a locale, or in all locales for "".
func leavesOf(frame *read.Frame, fields []byte, locale string) (all []leaf) {
	stored := members(fields)
	for _, f := range frame.Schema.Fields {
		raws := []json.RawMessage{seen(frame, f, stored[f.Key], locale)}
		if locale == "" && isLocalized(frame, f) && !unset(stored[f.Key]) {
			raws = nil
			for _, raw := range byLocale(frame, f, stored[f.Key]) {
				raws = append(raws, raw)
			}
		}
		for _, raw := range raws {
			var v any
			if len(raw) > 0 && json.Unmarshal(raw, &v) == nil {
				all = append(all, below(f, v)...)
			}
		}
	}
	return all
}

// below are the leaves of one value of a field.
func below(f *schema.Field, v any) (all []leaf) {
	list, _ := v.([]any)
	switch {
	case f.Type == schema.TypeObject:
		return belowMembers(f.Fields, v)
	case f.Type == schema.TypeList:
		for _, item := range list {
			all = append(all, below(f.Of, item)...)
		}
	case f.Type == schema.TypeBlocks:
		for _, item := range list {
			block, _ := item.(map[string]any)
			if b := f.Block(fmt.Sprint(block["type"])); b != nil {
				all = append(all, belowMembers(b.Fields, block["fields"])...)
			}
		}
	case f.Multiple && list != nil:
		for _, item := range list {
			all = append(all, leaf{f, item})
		}
	default:
		all = append(all, leaf{f, v})
	}
	return all
}

func belowMembers(fields schema.Fields, v any) (all []leaf) {
	members, _ := v.(map[string]any)
	for _, f := range fields {
		all = append(all, below(f, members[f.Key])...)
	}
	return all
}

// stringsOf are the strings in a JSON value, but for members of these names.
func stringsOf(v any, without ...string) (all []string) {
	switch v := v.(type) {
	case string:
		all = append(all, v)
	case []any:
		for _, item := range v {
			all = append(all, stringsOf(item, without...)...)
		}
	case map[string]any:
		for name, member := range v {
			if !slices.Contains(without, name) {
				all = append(all, stringsOf(member, without...)...)
			}
		}
	}
	return all
}
