package api

import (
	"cmp"
	"fmt"
	"strings"

	"svc/core/access"
	"svc/core/schemadeploy"
	"svc/core/wire"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/read"
)

// question is what a caller asks to have explained.
type question struct {
	need       access.Need
	collection string // empty: none in particular
	public     bool   // a public read: the collection says what it takes
	anything   bool   // no call in particular
}

// explainAccess says what the credential may do, by the checks that authorise calls (contract, "Access check meaning").
func explainAccess(c *call) (wire.Access, error) {
	out := wire.Access{Scopes: []credential.Scope{}, Collections: []string{}, Collection: orNull(c.query.Get("collection"))}
	q := question{anything: true}
	refused, why := access.CheckCredential, c.refusal
	if c.refusal == nil {
		var err error
		if q, err = c.asked(); err != nil {
			return out, err
		}
		if refused, why, err = c.explain(&q); err != nil {
			return out, err
		}
		out.Scopes, out.Capability, out.Collection = c.actor.Grant.Scopes, orNull(q.need.Scope), orNull(q.collection)
		out.Collections = append(out.Collections, c.actor.Grant.Collections...)
	}
	var checks []check
	for _, name := range access.Checks() {
		checks = append(checks, check{string(name), func() (string, string, error) {
			if name == refused {
				return fault.As(why).Detail, c.remedy(name, q, why), nil
			}
			return c.granted(name, q), "", nil
		}})
	}
	var err error
	out.Checks, out.Allowed, err = inOrder(checks...)
	return out, err
}

// asked reads what the query asks about: a capability, a route or a tool, and a collection.
func (c *call) asked() (question, error) {
	capability, path, tool := c.query.Get("capability"), c.query.Get("route"), c.query.Get("tool")
	q := question{need: access.Need{Place: c.project.Place()}, collection: c.query.Get("collection")}
	switch {
	case capability != "" && path+tool != "", path != "" && tool != "":
		return q, fault.Invalid("query", "asks about more than one of capability, route and tool; give one of them")
	case capability != "":
		if q.need.Scope = credential.Scope(capability); !q.need.Scope.Known() {
			return q, fault.Invalid("capability", "must be one of %s", scopeList(credential.Scopes()))
		}
	case tool != "":
		takes, known := tools[tool]
		if !known {
			return q, fault.Invalid("tool", "is no tool of the agent tool server; their names begin with svc_, such as svc_publish_change_set")
		}
		if q.need.Scope = takes.scope; takes.route != "" {
			return c.askedRoute("tool", takes.route, q)
		}
	case path != "":
		return c.askedRoute("route", path, q)
	default:
		q.anything = true
	}
	q.need.Collection = q.collection
	return q, nil
}

// askedRoute is the question whether a route may be called.
func (c *call) askedRoute(parameter, text string, q question) (question, error) {
	r, public, values := findRoute(text)
	if r == nil {
		return q, fault.Invalid(parameter, "is no route; give an operationId of /openapi.json, or a method and a path such as POST /v1/projects/:project/change-sets")
	}
	named, err := c.locate(r, func(name string) string {
		switch value, given := values[name]; {
		case given:
			return value
		case name == "project" && strings.Contains(r.path, ":project"):
			return string(c.project.ID)
		case name == "organization" && strings.Contains(r.path, ":organization"):
			return string(c.project.Organization)
		}
		return ""
	})
	if fault.Is(err, fault.NotFound) || err == nil && (named.project != nil && named.project.ID != c.project.ID || named.at.Organization != "" && named.at.Organization != c.project.Organization) {
		return q, fault.Invalid(parameter, "names another project or organization than those of this path; ask there, or give them as :project and :organization")
	}
	q.need, q.public, q.collection = r.need(named.at), public, cmp.Or(q.collection, named.at.Collection)
	q.need.Collection = q.collection
	return q, err
}

// explain makes the checks of a call. It returns the first one that refuses it, and why.
func (c *call) explain(q *question) (refused access.Check, why, err error) {
	var missing error // the collection that was asked about
	if q.collection != "" {
		d, err := schemadeploy.Get(c.ctx(), c.server.Pool, c.project.ID, q.collection)
		switch missing = err; {
		case err != nil && (q.public || !fault.Is(err, fault.NotFound)):
			return notDeployed(err)
		case q.public:
			if q.need.Scope = read.ScopeOf(d.Schema); q.need.Scope == "" {
				return "", nil, nil
			}
		}
	}
	if refused, why := access.Explain(c.actor, q.need); why != nil {
		return refused, why, nil
	}
	return notDeployed(missing)
}

// notDeployed is the answer of explain to what reading a deployed collection came to.
func notDeployed(err error) (access.Check, error, error) {
	if fault.Is(err, fault.NotFound) {
		return access.CheckCollection, err, nil
	}
	return "", nil, err
}

// granted says what a check that passed found.
func (c *call) granted(name access.Check, q question) string {
	switch name {
	case access.CheckCredential:
		return fmt.Sprintf("the API key %q (%s) is valid", c.actor.Label, c.actor.ID)
	case access.CheckProject:
		return "the API key reaches the project " + c.project.Slug
	case access.CheckCapability:
		switch {
		case q.anything:
			return "no call was asked about; the API key carries " + scopeList(c.actor.Grant.Scopes)
		case q.public && q.collection == "":
			return "reading a public collection takes no scope, reading a private one content:read; give a collection to have it looked at"
		case q.need.Scope == "":
			return "this takes no scope"
		}
		return "the API key carries " + string(q.need.Scope)
	}
	confined, is := access.Confined(c.actor)
	switch {
	case q.collection != "":
		return fmt.Sprintf("the collection %q is there and the API key covers it", q.collection)
	case is:
		return "no collection was asked about; the API key is confined to " + strings.Join(confined, ", ")
	}
	return "no collection was asked about; the API key is confined to none"
}

// remedy says what to do about a check that refuses a call.
func (c *call) remedy(refused access.Check, q question, why error) string {
	if refused == access.CheckCredential {
		return "send an API key: Authorization: Bearer svc_sk_…; svc auth verify tells whether it is valid"
	}
	if fault.Is(why, fault.NotFound) {
		return c.deployRemedy()
	}
	mint := "POST /v1/projects/" + c.project.Slug + "/api-keys"
	if q.need.Project == "" {
		mint = "POST /v1/organizations/" + string(c.project.Organization) + "/api-keys"
	}
	switch {
	case refused == access.CheckCapability && access.Carries(c.actor, q.need.Scope):
		return "use an API key of the organization; " + mint + " creates one"
	case refused == access.CheckCapability:
		return fmt.Sprintf("use an API key that carries %s; %s creates one", q.need.Scope, mint)
	case q.need.Whole:
		return "use an API key that is confined to no collections; " + mint + " creates one"
	}
	return fmt.Sprintf("use an API key that is confined to no collections, or whose collections include %q; %s creates one", q.collection, mint)
}

func scopeList(scopes []credential.Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}
