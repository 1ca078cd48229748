package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/node"
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
	l, err := b.openStreams(ctx, b.edges()[0])
	defer l.close()
	if err != nil {
		return err
	}
	n := len(l.streams)
	b.Report.add("resident without streams", l.before.Now, Mebibytes)
	b.Report.add(fmt.Sprintf("resident with %s idle streams", thousands(n)), l.idle.Now, Mebibytes)
	b.Report.add("resident bytes for each stream", l.added()/float64(n), Count).atMost(liveLimit)

	began := time.Now()
	release, err := l.publish(ctx)
	if err != nil {
		return err
	}
	for _, s := range l.streams {
		if err := s.until(fmt.Sprintf(`data: {"release":%d,`, release)); err != nil {
			return err
		}
	}
	b.Report.add("a publish until all streams have its event", time.Since(began).Seconds(), Seconds)
	after, err := b.resident(l.edge.Name)
	if err != nil {
		return err
	}
	b.Report.add("resident after it", after.Now, Mebibytes).noted("most since its start: %.0f MiB", after.Peak)
	return nil
}

// liveRun is a project and the streams of its live events on an edge.
type liveRun struct {
	*Bench
	project      string
	edge         node.Node
	streams      []*liveStream
	before, idle process.Resident // without streams, and once each has had a comment
}

// added is how many bytes the streams added to what the edge keeps resident.
func (l *liveRun) added() float64 { return (l.idle.Now - l.before.Now) * (1 << 20) }

func (l *liveRun) close() {
	for _, s := range l.streams {
		s.conn.Close()
	}
}

// publish publishes a post.
func (l *liveRun) publish(ctx context.Context) (uint64, error) {
	made, err := l.client.CreateEntry(ctx, l.project, "posts", client.NewEntry{Data: map[string]string{"title": "A post"}})
	if err != nil {
		return 0, err
	}
	out, err := l.client.Publish(ctx, l.project, string(made.ChangeSet.ID))
	if err != nil {
		return 0, err
	}
	return *out.ChangeSet.ReleaseNumber, nil
}

// openStreams makes a project and opens idle streams of its events on an edge. The caller closes what it returns, with an error too.
func (b *Bench) openStreams(ctx context.Context, edge node.Node) (*liveRun, error) {
	l := &liveRun{Bench: b, edge: edge}
	p, err := b.client.CreateProject(ctx, b.account.Organization, "Live events", "bench-live")
	if err != nil {
		return l, err
	}
	l.project = p.Slug
	if _, err := b.client.PushSchema(ctx, l.project, []jsontext.Value{jsontext.Value(livePosts)}, false, ""); err != nil {
		return l, err
	}
	release, err := l.publish(ctx)
	if err != nil {
		return l, err
	}
	if err := b.awaitHead(ctx, []node.Node{edge}, l.project, "posts", release, liveWait); err != nil {
		return l, err
	}
	opening, cancel := context.WithTimeout(ctx, liveWait)
	defer cancel()
	if l.before, err = b.resident(edge.Name); err != nil {
		return l, err
	}
	n := b.sized(10_000, 500)
	b.progress("opening %d streams", n)
	open := func(context.Context) error {
		s, err := openLive(edge.URL, l.project)
		if err != nil {
			return fmt.Errorf("stream %d: %w", len(l.streams)+1, err)
		}
		l.streams = append(l.streams, s)
		return nil
	}
	// An edge that does not hold the project yet passes reads on to core, and ends streams.
	if err := node.Until(opening, open); err != nil {
		return l, err
	}
	for len(l.streams) < n {
		if err := open(ctx); err != nil {
			return l, err
		}
	}
	b.progress("waiting until each had a comment")
	for _, s := range l.streams {
		if err := s.until(":"); err != nil {
			return l, err
		}
	}
	l.idle, err = b.resident(edge.Name)
	return l, err
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
	_, err = io.WriteString(conn, "GET /v1/projects/"+project+"/live HTTP/1.1\r\nHost: a\r\n\r\n")
	if err == nil {
		err = s.until("event: start")
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
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
