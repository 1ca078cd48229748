package read

import "svc/shared/content"

// A tag names what an answer was made from, or what an event changed. An answer is out of date once an event has one of its tags.
// Tags are lower-case ASCII without spaces and commas, so that a CDN takes a list of them in one header, and they stay the same
// when slugs and labels change:
//
//	prj_…        everything that is read of a project
//	prj_…/posts  lists of one collection, and what embeds or lists entries of it
//	ent_…        one entry

// ProjectTag is the tag of a project.
func ProjectTag(p content.ProjectID) string { return string(p) }

// CollectionTag is the tag of a collection, by its key.
func CollectionTag(p content.ProjectID, key string) string { return string(p) + "/" + key }

// EntryTag is the tag of an entry.
func EntryTag(e content.EntryID) string { return string(e) }

// tags are those of the answer, for the header Cache-Tag.
func (x *exchange) tags() string {
	all := ProjectTag(x.project.ID)
	switch {
	case x.shown != "":
		all += "," + EntryTag(x.shown)
	case x.collection != nil:
		all += "," + CollectionTag(x.project.ID, x.collection.Schema.Name)
	}
	for _, key := range x.dependsOn {
		if key == x.collection.Schema.Name && x.shown == "" {
			continue
		}
		all += "," + CollectionTag(x.project.ID, key)
	}
	return all
}
