// Package edge is the HTTPS server that the API server calls, with limits against
// whoever else can reach it: a network neighbour can open connections and send
// bytes. Each limit stands with its reason in limits.go and has a test.
//
// It takes the place of controller-runtime's webhook server, which leaves nearly
// all of this to net/http's defaults and has no place to say otherwise.
package edge
