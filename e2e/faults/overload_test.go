package faults

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// unable is what the API server makes of status 503. After its timeout it would say
// "context deadline exceeded".
const unable = "unable to handle the request"

// TestOverload holds as much as Probity takes at a time, in reviews that never end.
// What users do meanwhile is refused or let through at once, as the failurePolicy says,
// and judged again as soon as the load is gone.
func TestOverload(t *testing.T) {
	s := newSpace(t, local)
	s.stillJudged("before the load")
	for _, tt := range []struct {
		name, reason    string
		reviews         int
		announced, sent int // bytes of each body
	}{
		{"by reviews", "reviews", 2048 + 50, 2, 1},
		// A buffer grows to the announced size once the half of it has come.
		{"by bytes of bodies", "bytes", 32 + 8, 1<<20 - 1, 768 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := space{s.In(t)}
			ended := local.Probity.Ended()
			before := metric(t.Context(), local.Probity, "probity_admission_rejected_total", map[string]string{"reason": tt.reason})
			in.failing(admissionregistrationv1.Fail)
			defer in.failing(admissionregistrationv1.Ignore)
			release := hold(t, tt.reviews, tt.announced, tt.sent)
			in.Await("a refusal for overload", func(ctx context.Context) error {
				o, err := in.faulty(ctx)
				if o == refused && strings.Contains(err.Error(), unable) {
					return nil
				}
				return fmt.Errorf("outcome %d, %w", o, err)
			})
			in.failing(admissionregistrationv1.Ignore)
			in.Await("a request that goes through unjudged", func(ctx context.Context) error {
				o, err := in.faulty(ctx)
				if o == unjudged {
					return nil
				}
				return fmt.Errorf("outcome %d, %w", o, err)
			})
			release()
			in.judged()
			if after := metric(t.Context(), local.Probity, "probity_admission_rejected_total", map[string]string{"reason": tt.reason}); after <= before {
				t.Errorf("the metric counts no overload: %v, then %v", before, after)
			}
			select {
			case <-ended:
				t.Error("Probity has ended")
			default:
			}
		})
	}
}

// retry is when a review is begun again that Probity refused, or cut off as it does after
// seconds: at once would be a load of another kind.
const retry = 100 * time.Millisecond

// cutOff is somewhat longer than Probity takes to cut a review off.
const cutOff = 6 * time.Second

// hold keeps as many reviews in flight as Probity takes, of somewhat more that are
// offered, each with a body of which only a part comes.
func hold(t *testing.T, reviews, announced, sent int) (release func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	transport := &http.Transport{
		// It is the load that is tested, not the certificate.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true, MaxConnsPerHost: 64,
	}
	client := &http.Client{Transport: transport}
	var all sync.WaitGroup
	for range reviews {
		all.Go(func() {
			again := time.NewTicker(retry)
			defer again.Stop()
			for ctx.Err() == nil {
				post(ctx, client, announced, sent)
				select {
				case <-ctx.Done():
				case <-again.C:
				}
			}
		})
	}
	release = sync.OnceFunc(func() {
		cancel()
		all.Wait()
		transport.CloseIdleConnections()
	})
	t.Cleanup(release)
	return release
}

// post sends a part of a body and waits until Probity or the context ends it.
func post(ctx context.Context, client *http.Client, announced, sent int) {
	ctx, cancel := context.WithTimeout(ctx, cutOff)
	defer cancel()
	rest, never := io.Pipe()
	context.AfterFunc(ctx, func() { never.CloseWithError(ctx.Err()) })
	body := io.MultiReader(bytes.NewReader(make([]byte, sent)), rest)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+local.Probity.Addr()+"/validate?timeout=2s", body)
	if err != nil {
		return // The address is one.
	}
	request.ContentLength = int64(announced)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return
	}
	_ = response.Body.Close()
}
