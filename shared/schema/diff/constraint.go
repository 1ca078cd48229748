package diff

import (
	"slices"
	"strconv"
	"strings"

	"svc/shared/schema"
)

// constraints compares the bounds of a field's values.
func (d *differ) constraints(path string, old, f *schema.Field) {
	d.count(path, "minLength", old.MinLength, f.MinLength, false)
	d.count(path, "maxLength", old.MaxLength, f.MaxLength, true)
	d.count(path, "minItems", old.MinItems, f.MinItems, false)
	d.count(path, "maxItems", old.MaxItems, f.MaxItems, true)
	d.bound(path, "min", old.Min, f.Min, f.CompareBounds, false)
	d.bound(path, "max", old.Max, f.Max, f.CompareBounds, true)
	if old.Integer != f.Integer {
		if f.Integer {
			d.tighter(path, "numbers must be whole")
		} else {
			d.looser(path, "numbers need not be whole any more")
		}
	}
	switch {
	case old.Pattern == f.Pattern:
	case f.Pattern == "":
		d.looser(path, "the pattern is dropped")
	case old.Pattern == "":
		d.tighter(path, "a pattern is added: "+schema.Show(f.Pattern))
	default:
		d.tighter(path, "the pattern changes to "+schema.Show(f.Pattern))
	}
	d.members(path, "the enum", old.Enum, f.Enum)
	if !sameOrder(old.Enum, f.Enum) {
		d.add(path, EnumReordered, Safe, "the enum changes its order")
	}
	d.families(path, old.Allowed, f.Allowed)
}

func (d *differ) tighter(path, message string) {
	d.add(path, ConstraintTightened, ConditionallyDestructive, "%s", message)
}

func (d *differ) looser(path, message string) {
	d.add(path, ConstraintLoosened, Safe, "%s", message)
}

// count compares a bound on lengths or items; upper says which way is tighter.
func (d *differ) count(path, option string, old, now *int, upper bool) {
	text := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	d.bound(path, option, text(old), text(now), func(_, _ string) int { return *now - *old }, upper)
}

// bound compares a bound in text form; "" is none.
func (d *differ) bound(path, option, old, now string, compare func(a, b string) int, upper bool) {
	switch {
	case old == now:
	case now == "":
		d.looser(path, option+" "+old+" is dropped")
	case old == "":
		d.tighter(path, option+" "+now+" is added")
	case (compare(now, old) < 0) == upper:
		d.tighter(path, option+" changes from "+old+" to "+now)
	default:
		d.looser(path, option+" changes from "+old+" to "+now)
	}
}

// members compares a closed list of values; nil allows everything.
func (d *differ) members(path, what string, old, now []string) {
	switch {
	case old == nil && now == nil:
	case now == nil:
		d.looser(path, what+" is dropped")
	case old == nil:
		d.tighter(path, what+" is added: "+schema.ShowAll(now))
	default:
		if gone := missing(old, now); len(gone) > 0 {
			d.tighter(path, what+" loses "+schema.ShowAll(gone))
		}
		if added := missing(now, old); len(added) > 0 {
			d.looser(path, what+" gains "+schema.ShowAll(added))
		}
	}
}

// missing returns what list has and other lacks.
func missing(list, other []string) []string {
	in := setOf(other)
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return in[s] })
}

// families compares the MIME families of an asset field. One family may be part of another, so what counts is
// whether everything that was accepted still is.
func (d *differ) families(path string, old, now []string) {
	if slices.Equal(old, now) {
		return
	}
	if covers(now, old) {
		d.looser(path, "allowed grows to "+families(now))
	} else {
		d.tighter(path, "allowed shrinks to "+families(now))
	}
}

// covers reports whether families accept all that others accept; nil accepts everything.
func covers(families, others []string) bool {
	if families == nil {
		return true
	}
	in := setOf(families)
	for _, other := range others {
		family, _, _ := strings.Cut(other, "/")
		if !in[other] && !in[family+"/*"] {
			return false
		}
	}
	return others != nil
}

func families(list []string) string {
	if list == nil {
		return "every type"
	}
	return schema.ShowAll(list)
}
