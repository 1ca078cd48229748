package access

import (
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

// Place is what an actor wants to touch. Project is empty for what belongs to the organization itself, Collection
// where the action is not about one.
type Place struct {
	Organization content.OrganizationID
	Project      content.ProjectID
	Collection   string
}

// Need is what a call takes.
type Need struct {
	// Place is what the call touches; the zero Place is nothing that could be out of reach.
	Place
	// Scope is what the credential must carry; with none any credential will do.
	Scope credential.Scope
	// Whole says that the call reaches beyond single collections: a key that is confined to some may not make it.
	Whole bool
}

// Check is a step of authorising a call (contract, "Access check meaning").
type Check string

const (
	CheckCredential Check = "credential" // that there is one, of a kind that may be used
	CheckProject    Check = "project"    // that the place is the actor's to see at all
	CheckCapability Check = "capability" // that the actor may do this
	CheckCollection Check = "collection" // that the actor is not confined to other collections
)

// checks are all steps, in the order in which they are made.
var checks = []struct {
	name Check
	of   func(a *Actor, n Need) error
}{{CheckCredential, present}, {CheckProject, reaches}, {CheckCapability, capable}, {CheckCollection, covers}}

// Checks lists the checks in the order in which they are made.
func Checks() []Check {
	names := make([]Check, len(checks))
	for i, c := range checks {
		names[i] = c.name
	}
	return names
}

// Require checks that the actor may make a call: NOT_FOUND where the place belongs to somebody else, FORBIDDEN where
// the scope is missing or the key is confined to other collections.
func Require(a *Actor, n Need) error {
	_, err := Explain(a, n)
	return err
}

// Explain is Require that also names the check which refuses the call.
func Explain(a *Actor, n Need) (refused Check, err error) {
	for _, c := range checks {
		if err := c.of(a, n); err != nil {
			return c.name, err
		}
	}
	return "", nil
}

func present(a *Actor, _ Need) error {
	if a == nil {
		return noCredential()
	}
	return nil
}

func noCredential() error {
	return fault.New(fault.AuthenticationRequired, "this needs a credential: send Authorization: Bearer <API key>")
}

func reaches(a *Actor, n Need) error {
	switch at := n.Place; {
	case a.Grant == nil || at == Place{}:
		return nil
	case at.Project != "" && !a.Grant.Reaches(at.Organization, at.Project):
		return fault.New(fault.NotFound, "there is no such project")
	case at.Organization != a.Organization:
		return fault.New(fault.NotFound, "there is no such organization")
	}
	return nil
}

func capable(a *Actor, n Need) error {
	switch at := n.Place; {
	case a.Grant != nil && at != Place{} && at.Project == "" && a.Grant.Project != "":
		return fault.New(fault.Forbidden, "the API key is confined to one project; this needs a key of the organization")
	case n.Scope != "" && !Carries(a, n.Scope):
		return fault.New(fault.Forbidden, "this needs the scope %s, which the API key does not carry", n.Scope)
	}
	return nil
}

func covers(a *Actor, n Need) error {
	if _, confined := Confined(a); n.Whole && confined {
		return fault.New(fault.Forbidden, "the API key is confined to some collections; this needs one that is not")
	}
	if n.Collection == "" {
		return nil
	}
	return Confine(a, n.Collection)
}

// Carries reports whether the actor carries a scope, for answers that say more to those who do.
func Carries(a *Actor, scope credential.Scope) bool { return a.Grant == nil || a.Grant.Has(scope) }

// Confine checks that the actor is not confined to other collections.
func Confine(a *Actor, collection string) error {
	if a.Grant == nil || a.Grant.Covers(collection) {
		return nil
	}
	return fault.New(fault.Forbidden, "the API key is confined to other collections than %q", collection)
}

// Confined reports whether the actor may touch only some collections, and which.
func Confined(a *Actor) ([]string, bool) {
	if a.Grant == nil || len(a.Grant.Collections) == 0 {
		return nil, false
	}
	return a.Grant.Collections, true
}
