package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/go-json-experiment/json"
)

func (s *Stack) natsURL(from string) string {
	return fmt.Sprintf("nats://%s@%s", s.secrets.NATSToken, s.route(from, "nats"))
}

func (s *Stack) natsPart() part {
	return part{
		name: "nats", kind: NATS, port: s.port("nats"),
		spec:  s.embeddedSpec("nats", "SVC_PART_TOKEN="+s.secrets.NATSToken),
		probe: s.probeNATS,
	}
}

// probeNATS shows the token and waits for an answer. NATS greets with a line of JSON that tells whether streams are up.
func (s *Stack) probeNATS(ctx context.Context) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.address("nats"))
	if err != nil {
		return err
	}
	defer conn.Close()
	if deadline, set := ctx.Deadline(); set {
		if err := conn.SetDeadline(deadline); err != nil {
			return err
		}
	}
	lines := bufio.NewReader(conn)
	greeting, err := lines.ReadString('\n')
	if err != nil {
		return fmt.Errorf("greeting of NATS: %w", err)
	}
	var info struct {
		JetStream bool `json:"jetstream"`
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(greeting, "INFO ")), &info); err != nil {
		return fmt.Errorf("greeting of NATS: %w", err)
	}
	if !info.JetStream {
		return errors.New("NATS has not opened its streams")
	}
	if _, err := fmt.Fprintf(conn, "CONNECT {\"auth_token\":%q,\"verbose\":false}\r\nPING\r\n", s.secrets.NATSToken); err != nil {
		return fmt.Errorf("ask NATS: %w", err)
	}
	if answer, err := lines.ReadString('\n'); err != nil || strings.TrimSpace(answer) != "PONG" {
		return fmt.Errorf("NATS answered %q: %w", strings.TrimSpace(answer), err)
	}
	return nil
}
