package edge_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
)

// TestLeavingEndsConnectionsWithAnAnswer: none is closed while it seems idle, which
// fails the request that was just put on it.
func TestLeavingEndsConnectionsWithAnAnswer(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			r := start(t, nil)
			client := r.client(t)
			if protocol == "HTTP/1.1" { // as API servers call a Service
				client.Transport.(*http.Transport).ForceAttemptHTTP2 = false
			}
			ask := func() (reused bool) {
				t.Helper()
				ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }})
				if got := sendReview(ctx, t, r, client); got != protocol {
					t.Fatalf("answered over %s", got)
				}
				return reused
			}
			ask()
			if !ask() {
				t.Fatal("a second request is on a connection of its own, which shows nothing")
			}
			r.server.Leave()
			if !ask() {
				t.Error("the connection was closed without an answer that says so")
			}
			eventually(t, func() bool { return !ask() })
			if ask() {
				t.Error("a connection that was made after the server left is used twice")
			}
		})
	}
}

// sendReview sends a review, and returns the protocol of the answer.
func sendReview(ctx context.Context, t *testing.T, r *running, client *http.Client) (protocol string) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+r.addr+"/validate", strings.NewReader(review))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil { // only then it is used again
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
	return response.Proto
}
