package webhook

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// hanging is an API server that answers nothing, and notes what it was asked.
type hanging struct{ asked []string }

func (a *hanging) wait(ctx context.Context, what string) error {
	a.asked = append(a.asked, what)
	<-ctx.Done()
	return ctx.Err()
}

func (a *hanging) Object(ctx context.Context, _ *workload.Kinds, ref workload.Ref) (*workload.Object, error) {
	return nil, a.wait(ctx, ref.Kind)
}

func (a *hanging) MayExempt(ctx context.Context, _ User, _, rule string) (bool, error) {
	return false, a.wait(ctx, rule)
}

func (a *hanging) Settings(ctx context.Context, namespace string) (validate.Settings, error) {
	return validate.Settings{}, a.wait(ctx, namespace)
}

// TestAllThatAReviewWaitsForEndsTogether: neighbours, then the permissions for two
// rules, each of which could use up the time alone.
func TestAllThatAReviewWaitsForEndsTogether(t *testing.T) {
	const probes = "image: i, livenessProbe: {tcpSocket: {port: 1}, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 1}"
	scaledDown := change{old: webDeployment(2), object: strings.NewReplacer("image: i", probes, "name: web}, spec",
		"name: web, annotations: {probity.dev/exempt: 'probe-timeout-period,liveness-failure-threshold', probity.dev/exempt-reason: r}}, spec").Replace(webDeployment(1))}
	for query, want := range map[string]time.Duration{
		"":              1500 * time.Millisecond,
		"?timeout=2s":   1500 * time.Millisecond,
		"?timeout=1s":   750 * time.Millisecond,
		"?timeout=30s":  1500 * time.Millisecond,
		"?timeout=soon": 1500 * time.Millisecond,
	} {
		t.Run(query, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, api := budgetHandler(t, validate.ModeEnforce, webBudget), &hanging{}
				requirePermission(h, api)
				h.Live = api
				took, _, answer := timed(t, h, query, scaledDown.review(t))
				if took != want {
					t.Errorf("took %s, want %s", took, want)
				}
				if diff := cmp.Diff([]string{"PodDisruptionBudget", "liveness-failure-threshold", "probe-timeout-period"}, api.asked); diff != "" {
					t.Error(diff)
				}
				if !strings.Contains(answer, `"allowed":false`) || !strings.Contains(answer, "could not be asked; try again") || !strings.Contains(answer, "[budget-blocks-drain]") {
					t.Errorf("got %s", answer)
				}
			})
		})
	}
	t.Run("a namespace that is not known", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHandler(t, &hanging{})
			if took, code, answer := timed(t, h, "?timeout=2s", scaledDown.review(t)); took != 1500*time.Millisecond || code != http.StatusInternalServerError {
				t.Errorf("after %s: %d %s", took, code, answer)
			}
		})
	})
}

// timed posts a review as the API server does, and says how long the answer took.
func timed(t *testing.T, h *Handler, query string, review []byte) (took time.Duration, code int, answer string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/validate"+query, strings.NewReader(string(review)))
	r.Header.Set("Content-Type", "application/json")
	w, start := httptest.NewRecorder(), time.Now()
	h.Validate().ServeHTTP(w, r)
	return time.Since(start), w.Code, w.Body.String()
}

func TestOnlyWhoWaitsStartsATimer(t *testing.T) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/validate", nil)
	w := newWaiting(r, time.Now())
	w.end()
	if _, ok := w.Deadline(); ok || w.Err() != nil {
		t.Errorf("a timer runs: %v", w.Err())
	}
	w = newWaiting(r, time.Now())
	if _, ok := w.Deadline(); !ok {
		t.Error("there is no deadline")
	}
	w.end()
	if w.Err() == nil {
		t.Error("the timer still runs")
	}
}
