package read

import "svc/shared/content"

// A tag names what an answer was made from, or what an event changed. An answer is out of date once an event has one of its tags.
// Tags are lower-case ASCII without spaces and commas, so that a CDN takes a list of them in one header, and they stay the same
// when slugs and labels change:
//
//	prj_…        everything that is read of a project
//	prj_…/posts  what is read of one collection: its lists, its entries, and what embeds them
//	ent_…        what is read of one entry
//
// A change to a collection has no tags of its entries, and a change to a project none of its collections: whoever keeps
// answers gives each of them the tags of all three kinds that apply.

// ProjectTag is the tag of a project.
func ProjectTag(p content.ProjectID) string { return string(p) }

// CollectionTag is the tag of a collection, by its key.
func CollectionTag(p content.ProjectID, key string) string { return string(p) + "/" + key }

// EntryTag is the tag of an entry.
func EntryTag(e content.EntryID) string { return string(e) }
