package store

import "slices"

// knownSheets are sheets in force that were met lately, with their fill, in the order of their first places. Every
// change of a sheet goes through the log state, so none of them is out of date.
type knownSheets []knownSheet

type knownSheet struct {
	sheet
	fill
}

func (k knownSheets) find(first *sortKey) (int, bool) {
	return slices.BinarySearchFunc(k, first, func(one knownSheet, first *sortKey) int { return one.first.compare(first) })
}

func (k *knownSheets) remember(s sheet, f fill) {
	i, found := k.find(&s.first)
	switch {
	case found:
		(*k)[i] = knownSheet{s, f}
	case len(*k) >= maxKnownSheets:
		*k = append((*k)[:0], knownSheet{s, f})
	default:
		*k = slices.Insert(*k, i, knownSheet{s, f})
	}
}

// holding returns the sheet that holds a place, if it is known. There is no other, since ranges do not overlap.
func (k knownSheets) holding(at *sortKey) (s sheet, found bool) {
	i, found := k.find(at)
	if !found {
		i--
	}
	if i < 0 || !k[i].holds(at) {
		return s, false
	}
	return k[i].sheet, true
}

func (k knownSheets) fillOf(s *sheet) (f fill, known bool) {
	i, found := k.find(&s.first)
	if !found {
		return f, false
	}
	return k[i].fill, true
}

// sheetNow is sheetAt for what is in force now.
func (p *publication) sheetNow(at *sortKey) (s sheet, found bool, err error) {
	if s, found = p.a.sheets.holding(at); found {
		return s, true, nil
	}
	return sheetAt(p.it, p.led.gen, p.a.number, at, maxRelease)
}
