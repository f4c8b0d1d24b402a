package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/probity-dev/probity/e2e/measure"
)

// answer is what Probity makes of an object in a namespace.
type answer struct {
	refusal  string
	warnings string // in the order of the alphabet
	injected bool
}

func (a answer) String() string {
	return fmt.Sprintf("refused: %q, warnings: %q, injected: %t", a.refusal, a.warnings, a.injected)
}

// ask is one object in one namespace. To the same question there is one answer.
type ask struct {
	object    object
	namespace string
}

func (a ask) String() string { return a.object.name + ", in namespace " + a.namespace }

// client asks, one question at a time.
type client struct {
	dynamic.Interface
	warnings *warnings
}

// warnings are those of one client.
type warnings struct {
	mu   sync.Mutex
	told []string
}

// HandleWarningHeaderWithContext makes warnings a rest.WarningHandlerWithContext.
func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, text)
}

// take returns those that came since it was called last.
func (w *warnings) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	told := w.told
	w.told = nil
	slices.Sort(told)
	return strings.Join(told, "\n")
}

func newClient(access *rest.Config) (*client, error) {
	c := &client{warnings: &warnings{}}
	config := measure.Access(access)
	config.WarningHandlerWithContext = c.warnings
	var err error
	c.Interface, err = dynamic.NewForConfig(config)
	return c, err
}

// errUseless is of an object that the API server itself does not take.
var errUseless = errors.New("not an object of this API server")

// ask makes a dry run of creating the object.
func (c *client) ask(ctx context.Context, a ask) (answer, error) {
	c.warnings.take()
	made, err := c.Resource(a.object.resource).Namespace(a.namespace).Create(ctx, a.object.content, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	switch {
	case err == nil:
		return answer{warnings: c.warnings.take(), injected: injected(made)}, nil
	case refused(err):
		return answer{refusal: err.Error(), warnings: c.warnings.take()}, nil
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err):
		return answer{}, errors.Join(errUseless, err)
	default:
		return answer{}, err
	}
}

// refused reports whether it was Probity that refused.
func refused(err error) bool {
	return strings.Contains(err.Error(), "probity.dev") && strings.Contains(err.Error(), "denied the request")
}

// injected reports whether Probity says in the object that it injected something.
func injected(o *unstructured.Unstructured) bool {
	for _, path := range [][]string{{}, {"spec", "template"}, {"spec", "jobTemplate", "spec", "template"}} {
		if _, found, _ := unstructured.NestedString(o.Object, append(path, "metadata", "annotations", "probity.dev/injected")...); found {
			return true
		}
	}
	return false
}
