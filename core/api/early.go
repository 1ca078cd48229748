package api

import (
	"io"
	"net/http"
)

// maxDrain is how much of a body that nobody wants is read and dropped.
const maxDrain = 64 << 20

// answerEarly lets the answer go out although the body still comes, and returns what takes the rest of that off the
// line once the answer is sent: a caller who is sending would otherwise meet a broken connection instead of the
// answer. Strangers and bodies beyond maxDrain are cut off.
func (c *call) answerEarly() (dropRest func()) {
	r := c.gin.Request
	body, ok := r.Body.(*pacedBody)
	waits := r.Header.Get("Expect") != "" && (!ok || body.read == 0) // for a go-ahead that does not come
	if !ok || body.done || waits || c.actor == nil || r.ContentLength > maxDrain {
		return func() {}
	}
	if http.NewResponseController(c.gin.Writer).EnableFullDuplex() != nil {
		return func() {} // the server reads ahead by itself
	}
	return func() {
		c.gin.Writer.Flush()
		_, _ = io.CopyN(io.Discard, body, maxDrain) // what cannot be read is not there to be dropped
	}
}
