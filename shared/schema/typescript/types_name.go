package typescript

import (
	"strconv"
	"strings"
)

// names are those that are taken.
type names map[string]bool

// namesOf takes the names that a text declares, and those of the language that declarations use.
func namesOf(text string) names {
	n := names{"Collections": true, "Locale": true, "DefaultLocale": true, "Omit": true, "Pick": true, "Exclude": true}
	for _, match := range declared.FindAllStringSubmatch(text, -1) {
		n[match[1]] = true
	}
	return n
}

// take returns the name, with a number where it is taken already.
func (n names) take(name string) string {
	free := name
	for i := 2; n[free]; i++ {
		free = name + strconv.Itoa(i)
	}
	n[free] = true
	return free
}

// collectionNames are the types of one collection.
type collectionNames struct {
	// base is what the names of nested types start with.
	base                                                string
	draft, fields, resolved, includes, resolvedIncludes string
	entry, resolvedEntry                                string
	// slug is the type of the slug of an entry.
	slug string
}

// collection takes the names of a collection's types. They share a base, so that what belongs together is seen to.
func (n names) collection(key string) collectionNames {
	base := pascal(key)
	for i := 2; ; i++ {
		c := collectionNames{
			base: base, draft: base + "Draft", fields: base + "Fields", resolved: base + "Resolved", includes: base + "Includes",
			resolvedIncludes: base + "ResolvedIncludes", entry: base + "Entry", resolvedEntry: base + "ResolvedEntry",
		}
		all := []string{c.draft, c.fields, c.resolved, c.includes, c.resolvedIncludes, c.entry, c.resolvedEntry}
		free := true
		for _, name := range all {
			free = free && !n[name]
		}
		if free {
			for _, name := range all {
				n[name] = true
			}
			return c
		}
		base = pascal(key) + strconv.Itoa(i)
	}
}

// pascal writes a key such as blog_posts or coverImage as BlogPosts or CoverImage.
func pascal(key string) string {
	var b strings.Builder
	for _, word := range strings.Split(key, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
