package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/read"
)

func items(n int, collection string) (all []*recordpb.Item) {
	for i := range n {
		all = append(all, &recordpb.Item{Operation: recordpb.Operation_OPERATION_PUT, Collection: collection, Entry: fmt.Sprintf("ent_%026d", i+1)})
	}
	return all
}

// sent is the event of a change as a caller sees it who may read some collections, with short ids.
func sent(body proto.Message, release uint64, wasPublic []string, may ...string) string {
	e := EventOf(&record.Change{Log: string(shop), Position: record.Position{Seq: 9}, Body: body}, release, wasPublic)
	return short(string(e.Append(nil, func(c string) bool { return strings.Contains(" "+strings.Join(may, " ")+" ", " "+c+" ") })))
}

func short(text string) string {
	return strings.NewReplacer(string(shop), "prj", strings.Repeat("0", 25), "").Replace(text)
}

// TestAnEventNamesWhatChanged, as far as the caller may read it.
func TestAnEventNamesWhatChanged(t *testing.T) {
	t.Parallel()
	release := &recordpb.Release{Number: 7, PublishedMs: time.Date(2026, 3, 1, 12, 0, 0, 5e6, time.UTC).UnixMilli(),
		Items: append(items(2, "posts"), &recordpb.Item{Operation: recordpb.Operation_OPERATION_DELETE, Collection: "memos", Entry: "ent_" + strings.Repeat("0", 25) + "8"})}
	schema := &recordpb.Schema{Collections: []*recordpb.CollectionVersion{{Name: "posts"}, {Name: "memos"}}, Removed: []string{"news"}}
	const head = "event: release\nid: 9\ndata: {\"release\":7,\"publishedAt\":\"2026-03-01T12:00:00.005Z\",\"tags\":"
	const change = "event: change\nid: 9\ndata: {\"release\":5,\"tags\":"
	for name, c := range map[string]struct {
		body      proto.Message
		wasPublic []string
		may       string
		want      string
	}{
		"a release":                              {release, nil, "posts memos", head + `["prj/posts","ent_1","ent_2","prj/memos","ent_8"]}` + "\n\n"},
		"a release, to a stranger":               {release, nil, "posts", head + `["prj/posts","ent_1","ent_2"]}` + "\n\n"},
		"a release, to who reads nothing of it":  {release, nil, "news", ""},
		"a release of nothing":                   {&recordpb.Release{Number: 7, PublishedMs: release.PublishedMs}, nil, "", head + "[]}\n\n"},
		"the order of a collection":              {&recordpb.Rank{Collection: "posts", Entries: []*recordpb.RankedEntry{{Entry: "ent_1"}}}, nil, "posts", change + `["prj/posts"]}` + "\n\n"},
		"the order of a private collection":      {&recordpb.Rank{Collection: "memos"}, nil, "posts", ""},
		"settings":                               {&recordpb.Project{Id: string(shop)}, nil, "", change + `["prj"]}` + "\n\n"},
		"schemas":                                {schema, nil, "posts memos news", change + `["prj","prj/posts","prj/memos","prj/news"]}` + "\n\n"},
		"schemas, to a stranger":                 {schema, nil, "posts", change + `["prj","prj/posts"]}` + "\n\n"},
		"schemas of private collections":         {schema, nil, "", ""},
		"a collection that was public until now": {schema, []string{"news"}, "", change + `["prj","prj/news"]}` + "\n\n"},
	} {
		if got := sent(c.body, 5, c.wasPublic, c.may); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestALargeReleaseNamesTheProject instead of its entries.
func TestALargeReleaseNamesTheProject(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{maxEntries: maxEntries + 1, maxEntries + 1: 2} {
		got := sent(&recordpb.Release{Number: 1, PublishedMs: 1, Items: items(n, "posts")}, 1, nil, "posts")
		if tags := strings.Count(got, `"prj`) + strings.Count(got, `"ent_`); tags != want {
			t.Errorf("a release of %d entries has %d tags, want %d", n, tags, want)
		}
	}
}

// TestANoticeTellsThePosition: and a reset that anything may have changed.
func TestANoticeTellsThePosition(t *testing.T) {
	t.Parallel()
	rights := &read.Rights{Project: shop, Release: 4}
	for n, want := range map[Notice]string{
		Start: "event: start\nid: 12\ndata: {\"release\":4,\"tags\":[]}\n\n",
		Reset: "event: reset\nid: 12\ndata: {\"release\":4,\"tags\":[\"prj\"]}\n\n",
	} {
		if got := short(string(n.Append(nil, 12, rights))); got != want {
			t.Errorf("%s: %q", n, got)
		}
	}
}

// TestTagsSuitCDNs: they are taken in one header, separated by commas or spaces.
func TestTagsSuitCDNs(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{read.ProjectTag(shop), read.CollectionTag(shop, "a_1"), read.EntryTag(content.EntryID("ent_1"))} {
		if tag == "" || strings.ContainsAny(tag, " ,\"\\\r\n") || strings.ToLower(tag) != tag {
			t.Errorf("%q", tag)
		}
	}
}
