package schema

import (
	"slices"
	"strings"
)

// Accepts reports whether an asset of this content type may stand in the field; parameters of the type are
// ignored.
func (f *Field) Accepts(contentType string) bool {
	if f.Allowed == nil {
		return true
	}
	contentType, _, _ = strings.Cut(contentType, ";")
	contentType = strings.ToLower(strings.TrimSpace(contentType))
	family, _, typed := strings.Cut(contentType, "/")
	for _, allowed := range f.Allowed {
		if typed && (allowed == contentType || allowed == family+"/*") {
			return true
		}
	}
	return false
}

// families reads the MIME families of an asset field. "*/*" among them allows everything.
func (p *parser) families(o *options) []string {
	o.texts("allowed", false)
	n := o.node("allowed")
	if n == nil {
		return nil
	}
	var families []string
	for _, item := range n.items() {
		text, ok := item.text()
		family := strings.ToLower(text)
		if ok && family != "" && !isFamily(family) {
			p.fault(item.path(), CodePattern, "%s is not a MIME family such as image/*, image/png or */*", Quote(text))
		}
		families = append(families, family)
	}
	return canonicalFamilies(families)
}

func isFamily(s string) bool {
	kind, subtype, found := strings.Cut(s, "/")
	if !found || kind == "*" && subtype != "*" {
		return false
	}
	return isMIMEToken(kind) && isMIMEToken(subtype)
}

// isMIMEToken reports whether s is "*" or a restricted name of RFC 6838.
func isMIMEToken(s string) bool {
	if s == "*" {
		return true
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || i > 0 && strings.IndexByte("!#$&-^_.+", c) >= 0) {
			return false
		}
	}
	return s != "" && len(s) <= 127
}

// canonicalFamilies sorts MIME families and leaves out what another one covers; a set that allows everything is the
// default.
func canonicalFamilies(families []string) []string {
	if len(families) == 0 || slices.Contains(families, "*/*") {
		return nil
	}
	slices.Sort(families) // "image/*" comes before what it covers
	kept, whole := families[:0], map[string]bool{}
	for _, family := range slices.Compact(families) {
		kind, subtype, _ := strings.Cut(family, "/")
		whole[kind] = whole[kind] || subtype == "*"
		if subtype == "*" || !whole[kind] {
			kept = append(kept, family)
		}
	}
	return kept
}
