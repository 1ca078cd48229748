package api_test

import (
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/api"
	"svc/shared/fault"
)

// FuzzBody reads whole request bodies: a body is refused with VALIDATION_FAILED and a path, or what was read of it is
// well-formed and, written again, reads the same.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"data":{"title":"x"},"slug":"a","changeSetId":"chs_1","changeSummary":"s"}`,
		`{"data":{"n":1e400,"n2":9007199254740993}}`, `{"a":1,"a":2}`, `{"data":{"x":"\ud800"}}`, `{"data":"\u0000"}`,
		"{\"data\":\"\xff\"}", `{"entries":[{"id":7}]}`, `{"order":["a"],"move":{"entry":"e"}}`, ` {"data" : [ [ ] ] } `,
		`{"data":{}} x`, `{"expiresAt":"2099-01-01T00:00:00+02:00","at":1.0}`, `{"DATA":{}}`, `{"flag":null,"count":-0}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		type request struct {
			Data    jsontext.Value `json:"data"`
			Slug    *string        `json:"slug"`
			Flag    *bool          `json:"flag"`
			Count   int            `json:"count"`
			Summary string         `json:"changeSummary"`
			Entries []struct {
				ID   string         `json:"id"`
				Data jsontext.Value `json:"data"`
			} `json:"entries"`
		}
		var in request
		if err := api.Decode(body, &in); err != nil {
			f := fault.As(err)
			if f.Code != fault.ValidationFailed || len(f.Items) != 1 || f.Items[0].Path == "" || f.Items[0].Message == "" {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		if !utf8.Valid(body) {
			t.Fatalf("%q is not UTF-8", body)
		}
		written, err := json.Marshal(in)
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		var again request
		if err := api.Decode(written, &again); err != nil {
			t.Fatalf("%q, written as %q: %v", body, written, err)
		}
		rewritten, err := json.Marshal(again)
		if err != nil || string(rewritten) != string(written) {
			t.Fatalf("%q and %q: %v", written, rewritten, err)
		}
	})
}
