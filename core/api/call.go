package api

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"svc/core/access"
	"svc/core/account"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/fault"
)

// call is one request on its way through a route.
type call struct {
	server       *Server
	gin          *gin.Context
	work         context.Context // ends when the time for the request is over
	clock        *clock
	route        *route
	query        url.Values
	actor        *access.Actor
	refusal      error                 // of the credential, where the route explains it: there is no actor then
	organization *account.Organization // named by the path
	project      *project.Project      // named by the path
	raw          []byte                // of the body, once read
	cleanup      []func()
}

// close gives back what the call took.
func (c *call) close() {
	for _, f := range slices.Backward(c.cleanup) {
		f()
	}
}

func (c *call) ctx() context.Context { return c.work }

// param returns a part of the path.
func (c *call) param(name string) string { return c.gin.Param(name) }

// authorise finds out who calls, what the path names, and whether the one may touch the other.
func (c *call) authorise() error {
	actor, err := access.Authenticate(c.ctx(), c.server.Pool, joined(c.gin.Request.Header, "Authorization"))
	if errors.Is(err, access.ErrOtherKind) && c.route.is(explains) {
		c.refusal = err
		return nil
	}
	if err != nil {
		return err
	}
	c.actor = actor
	if body, ok := c.gin.Request.Body.(*pacedBody); ok {
		body.known = true
	}
	for _, p := range c.gin.Params {
		if !isText(p.Value) {
			return fault.New(fault.NotFound, "there is no such path")
		}
	}
	named, err := c.locate(c.route, c.param)
	if err == nil {
		err = access.Require(actor, c.route.need(named.at))
	}
	if fault.Is(err, fault.NotFound) && c.route.is(anywhere) {
		return nil
	}
	c.organization, c.project = named.organization, named.project
	return err
}

// located is what the path of a call names, as far as it does, and the place of all that.
type located struct {
	organization *account.Organization
	project      *project.Project
	at           access.Place
}

// locate resolves the organization, project and collection that a path of the route names, given its parameters. A route
// that names none is about the caller's own organization.
func (c *call) locate(r *route, param func(name string) string) (named located, err error) {
	if ref := param("organization"); ref != "" {
		if named.organization, err = account.GetOrganization(c.ctx(), c.server.Pool, ref); err != nil {
			return named, err
		}
		named.at.Organization = named.organization.ID
	}
	if ref := param("project"); ref != "" {
		if named.project, err = project.Get(c.ctx(), c.server.Pool, ref); err != nil {
			return named, err
		}
		named.at = named.project.Place()
		named.at.Collection = param("collection")
	}
	if named.at == (access.Place{}) && r.scope != "" {
		named.at.Organization = c.actor.Organization
	}
	return named, nil
}

// page is the page of a list that is asked for.
func (c *call) page() postgres.Page {
	limit, _ := pageSize(c.query.Get("limit")) // checked with the query; without one it is the default
	return postgres.Page{Limit: limit, Cursor: c.query.Get("cursor"), List: c.list()}
}

// pageSize reads the limit parameter; out of range it is the nearest value in range.
func pageSize(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, err
	}
	return min(max(n, 1), postgres.MaxLimit), nil
}

// list names the list that is asked for: the route, what its path names, and the parameters that narrow it. A project or
// an organization is the same under its id and its slug.
func (c *call) list() string {
	name := c.route.path
	for _, p := range c.gin.Params {
		value := p.Value
		switch p.Key {
		case "project":
			value = string(c.project.ID)
		case "organization":
			value = string(c.organization.ID)
		}
		name += "\n" + value
	}
	narrowed := maps.Clone(c.query)
	delete(narrowed, "limit")
	delete(narrowed, "cursor")
	return name + "\n?" + narrowed.Encode()
}

// idAt reads an id from a body or a parameter.
func idAt[T content.ID](path, text string) (T, error) {
	id, err := content.ParseID[T](text)
	if err != nil {
		return id, fault.Invalid(path, "must be an id of the form %s_ and 26 characters", id.Prefix())
	}
	return id, nil
}

// isText reports whether the database can store s, and so whether anything can be called that.
func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

func parseQuery(raw string) (url.Values, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, fault.Invalid("query", "is not well-formed: %v", err)
	}
	return values, nil
}
