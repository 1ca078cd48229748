package plan

import (
	"svc/edge/store/layout"
	"svc/shared/content"
	"svc/shared/fault"
)

// scanField scans what has a value of the ordering field, and then what has none.
func (x *execution) scanField() error {
	after, err := x.afterRow()
	if err != nil {
		return err
	}
	window := x.window()
	tested := len(x.ranges) > 1 || len(x.ranges) == 1 && window == nil || len(x.phrases) > 0 || x.tested
	if x.q.After == nil || !x.q.After.Missing {
		rows, err := x.valueRows(window, after)
		if err != nil {
			return err
		}
		if done, err := x.takeRows(rows, tested, false); err != nil || done {
			return err
		}
		after = nil
	}
	if window != nil {
		return nil // which a missing value is never in
	}
	rows, err := x.missingRows(after)
	if err != nil || rows == nil {
		return err
	}
	_, err = x.takeRows(rows, tested, true)
	return err
}

// takeRows fills the page, and reports whether that is the end of the scan.
func (x *execution) takeRows(rows stream, tested, missing bool) (done bool, err error) {
	for {
		row, err := rows.next()
		if err != nil || x.spent {
			return true, err
		}
		if row == nil {
			return false, nil
		}
		if !tested && x.full() {
			x.page.More = true
			return true, nil
		}
		d, live, err := x.r.Document(x.c, row.entry, x.release())
		if err != nil {
			return true, err
		}
		if !live {
			return true, layout.Damaged("index: an entry of it has no document")
		}
		if tested {
			x.left -= documentSteps
			matches, err := x.holds(row.entry, &d)
			if err != nil {
				return true, err
			}
			if !matches {
				continue
			}
			if x.full() {
				x.page.More = true
				return true, nil
			}
		}
		x.page.AddKeyed(row.entry, missing, row.key, &d)
	}
}

// afterRow is the row behind which a list goes on that a field orders; nil: it begins at the front.
func (x *execution) afterRow() (*orderRow, error) {
	key := x.q.After
	if key == nil {
		return nil, nil
	}
	e, ok := content.Bytes(key.Entry)
	if !ok {
		return nil, fault.Invalid("cursor", "is not a position in this list")
	}
	return &orderRow{key: []byte(key.Value), entry: e}, nil
}
