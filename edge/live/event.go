package live

import (
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"svc/shared/content"
	"svc/shared/read"
)

// maxEntries is up to how many entries a release names each.
const maxEntries = 200

// Event is one change in the log of a project. It is not changed once it was published.
type Event struct {
	Project content.ProjectID
	Seq     uint64 // in the log of the project
	// Release is the number of the release. For any other change it is the release from which reads without at now answer.
	Release     uint64
	PublishedAt time.Time // of a release; zero for any other change
	// All says that the change may concern everything that is read of the project.
	All bool
	// Collections are those that it touched. Where there are some, All is shown only to those who may read one of them.
	Collections []Collection
}

// Collection is what an event says of a collection.
type Collection struct {
	Key string
	// WasPublic says that everybody could read the collection until this change.
	WasPublic bool
	Entries   []content.EntryID // empty: any of its entries
}

// size is about how many bytes an event takes in memory.
func (e *Event) size() int {
	n := 128
	for _, c := range e.Collections {
		n += 64 + len(c.Key) + 48*len(c.Entries)
	}
	return n
}

// tags are those that a caller sees; false where the event touches only what the caller may not read.
func (e *Event) tags(sees func(collection string) bool) ([]string, bool) {
	tags := []string{}
	if e.All {
		tags = append(tags, read.ProjectTag(e.Project))
	}
	shown := len(e.Collections) == 0
	for _, c := range e.Collections {
		if !c.WasPublic && !sees(c.Key) {
			continue
		}
		shown = true
		tags = append(tags, read.CollectionTag(e.Project, c.Key))
		for _, entry := range c.Entries {
			tags = append(tags, read.EntryTag(entry))
		}
	}
	return tags, shown
}

// eventData is the JSON of an event.
type eventData struct {
	Release     uint64   `json:"release"`
	PublishedAt string   `json:"publishedAt,omitempty"`
	Tags        []string `json:"tags"`
}

// Append writes the event as a caller sees it, and nothing where it shows the caller nothing.
func (e *Event) Append(to []byte, sees func(collection string) bool) []byte {
	tags, shown := e.tags(sees)
	if !shown {
		return to
	}
	if e.PublishedAt.IsZero() {
		return appendEvent(to, "change", e.Seq, eventData{Release: e.Release, Tags: tags})
	}
	return appendEvent(to, "release", e.Seq, eventData{Release: e.Release, PublishedAt: content.FormatTime(e.PublishedAt), Tags: tags})
}

// Notice is what a reader is told about its own place before the events that follow.
type Notice string

const (
	NoNotice Notice = ""
	Start    Notice = "start" // it begins at the present
	Reset    Notice = "reset" // it may have missed events
)

// Append writes a notice: the position of the log, and the release that reads answer from.
func (n Notice) Append(to []byte, seq uint64, r *read.Rights) []byte {
	data := eventData{Release: r.Release, Tags: []string{}}
	if n == Reset {
		data.Tags = append(data.Tags, read.ProjectTag(r.Project))
	}
	return appendEvent(to, string(n), seq, data)
}

// appendEvent writes an event in the form of an event stream (HTML Standard, "Server-sent events").
func appendEvent(to []byte, name string, id uint64, data eventData) []byte {
	body, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("an event does not marshal: %v", err))
	}
	to = append(append(to, "event: "...), name...)
	to = strconv.AppendUint(append(to, "\nid: "...), id, 10)
	to = append(append(to, "\ndata: "...), body...)
	return append(to, "\n\n"...)
}
