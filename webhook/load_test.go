package webhook

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/probity-dev/probity/validate"
)

const probed = `{"name":"app","livenessProbe":{"tcpSocket":{"port":1}}}`

// begin sends a review whose body waits until the returned function is called.
func begin(t *testing.T, h *Handler) (finish func() (int, string)) {
	t.Helper()
	reader, writer := io.Pipe()
	answer := httptest.NewRecorder()
	var done sync.WaitGroup
	done.Go(func() {
		r := httptest.NewRequest(http.MethodPost, "/", reader)
		r.Header.Set("Content-Type", "application/json")
		h.Validate().ServeHTTP(answer, r)
	})
	body := podWith(probed)
	if _, err := io.WriteString(writer, body[:10]); err != nil {
		t.Fatal(err)
	}
	return func() (int, string) {
		_, _ = io.WriteString(writer, body[10:])
		_ = writer.Close()
		done.Wait()
		return answer.Code, answer.Body.String()
	}
}

func TestOverloadIsRefusedAtOnceAndEndsByItself(t *testing.T) {
	tests := []struct {
		name, want, reason string
		limit              func(*load)
	}{
		{"reviews", "Probity is overloaded: the reviews in flight have reached their limit of 2\n", tooMany, func(l *load) { l.maxReviews = 2 }},
		{"bytes of bodies", "Probity is overloaded: the bodies of reviews in flight are over 1 MiB\n", tooLarge, func(l *load) { l.maxBytes = 1<<20 + 1<<10 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHandler(t, enforce())
			tt.limit(h.load)
			first, second := begin(t, h), begin(t, h)
			large := []byte(podWith(probed) + strings.Repeat(" ", 1<<20))
			r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(large))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.Validate().ServeHTTP(w, r)
			// With Retry-After an API server would ask again, until its timeout.
			if w.Code != http.StatusServiceUnavailable || w.Body.String() != tt.want || w.Header().Get("Retry-After") != "" {
				t.Errorf("got %d %q, Retry-After %q", w.Code, w.Body, w.Header().Get("Retry-After"))
			}
			if n := testutil.ToFloat64(h.Metrics.rejected.WithLabelValues("validate", tt.reason)); n != 1 {
				t.Errorf("counted %v refusals", n)
			}
			for _, finish := range []func() (int, string){first, second} {
				if code, answer := finish(); code != http.StatusOK {
					t.Errorf("who came first got %d %s", code, answer)
				}
			}
			if code, answer := send(t, h.Validate(), "application/json", large[:len(large)-1<<19]); code != http.StatusOK {
				t.Errorf("afterwards: got %d %s", code, answer)
			}
			if l := h.load; l.reviews.Load() != 0 || l.bytes.Load() != 0 || len(l.cores) != 0 {
				t.Errorf("afterwards %d reviews, %d bytes and %d cores are taken", l.reviews.Load(), l.bytes.Load(), len(l.cores))
			}
		})
	}
}

// TestAnOrdinaryBurstIsTaken: there is room for 1,800 usual reviews at once, as many
// as three API servers can have in flight. Whether they are judged in time is up to the
// machine.
func TestAnOrdinaryBurstIsTaken(t *testing.T) {
	h := newHandler(t, enforce())
	usual := []byte(podWith(probed) + strings.Repeat(" ", 11<<10))
	var burst sync.WaitGroup
	for range 1_800 {
		burst.Go(func() {
			r := httptest.NewRequest(http.MethodPost, "/?timeout=30s", bytes.NewReader(usual))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.Validate().ServeHTTP(w, r)
			if late := "no core came free"; w.Code != http.StatusOK && !strings.Contains(w.Body.String(), late) {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
		})
	}
	burst.Wait()
	for _, reason := range []string{tooMany, tooLarge} {
		if n := testutil.ToFloat64(h.Metrics.rejected.WithLabelValues("validate", reason)); n > 0 {
			t.Errorf("%v reviews were refused for their %s", n, reason)
		}
	}
}

// TestWhoWaitsGivesTheCoreAway: reviews that wait for a namespace let others be
// judged; and one that no core comes free for is refused in time.
func TestWhoWaitsGivesTheCoreAway(t *testing.T) {
	inside, released := make(chan struct{}), make(chan struct{})
	waits := false
	h := newHandler(t, settingsFunc(func(w *waiting) (validate.Settings, error) {
		if waits {
			_ = w.Done()
		}
		inside <- struct{}{}
		<-released
		return validate.Settings{}, nil
	}))
	h.load.cores = make(chan struct{}, 1)
	var first sync.WaitGroup
	post := func(query string) (int, string) {
		r := httptest.NewRequest(http.MethodPost, "/"+query, strings.NewReader(podWith(probed)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.Validate().ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	first.Go(func() { post("") })
	<-inside
	if code, answer := post("?timeout=40ms"); code != http.StatusServiceUnavailable || answer != "Probity is overloaded: no core came free in the time that the API server waits\n" {
		t.Errorf("got %d %s", code, answer)
	}
	released <- struct{}{}
	first.Wait()

	waits = true
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if code, answer := post(""); code != http.StatusOK {
				t.Errorf("got %d %s", code, answer)
			}
		})
	}
	<-inside
	<-inside // the second one got in while the first one waits
	close(released)
	both.Wait()
}

// settingsFunc answers with the context of the review in hand.
type settingsFunc func(*waiting) (validate.Settings, error)

func (f settingsFunc) Settings(ctx context.Context, _ string) (validate.Settings, error) {
	return f(ctx.(*waiting))
}
