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

// A changed policy says which rules came, went and changed, and how.
func TestAChangedPolicyNamesItsRules(t *testing.T) {
	for _, tt := range []struct{ old, now, want string }{
		{``, `{"rule":"altText"}`, `added: altText`},
		{`{"rule":"altText","reason":"x"}`, ``, `removed: altText`},
		{``, `{"rule":"length","field":"f","min":1,"max":9,"words":true}`, `added: length of "f" (min 1, max 9, in words)`},
		{``, `{"rule":"required","fields":["f","g"]}`, `added: required (f, g)`},
		{``, `{"rule":"bannedTerms","terms":["a","b"]}`, `added: bannedTerms (a, b, anywhere)`},
		{`{"rule":"bannedTerms","terms":["a"],"fields":["f"]}`, ``, `removed: bannedTerms (a, in f)`},
		{`{"rule":"length","field":"f","max":9}`, `{"rule":"length","field":"f","min":2,"max":8,"words":true}`,
			`changed: length of "f" (min 2 is added, max changes from 9 to 8, counts words instead of characters)`},
		{`{"rule":"length","field":"f","min":2,"max":9,"words":true}`, `{"rule":"length","field":"f","min":2}`, `changed: length of "f" (max 9 is dropped, counts characters instead of words)`},
		{`{"rule":"length","field":"f","max":9}`, `{"rule":"length","field":"g","max":9}`, `added: length of "g" (max 9); removed: length of "f" (max 9)`},
		{`{"rule":"required","fields":["f"]}`, `{"rule":"required","fields":["g"]}`, `changed: required (fields without f, fields with g)`},
		{`{"rule":"required","fields":["f","g"]}`, `{"rule":"required","fields":["g","f"]}`, `changed: required (the fields change their order)`},
		{`{"rule":"bannedTerms","terms":["a","b"]}`, `{"rule":"bannedTerms","terms":["b","c"],"fields":["f"]}`, `changed: bannedTerms (terms without a, terms with c, looks in f instead of anywhere)`},
		{`{"rule":"altText"}`, `{"rule":"altText","reason":"a\u202e"}`, `changed: altText (the reason becomes "a\u202e")`},
		{`{"rule":"altText","reason":"a"}`, `{"rule":"altText"}`, `changed: altText (the reason is dropped)`},
		{`{"rule":"altText"},{"rule":"required","fields":["f"]}`, `{"rule":"required","fields":["f"]},{"rule":"altText"}`, `the rules change their order`},
		{`{"rule":"length","field":"f","max":1},{"rule":"length","field":"f","max":2}`, `{"rule":"length","field":"f","max":2}`, `removed: length of "f" (max 1)`},
		{`{"rule":"bannedTerms","terms":["a"],"fields":["f"]},{"rule":"bannedTerms","terms":["b"],"fields":["g"]}`,
			`{"rule":"altText"},{"rule":"bannedTerms","terms":["c"],"fields":["g"]}`, `added: altText; removed: bannedTerms (a, in f); changed: bannedTerms (terms without b, terms with c)`},
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
	if len(got) > 1300 || !strings.HasSuffix(got, " more") || !schema.IsVisible(got) {
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
		got := operations[0].Message
		if got != policyChange(old, now) || strings.HasSuffix(got, ": ") || strings.Contains(got, "()") {
			t.Fatalf("%v to %v: %q", old, now, got)
		}
	})
}
