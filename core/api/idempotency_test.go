package api_test

import (
	"strings"
	"testing"
	"time"

	"svc/core/api"
	"svc/shared/fault"
)

const sets = "/v1/projects/site/change-sets"

func (b *bed) count(table string) (n int) {
	b.Helper()
	b.ok(b.pool.QueryRow(b.Context(), `SELECT count(*) FROM `+table).Scan(&n))
	return n
}

// TestIdempotencyKeyRunsARequestOnce: the same key with the same request gets the first answer again.
func TestIdempotencyKeyRunsARequestOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, c := range []struct{ name, method, path, body, contentType string }{
		{"a creation", "POST", sets, `{"title":"Once"}`, ""},
		{"a secret", "POST", "/v1/organizations/acme/api-keys", `{"label":"x","scopes":["content:read"]}`, ""},
		{"an organization", "POST", "/v1/organizations", `{"slug":"twice"}`, ""},
		{"an import", "POST", "/v1/projects/site/collections/posts/import", `{"entries":[{"data":{"title":"A"}}]}`, ""},
		{"a streamed import", "POST", "/v1/projects/site/collections/authors/import", "{\"data\":{\"name\":\"A\"}}\n{\"data\":{\"name\":\"B\"}}",
			"content-type: application/x-ndjson"},
		{"no content", "DELETE", "/v1/projects/doomed", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := b.in(t)
			if c.path == "/v1/projects/doomed" {
				b.call(b.owner, "POST", "/v1/organizations/acme/projects", `{"slug":"doomed"}`).is(201)
			}
			headers := []string{"Idempotency-Key: " + strings.ReplaceAll(c.name, " ", "-")}
			if c.contentType != "" {
				headers = append(headers, c.contentType)
			}
			first := b.call(b.owner, c.method, c.path, c.body, headers...)
			rows := b.count("audit_event") + b.count("event")
			again := b.call(b.owner, c.method, c.path, c.body, headers...)
			if first.status >= 300 || again.status != first.status || string(again.body) != string(first.body) ||
				again.header.Get("Content-Type") != first.header.Get("Content-Type") {
				t.Errorf("%d %s, then %d %s", first.status, first.body, again.status, again.body)
			}
			if now := b.count("audit_event") + b.count("event"); now != rows {
				t.Error("the second request did something")
			}
		})
	}
}

func TestIdempotencyKeyIsForOneRequestOfOneCaller(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const header = "Idempotency-Key: k"
	b.call(b.owner, "POST", sets, `{"title":"One"}`, header).is(201)
	b.call(b.owner, "POST", sets, `{"title":"Two"}`, header).refused(fault.Conflict)
	b.call(b.owner, "POST", "/v1/organizations", `{"slug":"one"}`, header).refused(fault.Conflict)
	b.call(b.owner, "POST", sets, `{"title":"One"}`, "Idempotency-Key: K").is(201)
	other := b.key(`{"label":"other",` + everyScope + `}`)
	b.call(other, "POST", sets, `{"title":"Two"}`, header).is(201)

	_, err := b.pool.Exec(t.Context(), `UPDATE idempotency SET created_at = now() - interval '25 hours'`)
	b.ok(err)
	b.call(b.owner, "POST", sets, `{"title":"Two"}`, header).is(201)
	_, err = b.pool.Exec(t.Context(), `UPDATE idempotency SET created_at = now() - interval '25 hours' WHERE key = 'K'`)
	b.ok(err)
	b.ok(api.ForgetAnswers(t.Context(), b.pool))
	if n := b.count("idempotency WHERE key = 'K'"); n != 0 {
		t.Error("what is past its time is forgotten")
	}
}

func TestFailuresAreNotKept(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const header = "Idempotency-Key: k"
	b.call(b.owner, "POST", sets, `{"title":""}`, header).refused(fault.ValidationFailed, "title")
	b.call(b.owner, "POST", sets, `{"title":"Now"}`, header).is(201)
	set := b.call(b.owner, "POST", sets, `{"title":"Empty"}`).at("data.id")
	publish := sets + "/" + set + "/publish"
	b.call(b.owner, "POST", publish, `{"confirm":true}`, "Idempotency-Key: p").refused(fault.PublishValidationFailed)
	b.call(b.owner, "POST", "/v1/projects/site/collections/authors/entries", `{"data":{"name":"A"},"changeSetId":"`+set+`"}`).is(201)
	first := b.call(b.owner, "POST", publish, `{"confirm":true}`, "Idempotency-Key: p").is(200)
	again := b.call(b.owner, "POST", publish, `{"confirm":true}`, "Idempotency-Key: p").is(200)
	if string(first.body) != string(again.body) {
		t.Error("a publish is answered again as it was")
	}
	b.call(b.owner, "POST", publish, `{"confirm":true}`).refused(fault.Conflict)
}

func TestIdempotencyKeysAreText(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, bad := range []string{strings.Repeat("k", 256), "caf\u00e9", "a\tb"} {
		b.call(b.owner, "POST", sets, `{"title":"x"}`, "Idempotency-Key: "+bad).refused(fault.ValidationFailed, "Idempotency-Key")
	}
	b.call(b.owner, "POST", sets, `{"title":"x"}`, "Idempotency-Key: "+strings.Repeat("k", 255)).is(201)
	b.call(b.owner, "GET", sets, "", "Idempotency-Key: "+strings.Repeat("k", 256)).is(200)
}

// TestEqualRequestsAtOnceAreOne: those that come later wait for the first, and get its answer.
func TestEqualRequestsAtOnceAreOne(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var answers []<-chan answer
	for range 8 {
		answers = append(answers, b.later(b.owner, "POST", sets, strings.NewReader(`{"title":"Race"}`), "Idempotency-Key: race"))
	}
	made := ""
	for _, answered := range answers {
		if id := (<-answered).is(201).at("data.id"); made == "" {
			made = id
		} else if made != id {
			t.Errorf("two sets, %s and %s", made, id)
		}
	}
	if made == "" || b.count("change_set") != 1 {
		t.Errorf("%d sets were made", b.count("change_set"))
	}

	ask := func() <-chan answer {
		return b.later(b.owner, "POST", sets, strings.NewReader(`{"title":"Race"}`), "Idempotency-Key: race")
	}
	set := func(sql string) {
		t.Helper()
		_, err := b.pool.Exec(t.Context(), sql)
		b.ok(err)
	}
	waits := func(answered <-chan answer) {
		t.Helper()
		asked := b.statements()
		eventually(t, "looked again", func() bool { return b.statements() > asked+2 })
		select {
		case a := <-answered:
			t.Fatalf("%s did not wait: %d %s", a.what, a.status, a.body)
		default:
		}
	}
	const running = `UPDATE idempotency SET status = NULL` // as until the first is answered

	set(running)
	answered := ask()
	waits(answered)
	set(`UPDATE idempotency SET status = 201`)
	if again := (<-answered).is(201); again.at("data.id") != made {
		t.Errorf("%s, not the first answer", again.body)
	}

	set(running)
	answered = ask()
	waits(answered)
	set(`DELETE FROM idempotency`) // as where the first fails
	if second := (<-answered).is(201); second.at("data.id") == made || b.count("change_set") != 2 {
		t.Errorf("%s, not an answer of its own", second.body)
	}
}

// TestAWriteWithoutAStoredAnswerHoldsItsKey: a later request does not run again, and says what is known.
func TestAWriteWithoutAStoredAnswerHoldsItsKey(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	api.SetPatience(b.api, 50*time.Millisecond)
	for _, state := range []string{"status = NULL, body = NULL", "status = 0"} {
		header := "Idempotency-Key: " + state
		b.call(b.owner, "POST", sets, `{"title":"Race"}`, header).is(201)
		_, err := b.pool.Exec(t.Context(), `UPDATE idempotency SET `+state+` WHERE key = $1`, state)
		b.ok(err)
		made := b.count("change_set")
		if a := b.call(b.owner, "POST", sets, `{"title":"Race"}`, header).refused(fault.Conflict); !strings.Contains(a.at("detail"), "took effect, but its answer is not stored") {
			t.Errorf("%s", a.body)
		}
		b.call(b.owner, "POST", sets, `{"title":"Another"}`, header).refused(fault.Conflict)
		if b.count("change_set") != made {
			t.Error("it ran again")
		}
	}
}

// statements is how often the pool was asked for a connection.
func (b *bed) statements() int64 { return b.pool.Stat().AcquireCount() }

// TestKeptAnswersHideSecrets: the database keeps secrets as hashes alone, in kept answers too.
func TestKeptAnswersHideSecrets(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	a := b.call(b.owner, "POST", "/v1/organizations/acme/api-keys", `{"label":"quiet","scopes":["content:read"]}`, "Idempotency-Key: k").is(201)
	var body []byte
	b.ok(b.pool.QueryRow(t.Context(), `SELECT body FROM idempotency`).Scan(&body))
	if strings.Contains(string(body), a.at("secret")) || strings.Contains(string(body), "quiet") {
		t.Errorf("kept: %q", body)
	}
	if again := b.call(b.owner, "POST", "/v1/organizations/acme/api-keys", `{"label":"quiet","scopes":["content:read"]}`, "Idempotency-Key: k").is(201); again.at("secret") != a.at("secret") {
		t.Error("the caller gets the first answer again, secret included")
	}
	_, err := b.pool.Exec(t.Context(), `UPDATE idempotency SET body = set_byte(body, 20, get_byte(body, 20) # 1)`)
	b.ok(err)
	b.call(b.owner, "POST", "/v1/organizations/acme/api-keys", `{"label":"quiet","scopes":["content:read"]}`, "Idempotency-Key: k").refused(fault.Internal)
}
