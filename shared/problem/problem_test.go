package problem

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"svc/shared/fault"
)

func TestEveryCodeHasItsStatus(t *testing.T) {
	want := map[fault.Code]int{
		fault.ValidationFailed: 400, fault.AuthenticationRequired: 401, fault.PlanLimitReached: 402, fault.Forbidden: 403,
		fault.ReauthenticationRequired: 403, fault.NotFound: 404, fault.MethodNotAllowed: 405, fault.Conflict: 409,
		fault.StaleRevision: 409, fault.SchemaChangeDestructive: 409, fault.ApprovalRequired: 409, fault.ChecksFailed: 409,
		fault.PayloadTooLarge: 413, fault.UnsupportedMediaType: 415, fault.PublishValidationFailed: 422,
		fault.RateLimited: 429, fault.Internal: 500, fault.Unavailable: 503,
	}
	for _, code := range fault.Codes() {
		if _, ok := kinds[code]; !ok || Status(code) != want[code] {
			t.Errorf("%s answers %d, want %d", code, Status(code), want[code])
		}
	}
	if len(kinds) != len(fault.Codes()) || Status("NO_SUCH_CODE") != 500 {
		t.Error("the table and the codes differ")
	}
}

func TestRender(t *testing.T) {
	for _, c := range []struct {
		name    string
		err     error
		status  int
		headers []Header
		body    string
	}{
		{"a path", fault.Invalid("limit", "must be an integer <& \xff"), 400, nil,
			`{"type":"urn:svc:problem:validation-failed","title":"The request is not valid","status":400,` +
				`"code":"VALIDATION_FAILED","detail":"limit: must be an integer <& ` + "\ufffd" + `","requestId":"r1",` +
				`"errors":[{"path":"limit","message":"must be an integer <& ` + "\ufffd" + `","code":"invalid"}]}`},
		{"a cause is never shown", fmt.Errorf("dialing: %w", errors.New("password=hunter2")), 500, nil,
			`{"type":"urn:svc:problem:internal","title":"An internal error occurred","status":500,"code":"INTERNAL",` +
				`"detail":"an internal error occurred","requestId":"r1"}`},
		{"an unknown code is internal", fault.New("ODD", "secret"), 500, nil,
			`{"type":"urn:svc:problem:internal","title":"An internal error occurred","status":500,"code":"INTERNAL",` +
				`"detail":"An internal error occurred","requestId":"r1"}`},
		{"a former slug", &fault.Error{Code: fault.NotFound, Detail: "moved", CanonicalSlug: "new"}, 404, nil,
			`{"type":"urn:svc:problem:not-found","title":"There is no such resource","status":404,"code":"NOT_FOUND",` +
				`"detail":"moved","requestId":"r1","canonicalSlug":"new"}`},
		{"a list", &fault.Error{Code: fault.PublishValidationFailed, Detail: "2 findings", EntryIDs: []string{"ent_1"},
			ChangeSetIDs: []string{"chs_1"}, Fields: []string{"title"}, Methods: []string{"passkey"},
			Items: []fault.Item{{Path: "fields.a", Code: "required", Message: "is missing", ResourceType: "entry", ResourceID: "ent_1"}}},
			422, nil, `{"type":"urn:svc:problem:publish-validation-failed","title":"The change set does not validate","status":422,` +
				`"code":"PUBLISH_VALIDATION_FAILED","detail":"2 findings","requestId":"r1","errors":[{"path":"fields.a",` +
				`"message":"is missing","code":"required","resourceType":"entry","resourceId":"ent_1"}],"entryIds":["ent_1"],` +
				`"changeSetIds":["chs_1"],"fields":["title"],"methods":["passkey"]}`},
		{"who are you", fault.New(fault.AuthenticationRequired, "x"), 401, []Header{{"Www-Authenticate", "Bearer"}}, ""},
		{"later", &fault.Error{Code: fault.RateLimited, RetryAfter: 1100 * time.Millisecond}, 429, []Header{{"Retry-After", "2"}}, ""},
		{"later, no one knows when", fault.New(fault.Unavailable, "x"), 503, []Header{{"Retry-After", "1"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Render(c.err, "r1")
			want := append([]Header{{"Content-Type", ContentType}, {"Cache-Control", "no-store"}}, c.headers...)
			if got.Status != c.status || !slices.Equal(got.Headers, want) {
				t.Errorf("got %d %v", got.Status, got.Headers)
			}
			if c.body != "" && string(got.Body) != c.body {
				t.Errorf("got  %s\nwant %s", got.Body, c.body)
			}
		})
	}
}

func TestAStatusOfHTTPItself(t *testing.T) {
	got := RenderAs(408, fault.New(fault.ValidationFailed, "too slow"), "r1")
	want := `{"type":"urn:svc:problem:validation-failed","title":"The request is not valid","status":408,` +
		`"code":"VALIDATION_FAILED","detail":"too slow","requestId":"r1"}`
	if got.Status != 408 || string(got.Body) != want {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}
