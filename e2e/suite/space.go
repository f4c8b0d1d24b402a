package suite

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/probity-dev/probity/e2e/controlplane"
)

// Developer is the ordinary user of every space.
const Developer = "developer"

// Space is the namespace of a test, with an ordinary user who may edit there.
type Space struct {
	// T is the test, which ends when a method fails.
	T testing.TB
	// Name is that of the namespace.
	Name string
	// User is the path of Developer's kubeconfig.
	User string
	// Administrator is the path of the kubeconfig of one who may do everything.
	Administrator string
	// Client is the administrator's.
	Client kubernetes.Interface

	control *controlplane.ControlPlane
}

// spaces makes names differ.
var spaces atomic.Int32

// New makes a namespace whose name begins with the prefix and was not used before.
// Labels are "probity.dev/mode=enforce" and so on. It is deleted when the test ends.
func New(t testing.TB, control *controlplane.ControlPlane, prefix string, labels ...string) *Space {
	t.Helper()
	return Named(t, control, prefix+"-"+strconv.Itoa(int(spaces.Add(1))), labels...)
}

// Named is New with the whole name. It may be one that a test before this one had: the
// end of that namespace is waited for.
func Named(t testing.TB, control *controlplane.ControlPlane, name string, labels ...string) *Space {
	t.Helper()
	s := &Space{T: t, Name: name, control: control}
	var err error
	if s.Client, err = kubernetes.NewForConfig(control.Admin()); err != nil {
		t.Fatal(err)
	}
	if s.Administrator, err = control.Kubeconfig(control.Admin()); err != nil {
		t.Fatal(err)
	}
	s.create(labels)
	s.User = s.As(Developer)
	// Pods need the default service account, which a controller makes.
	s.Await("the default service account", func(ctx context.Context) error {
		_, err := s.Client.CoreV1().ServiceAccounts(name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	return s
}

func (s *Space) create(labels []string) {
	s.T.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.Name, Labels: map[string]string{}}}
	for _, l := range labels {
		key, value, _ := strings.Cut(l, "=")
		ns.Labels[key] = value
	}
	s.Await("the end of the namespace that had the name "+s.Name, func(ctx context.Context) error {
		_, err := s.Client.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			s.T.Fatal(err)
		}
		return err
	})
	s.T.Cleanup(func() {
		err := s.Client.CoreV1().Namespaces().Delete(context.Background(), s.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			s.T.Error(err)
		}
	})
}

// In is the same space for a subtest, whose failures it tells.
func (s *Space) In(t testing.TB) *Space {
	inner := *s
	inner.T = t
	return &inner
}

// As returns the path of the kubeconfig of a user who may edit in the namespace.
func (s *Space) As(user string, groups ...string) (kubeconfig string) {
	s.T.Helper()
	kubeconfig, err := s.control.Editor(s.T.Context(), user, groups, s.Name)
	if err != nil {
		s.T.Fatal(err)
	}
	return kubeconfig
}

// Account is As for a service account of the namespace.
func (s *Space) Account(name string) (kubeconfig string) {
	s.T.Helper()
	user, groups := controlplane.ServiceAccount(s.Name, name)
	return s.As(user, groups...)
}

// Kubectl runs kubectl in the namespace as the ordinary user. Stdin is a manifest as
// a rule, and stderr holds the warnings.
func (s *Space) Kubectl(stdin string, args ...string) (stdout, stderr string, err error) {
	s.T.Helper()
	return s.KubectlAs(s.User, stdin, args...)
}

// KubectlAs is Kubectl with another kubeconfig.
func (s *Space) KubectlAs(kubeconfig, stdin string, args ...string) (stdout, stderr string, err error) {
	s.T.Helper()
	return s.control.Kubectl(s.T.Context(), kubeconfig, stdin, append([]string{"-n", s.Name}, args...)...)
}

// Must is Kubectl that may not fail.
func (s *Space) Must(stdin string, args ...string) (stdout, stderr string) {
	s.T.Helper()
	return s.must(s.User, stdin, args)
}

// Admin is Must as the administrator.
func (s *Space) Admin(stdin string, args ...string) (stdout, stderr string) {
	s.T.Helper()
	return s.must(s.Administrator, stdin, args)
}

func (s *Space) must(kubeconfig, stdin string, args []string) (stdout, stderr string) {
	s.T.Helper()
	stdout, stderr, err := s.KubectlAs(kubeconfig, stdin, args...)
	if err != nil {
		s.T.Fatalf("kubectl %s: %v\n%s%s", strings.Join(args, " "), err, stdout, stderr)
	}
	return stdout, stderr
}

// Label changes labels of the namespace, as the administrator, and returns what Probity
// says of it. "probity.dev/mode-" takes one away.
func (s *Space) Label(labels ...string) (warnings string) {
	s.T.Helper()
	_, warnings = s.Admin("", append([]string{"label", "--overwrite", "namespace", s.Name}, labels...)...)
	return warnings
}

// APIServerLog returns the path of what the API server prints: which webhook did not
// answer, and why, for example.
func (s *Space) APIServerLog() string { return filepath.Join(s.control.Dir(), "kube-apiserver.log") }

// Eventually is [Eventually] for the test of the space.
func (s *Space) Eventually(what string, ok func(context.Context) bool) {
	s.T.Helper()
	Eventually(s.T, what, ok)
}

// Await is [Await] for the test of the space.
func (s *Space) Await(what string, check func(context.Context) error) {
	s.T.Helper()
	Await(s.T, what, check)
}
