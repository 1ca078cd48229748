package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// socketName is the socket in the directory of a running stack through which its owner steers it: HTTP, with
//
//	POST /parts/{part}/stop           keeps a part down; answers with a line for a person
//	POST /parts/{part}/start          starts it again, and answers once it is ready
//	GET  /parts/{part}/environment    the variables of a core or an edge, as an array of "NAME=value"
//
// A fault is a status of 400 or above with a line that says what is wrong.
const socketName = "control.sock"

// serveControl takes requests on the socket until close, which waits for those under way.
func (s *Stack) serveControl() (closeControl func() error, err error) {
	listener, err := s.listenControl()
	if err != nil {
		return nil, fmt.Errorf("control of the stack: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	server := &http.Server{Handler: s.controlHandler(), BaseContext: func(net.Listener) context.Context { return ctx }}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	return func() error {
		// A start that is under way is given up.
		cancel()
		err := errors.Join(server.Shutdown(context.Background()), os.Remove(s.socket()))
		if fault := <-served; !errors.Is(fault, http.ErrServerClosed) {
			err = errors.Join(err, fault)
		}
		return err
	}, nil
}

func (s *Stack) socket() string { return filepath.Join(s.cfg.Dir, socketName) }

func (s *Stack) listenControl() (net.Listener, error) {
	// A killed supervisor has left it behind.
	if err := os.Remove(s.socket()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var listener *net.UnixListener
	err := atSocket(s.cfg.Dir, func(path string) (err error) {
		listener, err = net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: path})
		return err
	})
	if err != nil {
		return nil, err
	}
	// The path it knows is gone by then.
	listener.SetUnlinkOnClose(false)
	if err := os.Chmod(s.socket(), 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// atSocket calls use with a path of the socket that is short enough for the kernel, however long that of the directory is.
func atSocket(dir string, use func(path string) error) error {
	opened, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer opened.Close()
	return use(fmt.Sprintf("/proc/self/fd/%d/%s", opened.Fd(), socketName))
}

func (s *Stack) controlHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /parts/{part}/stop", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("part")
		line, err := fmt.Sprintf("%s is down; bin/local start %s starts it again", name, name), s.StopPart(name)
		if err == nil {
			s.say("%s", line)
		}
		respond(w, line, err)
	})
	mux.HandleFunc("POST /parts/{part}/start", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("part")
		respond(w, name+" is ready", s.StartPart(r.Context(), name))
	})
	mux.HandleFunc("GET /parts/{part}/environment", func(w http.ResponseWriter, r *http.Request) {
		variables, err := s.operatorEnvironment(r.PathValue("part"))
		text, encodeErr := json.Marshal(variables)
		respond(w, string(text), errors.Join(err, encodeErr))
	})
	return mux
}

func respond(w http.ResponseWriter, text string, err error) {
	if err != nil {
		w.WriteHeader(http.StatusConflict)
		text = err.Error()
	}
	// The caller may be gone.
	_, _ = io.WriteString(w, text)
}
