package fault

import (
	"errors"
	"fmt"
	"testing"
)

func TestCodesAreUniqueAndPinned(t *testing.T) {
	want := "[VALIDATION_FAILED AUTHENTICATION_REQUIRED PLAN_LIMIT_REACHED FORBIDDEN REAUTHENTICATION_REQUIRED NOT_FOUND " +
		"METHOD_NOT_ALLOWED CONFLICT STALE_REVISION SCHEMA_CHANGE_DESTRUCTIVE APPROVAL_REQUIRED CHECKS_FAILED " +
		"PAYLOAD_TOO_LARGE UNSUPPORTED_MEDIA_TYPE PUBLISH_VALIDATION_FAILED RATE_LIMITED INTERNAL UNAVAILABLE]"
	if got := fmt.Sprint(Codes()); got != want {
		t.Fatalf("the codes are a contract:\n got %s\nwant %s", got, want)
	}
}

func TestWrapKeepsAFaultAndHidesACause(t *testing.T) {
	inner := New(Conflict, "taken")
	if got := Wrap(fmt.Errorf("outer: %w", inner), "writing"); As(got) != inner {
		t.Fatalf("a fault was replaced: %v", got)
	}
	cause := errors.New("password=secret")
	got := As(Wrap(cause, "connecting"))
	if got.Code != Internal || got.Detail != "an internal error occurred" || !errors.Is(got, cause) {
		t.Fatalf("got %+v", got)
	}
	if Wrap(nil, "nothing") != nil || As(nil) != nil {
		t.Fatal("no error became one")
	}
}

func TestAFindingBeginsWithWhatItIsAbout(t *testing.T) {
	for want, item := range map[string]Item{
		"is wrong":                     {Message: "is wrong"},
		"fields.title: is wrong":       {Path: "fields.title", Message: "is wrong"},
		"ent_1: is wrong":              {ResourceType: "entry", ResourceID: "ent_1", Message: "is wrong"},
		"ent_1 fields.title: is wrong": {ResourceType: "entry", ResourceID: "ent_1", Path: "fields.title", Message: "is wrong"},
	} {
		if got := item.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
