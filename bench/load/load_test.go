package load

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestRepeatEndsWithTheFirstError(t *testing.T) {
	refused := errors.New("refused")
	sent := 0
	_, err := Repeat(t.Context(), Turn{Connections: 1, Duration: time.Hour}, func(connection int, _ *rand.Rand) (int, error) {
		if connection != 0 {
			t.Errorf("the only connection has the number %d", connection)
		}
		if sent++; sent == 3 {
			return 0, refused
		}
		return 1, nil
	})
	if !errors.Is(err, refused) || sent != 3 {
		t.Errorf("error %v after %d reads", err, sent)
	}
}

func TestRunRefusesAnotherStatus(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("no"))
	}))
	defer server.Close()
	cfg := Config{Address: server.Listener.Addr().String(), Requests: []Request{{Path: "/", Status: http.StatusOK}}, Turn: Turn{Connections: 1, Duration: time.Hour}}
	if _, err := Run(t.Context(), cfg); err == nil || err.Error() != "/: status 404, not 200: no" {
		t.Errorf("error %v", err)
	}
}
