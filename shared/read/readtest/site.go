package readtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"svc/shared/problem"
	"svc/shared/query"
	"svc/shared/read"
)

// Site is a server of public reads together with the ways to change what it serves.
type Site struct {
	KeySubject
	Do func(ctx context.Context, c Call) (Answer, error)
}

// Call is one HTTP request without a body.
type Call struct {
	Method  string
	Target  string // path and query
	Headers []problem.Header
}

// Answer is what came back. Header names are in lower case.
type Answer struct {
	Status  int
	Headers map[string]string
	Body    []byte
}

// EngineSite is a site without a server: the read engine as core has it, on the subject's store.
func EngineSite(s KeySubject) Site {
	engine := engineOf(s)
	return Site{s, func(ctx context.Context, c Call) (Answer, error) { return Serve(ctx, engine, c) }}
}

// CachedSite is one that also answers every call from a cache, twice, and fails where that makes a difference.
func CachedSite(s KeySubject, cache *read.Cache) Site {
	plain, cached := engineOf(s), engineOf(s)
	cached.Cache = cache
	return Site{s, func(ctx context.Context, c Call) (Answer, error) {
		want, err := Serve(ctx, plain, c)
		for range 2 {
			got, cachedErr := Serve(ctx, cached, c)
			cache.Wait()
			if fmt.Sprint(cachedErr) != fmt.Sprint(err) || !reflect.DeepEqual(got, want) {
				return got, fmt.Errorf("%s %s: with a cache %d %v %s, %w; want %d %v %s, %w", c.Method, c.Target,
					got.Status, got.Headers, got.Body, cachedErr, want.Status, want.Headers, want.Body, err)
			}
		}
		return want, err
	}}
}

func engineOf(s KeySubject) *read.Engine {
	return &read.Engine{Store: s.Store(), Keys: s.Keys(), Now: time.Now, LocalOrigins: true}
}

// HTTPSite is a site behind a real server at this origin, such as http://127.0.0.1:7400.
func HTTPSite(s KeySubject, origin string) Site {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: 30 * time.Second}
	return Site{s, func(ctx context.Context, c Call) (Answer, error) { return fetch(ctx, client, origin, c) }}
}

func fetch(ctx context.Context, client *http.Client, origin string, c Call) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, c.Method, origin+c.Target, nil)
	if err != nil {
		return Answer{}, err
	}
	for _, h := range c.Headers {
		req.Header.Add(h.Name, h.Value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	a := Answer{Status: resp.StatusCode, Headers: map[string]string{}}
	for name, values := range resp.Header {
		a.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	a.Body, err = io.ReadAll(resp.Body)
	return a, err
}

// ErrForwarded says that an engine leaves the answer to core.
var ErrForwarded = errors.New("the answer is left to core")

// Serve has an engine answer a call, with the routes that servers have. Where it leaves that to core, the error is ErrForwarded.
func Serve(ctx context.Context, engine *read.Engine, c Call) (Answer, error) {
	req, err := request(c)
	if err != nil {
		return Answer{}, err
	}
	resp := engine.Serve(ctx, req)
	defer resp.Release()
	if resp.Err != nil {
		return Answer{}, resp.Err
	}
	if resp.Forward {
		return Answer{}, fmt.Errorf("%s %s: %w", c.Method, c.Target, ErrForwarded)
	}
	a := Answer{Status: resp.Status, Headers: map[string]string{}}
	for _, h := range resp.Headers {
		name := strings.ToLower(h.Name)
		if _, twice := a.Headers[name]; twice {
			return a, fmt.Errorf("the header %s is there twice", h.Name)
		}
		a.Headers[name] = h.Value
	}
	if c.Method != http.MethodHead {
		a.Body = bytes.Clone(resp.Body)
	}
	return a, nil
}

func request(c Call) (*read.Request, error) {
	path, raw, _ := strings.Cut(c.Target, "?")
	rest, found := strings.CutPrefix(path, "/v1/projects/")
	if !found {
		return nil, fmt.Errorf("%s is no path of a public read", path)
	}
	parts := strings.Split(rest, "/")
	for i, p := range parts {
		decoded, err := url.PathUnescape(p)
		if err != nil {
			return nil, err
		}
		parts[i] = decoded
	}
	req := &read.Request{Method: c.Method, RawQuery: raw, Project: parts[0]}
	if err := route(req, parts[1:]); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	fields := map[string]*string{
		"authorization": &req.Authorization, "origin": &req.Origin, "if-none-match": &req.IfNoneMatch,
		"accept-encoding": &req.AcceptEncoding,
	}
	for _, h := range c.Headers {
		if field := fields[strings.ToLower(h.Name)]; field != nil {
			*field = h.Value
		}
		if strings.EqualFold(h.Name, "svc-min-release") {
			req.MinRelease = &h.Value
		}
	}
	return req, nil
}

func route(req *read.Request, parts []string) error {
	if len(parts) > 1 {
		req.Collection = parts[1]
	}
	switch {
	case len(parts) == 1 && parts[0] == "collections":
		req.Route = query.RouteCollections
	case len(parts) == 3 && parts[2] == "singleton":
		req.Route = query.RouteSingleton
	case len(parts) == 3 && parts[2] == "entries":
		req.Route = query.RouteList
	case len(parts) == 4 && parts[2] == "entries":
		req.Route, req.Ref = query.RouteEntry, parts[3]
	case len(parts) == 5 && parts[2] == "entries" && parts[4] == "references":
		req.Route, req.Ref = query.RouteBacklinks, parts[3]
	default:
		return fmt.Errorf("no such route")
	}
	return nil
}
