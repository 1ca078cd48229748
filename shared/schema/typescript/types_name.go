package typescript

import (
	"slices"
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

// collectionTypes are how the types of one collection are called: all names start with base.
type collectionTypes struct {
	base string
	slug string // the type of the slug of an entry
}

// suffixes follow base in the names of a collection's types.
var suffixes = []string{"Draft", "Fields", "Resolved", "Includes", "ResolvedIncludes", "Entry", "ResolvedEntry"}

// base takes the names of a collection's types. They share a base, so that what belongs together is seen to.
func (n names) base(key string) string {
	for i := 1; ; i++ {
		base := pascal(key)
		if i > 1 {
			base += strconv.Itoa(i)
		}
		if slices.ContainsFunc(suffixes, func(suffix string) bool { return n[base+suffix] }) {
			continue
		}
		for _, suffix := range suffixes {
			n[base+suffix] = true
		}
		return base
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
