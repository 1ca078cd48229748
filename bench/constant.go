package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"
)

// constantCommand runs a server that gives one answer to everything: as fast as HTTP on this machine can be.
const constantCommand = "constant-answer"

// serveConstant answers with a body of so many bytes, or 304 for "0", says where, and ends with its input.
func serveConstant(ctx context.Context, size string, out io.Writer) error {
	n, err := strconv.Atoi(size)
	if err != nil {
		return fmt.Errorf("%s: the size of the answer: %w", constantCommand, err)
	}
	body := bytes.Repeat([]byte("a"), n)
	server := &fasthttp.Server{NoDefaultServerHeader: true, Handler: func(ctx *fasthttp.RequestCtx) {
		h := &ctx.Response.Header
		h.Set("Cache-Control", "public, max-age=0, must-revalidate")
		h.Set("ETag", `"0123456789abcdef0123456789abcdef"`)
		h.Set("Vary", "Origin, Accept-Encoding")
		if n == 0 {
			ctx.SetStatusCode(fasthttp.StatusNotModified)
			return
		}
		ctx.SetContentType("application/json")
		ctx.SetBody(body)
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
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = listener.Close()
	}()
	if err := server.Serve(listener); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// constant is such a server in a process of its own.
type constant struct {
	address string
	cmd     *exec.Cmd
	input   io.WriteCloser
}

func startConstant(size int) (*constant, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, constantCommand, strconv.Itoa(size))
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
	address, err := bufio.NewReader(output).ReadString('\n')
	c := &constant{strings.TrimSpace(address), cmd, input}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the constant server does not start: %w", err), c.stop())
	}
	return c, nil
}

func (c *constant) stop() error {
	return errors.Join(c.input.Close(), c.cmd.Wait())
}
