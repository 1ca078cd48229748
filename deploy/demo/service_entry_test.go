package demo

import (
	"maps"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
)

type entryWrite struct {
	Data          map[string]jsontext.Value `json:"data"`
	Slug          string                    `json:"slug"`
	ChangeSetID   string                    `json:"changeSetId"`
	ChangeSummary string                    `json:"changeSummary"`
}

func (s *service) create(collection string, body []byte) (any, *refused) {
	e := &entry{collection: collection, fields: map[string]jsontext.Value{}}
	if collection == "home" {
		for _, other := range s.entries {
			if other.collection == collection {
				return nil, refuse(409, "CONFLICT", "a singleton holds one item")
			}
		}
	}
	id := string(content.NewID[content.EntryID]())
	s.entries[id] = e
	if answer, refused := s.write(id, body, "create"); refused != nil {
		delete(s.entries, id)
		return answer, refused
	}
	s.order = append(s.order, id)
	return object{"data": object{"entry": object{"id": id}}}, nil
}

func (s *service) update(id string, body []byte) (any, *refused) {
	return s.write(id, body, "update")
}

func (s *service) write(id string, body []byte, operation string) (any, *refused) {
	var in entryWrite
	if err := json.Unmarshal(body, &in, json.RejectUnknownMembers(true)); err != nil {
		return nil, refuse(400, "VALIDATION_FAILED", "%v", err)
	}
	if at := strings.Index(string(body), `"`+refPrefix); at >= 0 {
		return nil, refuse(400, "VALIDATION_FAILED", "an unresolved reference at %d", at)
	}
	for _, target := range mentioned(body) {
		if s.entries[target] == nil {
			return nil, refuse(400, "VALIDATION_FAILED", "%s has never been given out", target)
		}
	}
	answer, refused := s.stage(id, in.ChangeSetID, operation)
	if refused != nil {
		return nil, refused
	}
	e := s.entries[id]
	for name, v := range in.Data {
		if v.Kind() == 'n' {
			delete(e.fields, name)
		} else {
			e.fields[name] = v
		}
	}
	if in.Slug != "" {
		e.slug = in.Slug
	}
	return answer, nil
}

var entryID = regexp.MustCompile(`ent_[0-9a-z]{26}`)

func mentioned(data []byte) []string { return entryID.FindAllString(string(data), -1) }

func (s *service) stage(id, set, operation string) (any, *refused) {
	e := s.entries[id]
	if e == nil {
		return nil, refuse(404, "NOT_FOUND", "no entry %q", id)
	}
	if operation == "unpublish" && e.live == nil {
		return nil, refuse(409, "CONFLICT", "%s is not published", id)
	}
	for _, c := range s.sets {
		if c.id == set && c.status == "open" {
			if c.staged[id] != "create" {
				c.staged[id] = operation
			}
			return object{"data": object{"entry": object{"id": id}}}, nil
		}
	}
	return nil, refuse(409, "CONFLICT", "%q is no open change set", set)
}

func (s *service) publish(id string, body []byte) (any, *refused) {
	if string(body) != `{"confirm":true}` {
		return nil, refuse(400, "VALIDATION_FAILED", "confirm must be true")
	}
	for _, c := range s.sets {
		if c.id != id {
			continue
		}
		if c.status != "open" || len(c.staged) == 0 {
			return nil, refuse(409, "CONFLICT", "nothing to publish in a set that is %s", c.status)
		}
		for entry, operation := range c.staged {
			e := s.entries[entry]
			e.live, e.liveSlug = maps.Clone(e.fields), e.slug
			if operation == "unpublish" {
				e.live = nil
			}
		}
		for entry, operation := range c.staged {
			for _, target := range s.dangling(entry) {
				return nil, refuse(422, "PUBLISH_VALIDATION_FAILED", "%s of %s: %s is not published", operation, entry, target)
			}
		}
		c.status = "published"
		s.published++
		return object{"changeSet": object{"id": id}}, nil
	}
	return nil, refuse(404, "NOT_FOUND", "no change set %q", id)
}

// dangling lists what a live entry refers to that is not live.
func (s *service) dangling(id string) []string {
	var missing []string
	for _, v := range s.entries[id].live {
		for _, target := range mentioned(v) {
			if s.entries[target].live == nil {
				missing = append(missing, target)
			}
		}
	}
	return missing
}
