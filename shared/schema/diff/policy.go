package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc/shared/schema"
)

// maxPolicyText is where the text of a changed policy stops to name further rules, in bytes.
const maxPolicyText = 1000

// policyChange says in words which rules of a policy differ. Rules have no names: those of one kind about one field are
// held to be the same rule, changed, and of those that are left the ones of one kind.
func policyChange(old, now []schema.Rule) string {
	from := pairRules(old, now)
	var added, removed, changed []string
	for i, r := range now {
		switch j := from[i]; {
		case j < 0:
			added = append(added, "added: "+ruleText(r))
		case !equalRule(old[j], r):
			changed = append(changed, "changed: "+ruleName(r)+" ("+strings.Join(ruleChanges(old[j], r), ", ")+")")
		}
	}
	for j, r := range old {
		if !slices.Contains(from, j) {
			removed = append(removed, "removed: "+ruleText(r))
		}
	}
	parts := slices.Concat(added, removed, changed)
	kept := slices.DeleteFunc(slices.Clone(from), func(j int) bool { return j < 0 })
	if !slices.IsSorted(kept) {
		parts = append(parts, "the rules change their order")
	}
	return "the policy changes: " + bounded(parts)
}

// bounded joins the parts that have room, and says how many do not.
func bounded(parts []string) string {
	var b strings.Builder
	for i, part := range parts {
		if b.Len() > maxPolicyText {
			fmt.Fprintf(&b, "; and %s more", schema.Count(len(parts)-i, "change"))
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(part)
	}
	return b.String()
}

// pairRules tells for each rule of now which one of old it was, by index; -1 for one that is new.
func pairRules(old, now []schema.Rule) []int {
	from, taken := slices.Repeat([]int{-1}, len(now)), make([]bool, len(old))
	for _, same := range []func(a, b schema.Rule) bool{
		equalRule,
		func(a, b schema.Rule) bool { return sameKind(a, b) && slices.Equal(a.Fields, b.Fields) },
		sameKind,
	} {
		for i, r := range now {
			for j := range old {
				if from[i] < 0 && !taken[j] && same(old[j], r) {
					from[i], taken[j] = j, true
				}
			}
		}
	}
	return from
}

func sameKind(a, b schema.Rule) bool { return a.Kind == b.Kind && a.Field == b.Field }

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

// ruleChanges lists what differs between two rules of one kind.
func ruleChanges(old, r schema.Rule) []string {
	says := append(boundChange("min", old.Min, r.Min), boundChange("max", old.Max, r.Max)...)
	switch {
	case old.Words == r.Words:
	case r.Words:
		says = append(says, "counts words instead of characters")
	default:
		says = append(says, "counts characters instead of words")
	}
	says = append(says, listChange("terms", old.Terms, r.Terms)...)
	if (old.Fields == nil) != (r.Fields == nil) {
		says = append(says, "looks "+where(r)+" instead of "+where(old))
	} else {
		says = append(says, listChange("fields", old.Fields, r.Fields)...)
	}
	switch {
	case old.Reason == r.Reason:
	case r.Reason == "":
		says = append(says, "the reason is dropped")
	default:
		says = append(says, "the reason becomes "+schema.Quote(r.Reason))
	}
	return says
}

func boundChange(name string, old, now *int) []string {
	switch {
	case equal(old, now):
		return nil
	case now == nil:
		return []string{fmt.Sprintf("%s %d is dropped", name, *old)}
	case old == nil:
		return []string{fmt.Sprintf("%s %d is added", name, *now)}
	}
	return []string{fmt.Sprintf("%s changes from %d to %d", name, *old, *now)}
}

func listChange(what string, old, now []string) []string {
	gone, added := missing(old, now), missing(now, old)
	var says []string
	if len(gone) > 0 {
		says = append(says, what+" without "+schema.ShowAll(gone))
	}
	if len(added) > 0 {
		says = append(says, what+" with "+schema.ShowAll(added))
	}
	if !sameOrder(old, now) {
		says = append(says, "the "+what+" change their order")
	}
	return says
}
