package read

import (
	"reflect"
	"testing"

	"svc/shared/query"
)

func TestAResponseHoldsNothingOfItsExchange(t *testing.T) {
	response := new(Engine).Serve(t.Context(), &Request{Method: "GET", Route: query.RouteList, Project: "-"})
	if response.Status != 404 || !reflect.ValueOf(response.exchange).IsZero() {
		t.Errorf("status %d, the exchange is %+v", response.Status, response.exchange)
	}
	response.Release()
}
