package webhook

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reviewer answers reviews with a status, and keeps what it was asked.
type reviewer struct {
	status authorizationv1.SubjectAccessReviewStatus
	err    error
	asked  []authorizationv1.SubjectAccessReviewSpec
}

func (r *reviewer) Create(_ context.Context, review *authorizationv1.SubjectAccessReview, _ metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error) {
	r.asked = append(r.asked, review.Spec)
	return &authorizationv1.SubjectAccessReview{Status: r.status}, r.err
}

// clocked returns permissions with a clock that the test moves.
func clocked(r *reviewer) (*AskedPermissions, *time.Time) {
	now := time.Date(2027, 1, 10, 12, 0, 0, 0, time.UTC)
	p := NewAskedPermissions(r)
	p.now = func() time.Time { return now }
	return p, &now
}

func TestWhatTheAPIServerIsAsked(t *testing.T) {
	r := &reviewer{status: authorizationv1.SubjectAccessReviewStatus{Allowed: true}}
	p, _ := clocked(r)
	user := User{Name: "alice", UID: "7", Groups: []string{"devs"}, Extra: map[string][]string{"scopes": {"a"}}}
	if ok, err := p.MayExempt(t.Context(), user, "shop", "probe-period"); !ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	want := []authorizationv1.SubjectAccessReviewSpec{{
		User: "alice", UID: "7", Groups: []string{"devs"}, Extra: map[string]authorizationv1.ExtraValue{"scopes": {"a"}},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: "shop", Verb: "exempt", Group: "probity.dev", Resource: "rules", Name: "probe-period"},
	}}
	if diff := cmp.Diff(want, r.asked); diff != "" {
		t.Error(diff)
	}
}

func TestAnswersAreKeptForSeconds(t *testing.T) {
	tests := []struct {
		name   string
		status authorizationv1.SubjectAccessReviewStatus
		err    error
		after  time.Duration
		asked  int
	}{
		{"a yes", authorizationv1.SubjectAccessReviewStatus{Allowed: true}, nil, allowedFor - 1, 1},
		{"a yes that is old", authorizationv1.SubjectAccessReviewStatus{Allowed: true}, nil, allowedFor, 2},
		{"a no", authorizationv1.SubjectAccessReviewStatus{}, nil, refusedFor - 1, 1},
		{"a no that is old", authorizationv1.SubjectAccessReviewStatus{}, nil, refusedFor, 2},
		{"no answer is asked again", authorizationv1.SubjectAccessReviewStatus{}, errors.New("gone"), 0, 2},
		{"nor is a no kept whose authorizer failed", authorizationv1.SubjectAccessReviewStatus{EvaluationError: "webhook gone"}, nil, 0, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &reviewer{status: tt.status, err: tt.err}
			p, now := clocked(r)
			first, err := p.MayExempt(t.Context(), User{Name: "alice"}, "shop", "probe-period")
			if failed := tt.err != nil || tt.status.EvaluationError != ""; (err != nil) != failed || first != tt.status.Allowed {
				t.Errorf("%v %v", first, err)
			}
			*now = now.Add(tt.after)
			if again, _ := p.MayExempt(t.Context(), User{Name: "alice"}, "shop", "probe-period"); again != first {
				t.Errorf("then %v", again)
			}
			if len(r.asked) != tt.asked {
				t.Errorf("asked %d times", len(r.asked))
			}
		})
	}
}

func TestOthersAreAskedAboutAnew(t *testing.T) {
	r := &reviewer{}
	p, _ := clocked(r)
	for _, user := range []User{{Name: "alice"}, {Name: "bob"}, {Name: "bob", Groups: []string{"ops"}}, {Name: "bob", UID: "1"}, {Name: "bob", Extra: map[string][]string{"a": nil}}} {
		for _, namespace := range []string{"shop", "bank"} {
			for _, rule := range []string{"probe-period", "liveness-window"} {
				if _, err := p.MayExempt(t.Context(), user, namespace, rule); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if len(r.asked) != 5*2*2 {
		t.Errorf("asked %d times", len(r.asked))
	}
}

func TestAnswersAreBounded(t *testing.T) {
	r := &reviewer{status: authorizationv1.SubjectAccessReviewStatus{Allowed: true}}
	p, _ := clocked(r)
	for i := range 3 * maxAnswers {
		if _, err := p.MayExempt(t.Context(), User{Name: strconv.Itoa(i)}, "shop", "probe-period"); err != nil {
			t.Fatal(err)
		}
		if len(p.answers) > maxAnswers {
			t.Fatalf("%d answers are kept", len(p.answers))
		}
	}
}
