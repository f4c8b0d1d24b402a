package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What a user must be allowed to exempt from a rule by annotation: the verb on
// the resource of the group, by the rule's id. No such objects exist; RBAC does
// not ask for them.
const (
	exemptVerb     = "exempt"
	exemptGroup    = "probity.dev"
	exemptResource = "rules"
)

const (
	// A permission that is taken away holds for this long, and one that is
	// given is known after this long.
	allowedFor, refusedFor = 30 * time.Second, 5 * time.Second
	// maxAnswers bounds the memory of answers. Users, namespaces and rules that
	// meet within seconds are few.
	maxAnswers = 1024
)

// ReviewClient creates SubjectAccessReviews, as the clientset of client-go does.
type ReviewClient interface {
	Create(ctx context.Context, review *authorizationv1.SubjectAccessReview, options metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error)
}

// AskedPermissions asks the API server, and remembers its answers for seconds.
type AskedPermissions struct {
	reviews ReviewClient
	now     func() time.Time

	mu      sync.Mutex
	answers map[question]answer
}

// question is what is asked, as a digest: a user's extra fields may be long.
type question [sha256.Size]byte

type answer struct {
	allowed bool
	until   time.Time
}

// NewAskedPermissions returns permissions that are asked for through a client.
func NewAskedPermissions(reviews ReviewClient) *AskedPermissions {
	return &AskedPermissions{reviews: reviews, now: time.Now, answers: map[question]answer{}}
}

// MayExempt asks whether the user may exempt from the rule in the namespace, for as
// long as the context lasts. An error is not remembered.
func (p *AskedPermissions) MayExempt(ctx context.Context, user User, namespace, rule string) (bool, error) {
	review := accessReview(user, namespace, rule)
	text, err := json.Marshal(review.Spec)
	if err != nil {
		return false, fmt.Errorf("ask for the permission to exempt from %s: %w", rule, err)
	}
	asked := question(sha256.Sum256(text))
	if a, ok := p.known(asked); ok {
		return a, nil
	}
	answered, err := p.reviews.Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("ask for the permission to exempt from %s: %w", rule, err)
	}
	// An authorizer that failed may have been the one to allow it: the answer is
	// no, and is not kept.
	allowed := answered.Status.Allowed && !answered.Status.Denied
	if !allowed && answered.Status.EvaluationError != "" {
		return false, fmt.Errorf("ask for the permission to exempt from %s: %s", rule, answered.Status.EvaluationError)
	}
	p.keep(asked, allowed)
	return allowed, nil
}

func accessReview(user User, namespace, rule string) *authorizationv1.SubjectAccessReview {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user.Name, UID: user.UID, Groups: user.Groups,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: exemptVerb, Group: exemptGroup, Resource: exemptResource, Name: rule, Namespace: namespace,
		},
	}}
	for key, values := range user.Extra {
		if review.Spec.Extra == nil {
			review.Spec.Extra = map[string]authorizationv1.ExtraValue{}
		}
		review.Spec.Extra[key] = values
	}
	return review
}

func (p *AskedPermissions) known(asked question) (allowed, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, ok := p.answers[asked]
	if !ok || !p.now().Before(a.until) {
		return false, false
	}
	return a.allowed, true
}

func (p *AskedPermissions) keep(asked question, allowed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if len(p.answers) >= maxAnswers {
		for q, a := range p.answers {
			if !now.Before(a.until) {
				delete(p.answers, q)
			}
		}
	}
	if len(p.answers) >= maxAnswers {
		clear(p.answers) // a flood: better to ask again than to grow
	}
	lasts := refusedFor
	if allowed {
		lasts = allowedFor
	}
	p.answers[asked] = answer{allowed, now.Add(lasts)}
}
