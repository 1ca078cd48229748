package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/client"
	"svc/deploy/local/process"
)

const (
	// liveLimit is the most that 10,000 idle streams may add to what an edge keeps resident, and with that bytes for each.
	liveLimit = 200e6 / 10_000
	// liveWait is how long any stream may take for what is waited for: a comment comes every 15 seconds.
	liveWait = 2 * time.Minute
)

// liveEdge lets an edge have some 10,000 streams: they are at most half of its connections.
var liveEdge = []string{"SVC_EDGE_MEMORY=4294967296"}

const livePosts = `{"name":"posts","visibility":"public","fields":{"title":{"type":"text"}}}`

// live opens idle streams of live events on an edge, reads what they add to its resident memory, and publishes a release to all.
func live(ctx context.Context, b *Bench) error {
	project, err := b.project(ctx)
	if err != nil {
		return err
	}
	if _, err := b.client.PushSchema(ctx, project, []jsontext.Value{jsontext.Value(livePosts)}, false, ""); err != nil {
		return err
	}
	publish := func() (uint64, error) {
		made, err := b.client.CreateEntry(ctx, project, "posts", client.NewEntry{Data: map[string]string{"title": "A post"}})
		if err != nil {
			return 0, err
		}
		out, err := b.client.Publish(ctx, project, string(made.ChangeSet.ID))
		if err != nil {
			return 0, err
		}
		return *out.ChangeSet.ReleaseNumber, nil
	}
	release, err := publish()
	if err != nil {
		return err
	}
	edge := b.edges()[0]
	if err := b.awaitHead(ctx, b.edges()[:1], project, "posts", release, liveWait); err != nil {
		return err
	}
	pid, err := b.stack.Pid(edge.Name)
	if err != nil {
		return err
	}
	before, err := process.ResidentOf(pid)
	if err != nil {
		return err
	}
	n := b.sized(10_000, 1_000)
	b.progress("opening %d streams", n)
	var streams []*liveStream
	defer func() {
		for _, s := range streams {
			s.conn.Close()
		}
	}()
	for range n {
		s, err := openLive(edge.URL, project)
		if err != nil {
			return fmt.Errorf("stream %d: %w", len(streams)+1, err)
		}
		streams = append(streams, s)
	}
	b.progress("waiting until each had a comment")
	for _, s := range streams {
		if err := s.until(":"); err != nil {
			return err
		}
	}
	idle, err := process.ResidentOf(pid)
	if err != nil {
		return err
	}
	b.Report.add("resident without streams", before.Now, Mebibytes)
	b.Report.add(fmt.Sprintf("resident with %s idle streams", thousands(n)), idle.Now, Mebibytes)
	b.Report.add("resident bytes for each stream", (idle.Now-before.Now)*(1<<20)/float64(n), Count).atMost(liveLimit)

	began := time.Now()
	if release, err = publish(); err != nil {
		return err
	}
	for _, s := range streams {
		if err := s.until(fmt.Sprintf(`data: {"release":%d,`, release)); err != nil {
			return err
		}
	}
	b.Report.add("a publish until all streams have its event", time.Since(began).Seconds(), Seconds)
	after, err := process.ResidentOf(pid)
	if err != nil {
		return err
	}
	b.Report.add("resident after it", after.Now, Mebibytes).noted("most since its start: %.0f MiB", after.Peak)
	return nil
}

// liveStream is one connection. Its buffer is small, since the machine holds both ends.
type liveStream struct {
	conn  net.Conn
	lines *bufio.Reader
}

// openLive opens a stream and waits for its first event.
func openLive(origin, project string) (*liveStream, error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(origin, "http://"))
	if err != nil {
		return nil, err
	}
	s := &liveStream{conn, bufio.NewReaderSize(conn, 512)}
	if _, err := io.WriteString(conn, "GET /v1/projects/"+project+"/live HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		return s, err
	}
	return s, s.until("event: start")
}

// until reads up to a line that begins so.
func (s *liveStream) until(prefix string) error {
	if err := s.conn.SetReadDeadline(time.Now().Add(liveWait)); err != nil {
		return err
	}
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return fmt.Errorf("waiting for %q: %w", prefix, err)
		}
		if strings.HasPrefix(line, prefix) {
			return nil
		}
	}
}
