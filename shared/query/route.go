package query

// Route is a kind of public read, or the resolution of preview tokens; each accepts its own set of parameters.
type Route uint8

// The public reads, and the resolution of preview tokens, which is no read of a project.
const (
	RouteCollections Route = iota + 1
	RouteList
	RouteEntry
	RouteSingleton
	RouteBacklinks
	RouteLive
	RouteResolve
)

// Names of parameters.
const (
	paramLimit          = "limit"
	paramCursor         = "cursor"
	paramOrder          = "order"
	paramFields         = "fields"
	paramInclude        = "include"
	paramRepresentation = "representation"
	paramLocale         = "locale"
	paramSearch         = "q"
	paramAt             = "at"
	paramPreview        = "preview"
	paramToken          = "token"
	paramFilter         = "filter[…]" // stands for filter[field] and filter[field][op]
)

var accepted = [...][]string{
	RouteCollections: nil,
	RouteList: {paramLimit, paramCursor, paramOrder, paramFields, paramInclude, paramRepresentation, paramLocale,
		paramSearch, paramAt, paramPreview, paramToken, paramFilter},
	RouteEntry:     {paramFields, paramInclude, paramRepresentation, paramLocale, paramAt, paramPreview, paramToken},
	RouteSingleton: {paramFields, paramInclude, paramRepresentation, paramLocale, paramAt, paramPreview, paramToken},
	RouteBacklinks: {paramAt, paramPreview, paramToken},
	RouteLive:      nil,
	RouteResolve:   {paramPreview, paramToken},
}

// Accepted returns the parameters a route takes, in the order of the interface. Filters appear as "filter[…]".
func (r Route) Accepted() []string { return accepted[r] }
