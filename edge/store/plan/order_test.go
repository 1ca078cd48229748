package plan

import (
	"testing"

	"svc/edge/store/column"
)

// Other lists may have read the ranks of documents that came after the moment of this one, which knows nothing of them.
func TestADocumentThatCameLaterIsNoMatch(t *testing.T) {
	x := execution{documents: &column.Documents{}}
	for _, x.past = range []bool{false, true} {
		if x.isMatch(x.ever, nil) {
			t.Errorf("at a pin %t: a document that is not there yet matches", x.past)
		}
	}
}
