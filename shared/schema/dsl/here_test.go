package dsl

import (
	"bytes"
	"context"
	"math"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// loadHere is Load without a child: quicker, and the same for files that do no harm.
func loadHere(t *testing.T, dir string, opts Options) (Set, error) {
	t.Helper()
	return load(t.Context(), dir, opts, evaluateHere)
}

func evaluateHere(_ context.Context, r request, b budget) (answer, error) {
	w := &watchdog{budget: budget{time.Hour, math.MaxInt64}, started: time.Now()} // this process has other things to do
	a, err := evaluateFiles(r, b, w, func(string) error { return nil })
	if err != nil {
		return answer{}, err
	}
	var said bytes.Buffer
	if err := json.MarshalEncode(jsontext.NewEncoder(&said), record{Answer: &a}); err != nil {
		return answer{}, err
	}
	_, result, err := readRecords(&said)
	if err != nil {
		return answer{}, err
	}
	return *result, nil
}
