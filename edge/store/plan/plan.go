package plan

// What ways to a page cost, in steps: of an iterator to the next row.
const (
	numberSteps   = 2  // to look which entry a number is
	documentSteps = 16 // to read a document
	pinSteps      = 12 // to look what an entry was at a pin, and which number its document had
	scanTolerance = 4  // a scan may take so many times what it should
	scanAnyway    = 256
	expensiveSort = 4096    // matches from which on a sort is expensive
	rangeSteps    = 2048    // rows of a range that are put together at once
	fewMatches    = 64      // so few are rather read
	maxSteps      = 1 << 62 // as many as it takes
)

// prefersScan reports whether scanning the order promises to cost less than sorting every match.
func (x *execution) prefersScan() bool {
	switch x.engine.costs.Way {
	case AlwaysScan:
		return true
	case AlwaysSort:
		return false
	}
	return x.scanCost() < x.sortCost()
}

// scanCost is how far a scan should have to go until the page is full.
func (x *execution) scanCost() int {
	return min(int(uint64(x.limit+1)*uint64(x.wholeScan())/uint64(max(1, x.count))), x.wholeScan())
}

// wholeScan is how far it is from one end of the order to the other.
func (x *execution) wholeScan() int {
	switch {
	case !x.past:
		return int(x.last.Live)
	case x.q.Order.IsDefault():
		return x.pinCost() * int(x.last.Ever)
	}
	return int(x.last.Documents) + numberSteps*x.count
}

// pinCost is what an entry costs in a scan of a pin: where everything matches its document is read anyway.
func (x *execution) pinCost() int {
	if x.matched == nil && len(x.ranges) == 0 {
		return 1
	}
	return pinSteps
}

func (x *execution) sortCost() int {
	if x.sortsPositions() {
		return numberSteps * x.count
	}
	return documentSteps * x.count
}

// sortsPositions reports whether matches are sorted without their documents.
func (x *execution) sortsPositions() bool { return x.q.Order.IsDefault() && len(x.ranges) == 0 }

// scan scans the order until the page is full; done is false where it took too many steps, which to the end it never does.
func (x *execution) scan(toTheEnd bool) (done bool, err error) {
	x.left, x.spent = maxSteps, false
	if !toTheEnd {
		x.left = x.engine.costs.Budget(scanTolerance*x.scanCost() + scanAnyway)
	}
	switch {
	case !x.q.Order.IsDefault():
		err = x.scanField()
	case x.past:
		err = x.scanPin()
	default:
		err = x.scanHead()
	}
	return !x.spent, err
}
