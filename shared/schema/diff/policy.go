package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc/shared/schema"
)

// policyChange says in words which rules of a policy are new and which are gone; one that changes is both.
func policyChange(old, now []schema.Rule) string {
	const most = 10
	var parts []string
	without := func(rules, others []schema.Rule, what string) {
		for _, r := range rules {
			if !slices.ContainsFunc(others, func(o schema.Rule) bool { return equalRule(o, r) }) {
				parts = append(parts, what+ruleText(r))
			}
		}
	}
	without(now, old, "added: ")
	without(old, now, "removed: ")
	switch {
	case len(parts) == 0:
		return "the rules of the policy change their order or number"
	case len(parts) > most:
		parts = append(parts[:most], fmt.Sprintf("and %d more changes", len(parts)-most))
	}
	return "the policy changes: " + strings.Join(parts, "; ")
}

func ruleName(r schema.Rule) string {
	if r.Field != "" {
		return string(r.Kind) + " of " + schema.Quote(r.Field)
	}
	return string(r.Kind)
}

// ruleText is a rule with what it asks for.
func ruleText(r schema.Rule) string {
	var says []string
	for _, bound := range []struct {
		name string
		n    *int
	}{{"min", r.Min}, {"max", r.Max}} {
		if bound.n != nil {
			says = append(says, bound.name+" "+strconv.Itoa(*bound.n))
		}
	}
	if r.Words {
		says = append(says, "in words")
	}
	if r.Terms != nil {
		says = append(says, schema.ShowAll(r.Terms), where(r))
	} else if r.Fields != nil {
		says = append(says, schema.ShowAll(r.Fields))
	}
	if r.Reason != "" {
		says = append(says, "because "+schema.Quote(r.Reason))
	}
	if len(says) == 0 {
		return ruleName(r)
	}
	return ruleName(r) + " (" + strings.Join(says, ", ") + ")"
}

func where(r schema.Rule) string {
	if r.Fields == nil {
		return "anywhere"
	}
	return "in " + schema.ShowAll(r.Fields)
}
