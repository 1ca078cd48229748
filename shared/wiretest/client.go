package wiretest

import "net/http"

// Client sends the requests of tests on connections that no other test shares: a test server that stops closes the idle ones
// of http.DefaultTransport, also those that a parallel test is about to use.
var Client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
