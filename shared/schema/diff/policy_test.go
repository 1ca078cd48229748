package diff

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svc/shared/schema"
	"svc/shared/testrand"
)

func policy(t *testing.T, rules string) []*schema.Collection {
	t.Helper()
	return parse(t, `{"name":"c","policy":[`+rules+`],"fields":{"f":{"type":"text"},"g":{"type":"text"}}}`)
}

// A changed policy says which rules came and went.
func TestAChangedPolicyNamesItsRules(t *testing.T) {
	if d := Diff(policy(t, `{"rule":"altText"},{"rule":"required","fields":["f"]}`), policy(t, `{"rule":"required","fields":["f"]},{"rule":"altText"}`)); len(d.Operations) != 1 ||
		!strings.Contains(d.Operations[0].Message, "change their order") {
		t.Errorf("another order: %+v", d.Operations)
	}
	for _, tt := range []struct{ old, now, want string }{
		{``, `{"rule":"altText"}`, `added: altText`},
		{`{"rule":"altText","reason":"x"}`, ``, `removed: altText (because "x")`},
		{``, `{"rule":"length","field":"f","min":1,"max":9,"words":true}`, `added: length of "f" (min 1, max 9, in words)`},
		{``, `{"rule":"required","fields":["f","g"]}`, `added: required (f, g)`},
		{``, `{"rule":"bannedTerms","terms":["a","b"]}`, `added: bannedTerms (a, b, anywhere)`},
		{`{"rule":"bannedTerms","terms":["a"],"fields":["f"]}`, ``, `removed: bannedTerms (a, in f)`},
		{`{"rule":"length","field":"f","max":9}`, `{"rule":"length","field":"f","min":2,"max":8}`, `added: length of "f" (min 2, max 8); removed: length of "f" (max 9)`},
		{`{"rule":"length","field":"f","max":9}`, `{"rule":"length","field":"g","max":9}`, `added: length of "g" (max 9); removed: length of "f" (max 9)`},
		{`{"rule":"altText"}`, `{"rule":"altText","reason":"a\u202e"}`, `added: altText (because "a\u202e"); removed: altText`},
		{`{"rule":"length","field":"f","max":1},{"rule":"length","field":"f","max":2}`, `{"rule":"length","field":"f","max":2}`, `removed: length of "f" (max 1)`},
	} {
		plan := Diff(policy(t, tt.old), policy(t, tt.now))
		if len(plan.Operations) != 1 || plan.Class != Safe || plan.Operations[0].Message != "the policy changes: "+tt.want {
			t.Errorf("from %s to %s: %+v", tt.old, tt.now, plan.Operations)
		}
	}
}

func TestTheTextOfAChangedPolicyIsBounded(t *testing.T) {
	var rules []string
	for i := range schema.MaxRules {
		rules = append(rules, fmt.Sprintf(`{"rule":"bannedTerms","terms":["%d\n%s"]}`, i, strings.Repeat("x", 1000)))
	}
	got := Diff(policy(t, ``), policy(t, strings.Join(rules, ","))).Operations[0].Message
	if len(got) > 14_000 || !strings.HasSuffix(got, " more changes") || !schema.IsVisible(got) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// Whatever differs is told, the same each time, and nothing is told of what does not.
func TestEveryDifferenceOfPoliciesIsTold(t *testing.T) {
	count := rapid.Custom(func(t *rapid.T) *int { return rapid.Ptr(rapid.IntRange(1, 2), true).Draw(t, "n") })
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"f", "g", "h"}), 1, 2, rapid.ID[string])
	rule := rapid.Custom(func(t *rapid.T) schema.Rule {
		r := schema.Rule{Kind: rapid.SampledFrom(schema.RuleKinds()).Draw(t, "kind"), Reason: rapid.SampledFrom([]string{"", "x"}).Draw(t, "reason")}
		switch r.Kind {
		case schema.RuleLength:
			r.Field, r.Min, r.Max, r.Words = "f", count.Draw(t, "min"), count.Draw(t, "max"), rapid.Bool().Draw(t, "words")
		case schema.RuleRequired:
			r.Fields = keys.Draw(t, "fields")
		case schema.RuleBannedTerms:
			r.Terms = keys.Draw(t, "terms")
			if rapid.Bool().Draw(t, "confined") {
				r.Fields = keys.Draw(t, "fields")
			}
		}
		return r
	})
	testrand.Check(t, func(t *rapid.T) {
		old, now := rapid.SliceOfN(rule, 0, 4).Draw(t, "old"), rapid.SliceOfN(rule, 0, 4).Draw(t, "now")
		operations := Diff([]*schema.Collection{{Name: "c", Policy: old}}, []*schema.Collection{{Name: "c", Policy: now}}).Operations
		if len(operations) == 0 {
			return
		}
		if got := operations[0].Message; got != policyChange(old, now) || strings.HasSuffix(got, ": ") || strings.Contains(got, "()") {
			t.Fatalf("%v to %v: %q", old, now, got)
		}
	})
}
