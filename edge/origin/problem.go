package origin

import (
	"github.com/valyala/fasthttp"

	"svc/shared/problem"
)

// WriteProblem answers ctx with the problem body of a failure.
func WriteProblem(ctx *fasthttp.RequestCtx, err error, requestID string) {
	WriteProblemAs(ctx, 0, err, requestID)
}

// WriteProblemAs is WriteProblem under a status that HTTP itself has for requests that cannot be read.
func WriteProblemAs(ctx *fasthttp.RequestCtx, status int, err error, requestID string) {
	answer := problem.RenderAs(status, err, requestID)
	ctx.SetStatusCode(answer.Status)
	ctx.Response.Header.SetNoDefaultContentType(true)
	for _, h := range answer.Headers {
		ctx.Response.Header.Set(h.Name, h.Value)
	}
	ctx.SetBody(answer.Body)
}
