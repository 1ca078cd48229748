package api_test

import (
	"strings"
	"testing"

	"svc/shared/fault"
)

// TestAPinHoldsReadsAtAReleaseUntilItIsTakenAway: publishing goes on meanwhile, and explicit pins work.
func TestAPinHoldsReadsAtAReleaseUntilItIsTakenAway(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const pin, list = "/v1/projects/site/pin", "/v1/projects/site/collections/posts/entries"
	publish := func(title string) {
		t.Helper()
		set := b.call(b.owner, "POST", "/v1/projects/site/change-sets", `{"title":"`+title+`"}`).is(201).at("data.id")
		b.call(b.owner, "POST", list, `{"data":{"title":"`+title+`"},"changeSetId":"`+set+`"}`).is(201)
		b.call(b.owner, "POST", "/v1/projects/site/change-sets/"+set+"/publish", `{"confirm":true}`).is(200)
	}
	read := func(path, release string, titles ...string) {
		t.Helper()
		a := b.call("", "GET", path, "").is(200)
		if got := a.header.Get("Svc-Release"); got != release || strings.Count(string(a.body), `"title"`) != len(titles) {
			t.Errorf("%s answers release %s: %s", path, got, a.body)
		}
		for _, title := range titles {
			if !strings.Contains(string(a.body), title) {
				t.Errorf("%s lacks %s: %s", path, title, a.body)
			}
		}
	}
	if a := b.call(b.owner, "GET", pin, "").is(200); a.at("data") != "null" {
		t.Errorf("unpinned: %s", a.body)
	}
	b.call(b.owner, "PUT", pin, `{"release":1,"reason":"too early"}`).refused(fault.ValidationFailed, "release")
	publish("one")
	publish("two")
	for _, bad := range []struct{ body, path string }{
		{`{"release":3,"reason":"bad"}`, "release"}, {`{"release":0,"reason":"bad"}`, "release"}, {`{"reason":"bad"}`, "release"},
		{`{"release":-1}`, "release"}, {`{"release":1.5}`, "release"}, {`{"release":"1"}`, "release"}, {`{"release":18446744073709551615}`, "release"},
		{`{"release":1,"reason":5}`, "reason"},
		{`{"release":1,"reason":"` + strings.Repeat("x", 501) + `"}`, "reason"}, {`{"release":1,"reason":"bad","until":1}`, "until"},
	} {
		b.call(b.owner, "PUT", pin, bad.body).refused(fault.ValidationFailed, bad.path)
	}
	a := b.call(b.owner, "PUT", pin, `{"release":1,"reason":"two is broken"}`).is(200)
	if a.at("data.release") != "1" || a.at("data.reason") != "two is broken" || a.at("data.pinnedBy") == "" || a.at("data.pinnedAt") == "" {
		t.Errorf("pinned: %s", a.body)
	}
	if shown := b.call(b.owner, "GET", "/v1/projects/site", "").at("data.pin"); shown != a.at("data") || b.call(b.owner, "GET", pin, "").at("data") != shown {
		t.Errorf("the project shows %s", shown)
	}
	publish("three")
	read(list, "1", "one")
	read(list+"?at=3", "3", "one", "two", "three")
	b.call(b.owner, "PATCH", "/v1/projects/site", `{"name":"Another"}`).is(200)
	read(list, "1", "one")
	records := b.count("change")
	if again := b.call(b.owner, "PUT", pin, `{"release":1,"reason":" two is broken"}`).is(200); again.at("data") != a.at("data") {
		t.Errorf("pinned twice: %s, then %s", a.body, again.body)
	}
	if b.count("change") != records {
		t.Error("the pin that is there already was recorded")
	}
	if a := b.call(b.owner, "PUT", pin, `{"release":2}`).is(200); a.at("data.reason") != "null" {
		t.Errorf("pinned without a reason: %s", a.body)
	}
	read(list, "2", "one", "two")
	for range 2 {
		b.call(b.owner, "DELETE", pin, "").is(204)
	}
	read(list, "3", "one", "two", "three")
	if a := b.call(b.owner, "GET", "/v1/projects/site", ""); a.at("data.pin") != "null" {
		t.Errorf("unpinned: %s", a.body)
	}
	var actions []string
	rows, err := b.pool.Query(t.Context(), `SELECT action || ' ' || detail FROM audit_event WHERE action LIKE 'project.%pin' ORDER BY id`)
	b.ok(err)
	defer rows.Close()
	for rows.Next() {
		var action string
		b.ok(rows.Scan(&action))
		actions = append(actions, action)
	}
	want := `project.pin {"reason":"two is broken","release":1}; project.pin {"reason":"","release":2}; project.unpin {"release":2}`
	if got := strings.Join(actions, "; "); got != want {
		t.Errorf("audit: %s, want %s", got, want)
	}
}
