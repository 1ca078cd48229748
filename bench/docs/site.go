package docs

import (
	"cmp"
	"maps"
	"slices"
)

// DefaultLocale is the locale that every page has.
const DefaultLocale = "en"

// Page is the texts of one page by locale.
type Page map[string]Text

// In is what a reader in a locale sees: the page's text, or that of the default locale.
func (p Page) In(locale string) (Text, bool) {
	if text, ok := p[locale]; ok {
		return text, true
	}
	text, ok := p[DefaultLocale]
	return text, ok
}

// Site is the pages of a site by path.
type Site map[string]Page

// Clone returns a copy that later changes leave alone.
func (s Site) Clone() Site {
	out := make(Site, len(s))
	for path, page := range s {
		out[path] = maps.Clone(page)
	}
	return out
}

func (s Site) put(c Change) {
	if s[c.Path] == nil {
		s[c.Path] = Page{}
	}
	s[c.Path][c.Locale] = c.Text
}

// Apply makes the changes of an edit. A page whose last text goes is gone.
func (s Site) Apply(e Edit) {
	for _, c := range e.Changes {
		if c.Op != Delete {
			s.put(c)
			continue
		}
		delete(s[c.Path], c.Locale)
		if len(s[c.Path]) == 0 {
			delete(s, c.Path)
		}
	}
}

// Locales lists the locales of a history, the default one first.
func (h *History) Locales() []string {
	found := map[string]bool{}
	for _, page := range h.Base {
		for locale := range page {
			found[locale] = true
		}
	}
	for _, e := range h.Edits {
		for _, c := range e.Changes {
			found[c.Locale] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		if (a == DefaultLocale) != (b == DefaultLocale) {
			if a == DefaultLocale {
				return -1
			}
			return 1
		}
		return cmp.Compare(a, b)
	})
}

// At returns the site at each of the given releases, which count from 1 for the base.
func (h *History) At(releases []uint64) map[uint64]Site {
	out := map[uint64]Site{}
	site := h.Base.Clone()
	for n := uint64(1); n <= uint64(len(h.Edits))+1; n++ {
		if n > 1 {
			site.Apply(h.Edits[n-2])
		}
		if slices.Contains(releases, n) {
			out[n] = site.Clone()
		}
	}
	return out
}

// Beginning is the history up to so many edits, on a base of the pages that these change and so many others, the first in order.
func (h *History) Beginning(edits, others int) *History {
	out := &History{Base: Site{}, Edits: h.Edits[:min(edits, len(h.Edits))]}
	changed := map[string]bool{}
	for _, e := range out.Edits {
		for _, c := range e.Changes {
			changed[c.Path] = true
		}
	}
	for _, path := range slices.Sorted(maps.Keys(h.Base)) {
		if !changed[path] {
			others--
		}
		if changed[path] || others >= 0 {
			out.Base[path] = h.Base[path]
		}
	}
	return out
}

// Gone lists the paths that a site does not have but that the history knows, in order.
func (h *History) Gone(site Site) []string {
	known := map[string]bool{}
	for path := range h.Base {
		known[path] = true
	}
	for _, e := range h.Edits {
		for _, c := range e.Changes {
			known[c.Path] = true
		}
	}
	maps.DeleteFunc(known, func(path string, _ bool) bool { return site[path] != nil })
	return slices.Sorted(maps.Keys(known))
}
