package origin

import (
	"github.com/valyala/fasthttp"

	"svc/shared/problem"
)

// WriteProblem answers ctx with the problem body of a failure.
func WriteProblem(ctx *fasthttp.RequestCtx, err error, requestID string) {
	answer := problem.Render(err, requestID)
	ctx.SetStatusCode(answer.Status)
	ctx.Response.Header.SetNoDefaultContentType(true)
	for _, h := range answer.Headers {
		ctx.Response.Header.Set(h.Name, h.Value)
	}
	ctx.SetBody(answer.Body)
}
