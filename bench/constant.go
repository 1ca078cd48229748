package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/valyala/fasthttp"

	"svc/bench/node"
)

// constantCommand runs a server that gives one answer to everything: as fast as HTTP on this machine can be.
const constantCommand = "constant-answer"

// constantAnswer is that answer.
type constantAnswer struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

// constantOf is an answer of a node with its body cut or repeated to a size.
func constantOf(a node.Answer, size int) constantAnswer {
	c := constantAnswer{Status: a.Status, Header: a.Header.Clone()}
	for _, own := range []string{"Date", "Content-Length", "Connection"} {
		c.Header.Del(own) // the server writes its own
	}
	for len(a.Body) > 0 && len(c.Body) < size {
		c.Body = append(c.Body, a.Body...)
	}
	c.Body = c.Body[:size]
	return c
}

// serveConstant reads an answer, says where it gives it, and ends with its input.
func serveConstant(ctx context.Context, in io.Reader, out io.Writer) error {
	input := bufio.NewReader(in)
	line, err := input.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s: the answer: %w", constantCommand, err)
	}
	var answer constantAnswer
	if err := json.Unmarshal(line, &answer); err != nil {
		return fmt.Errorf("%s: the answer: %w", constantCommand, err)
	}
	server := &fasthttp.Server{NoDefaultServerHeader: true, Handler: func(ctx *fasthttp.RequestCtx) {
		ctx.SetStatusCode(answer.Status)
		for name, values := range answer.Header {
			ctx.Response.Header.Set(name, values[0])
		}
		ctx.SetBody(answer.Body)
	}}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, listener.Addr()); err != nil {
		return err
	}
	go func() {
		// The end of the input is the sign; how it ends does not matter.
		_, _ = io.Copy(io.Discard, input)
		_ = listener.Close()
	}()
	if err := server.Serve(listener); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// server is a program in a process of its own that prints its address once it listens and ends with its input.
type server struct {
	address string
	cmd     *exec.Cmd
	input   io.WriteCloser
}

func startConstant(answer constantAnswer) (*server, error) {
	line, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startServer(append(line, '\n'), program, constantCommand)
}

// startServer starts a program, tells it the first line, and waits for its address.
func startServer(first []byte, program string, args ...string) (*server, error) {
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd, input: input}
	if _, err = input.Write(first); err == nil {
		s.address, err = bufio.NewReader(output).ReadString('\n')
	}
	if s.address = strings.TrimSpace(s.address); err != nil {
		return nil, errors.Join(fmt.Errorf("%s does not start: %w", strings.Join(cmd.Args, " "), err), s.stop())
	}
	return s, nil
}

func (s *server) stop() error {
	return errors.Join(s.input.Close(), s.cmd.Wait())
}
