package budget

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// change is one that a person or a controller makes. It asks the API server directly,
// so that many can be made at once, and a moment after the last Probity can be killed.
type change func(context.Context, space) error

// life is a change after which web must have no budget, and one after which it must
// have one again.
type life struct {
	name           string
	without, again change
}

func lives() []life {
	return []life{
		{"scaled to one and back", scale(1), scale(3)},
		{"scaled to zero and back", scale(0), scale(3)},
		{"an autoscaler takes over, with a minimum of one, then two", create(autoscaler), atLeast(2)},
		{"a user's budget comes and goes", create(userBudget("mine", "app: web")), deleteBudget("mine")},
		{"the namespace opts out and in", label("inject", `"startup"`), label("inject", "null")},
		{"the namespace goes to warn and back", label("mode", `"warn"`), label("mode", `"enforce"`)},
		{"the namespace leaves and comes back", leave, comeBack},
		{"the workload declines, then asks", annotate("none"), annotate("all")},
		{"another workload with the same pods comes and goes", create(twin), deleteDeployment("twin")},
	}
}

var leave, comeBack = label("mode", "null"), label("mode", `"enforce"`)

const autoscaler = `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, minReplicas: 1, maxReplicas: 5}}`

var twin = strings.NewReplacer("name: web", "name: twin", "labels: {app: web}", "labels: {app: web, track: canary}", "matchLabels: {app: web}", "matchLabels: {app: web, track: canary}").Replace(deployment("web", 1))

func create(manifest string) change {
	return func(ctx context.Context, s space) error { return s.create(ctx, manifest) }
}

// create makes an object of a kind that is here.
func (s space) create(ctx context.Context, manifest string) error {
	text, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		return err
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
	if err != nil {
		return err
	}
	switch o := object.(type) {
	case *appsv1.Deployment:
		_, err = s.Client.AppsV1().Deployments(s.Name).Create(ctx, o, metav1.CreateOptions{})
	case *autoscalingv2.HorizontalPodAutoscaler:
		_, err = s.Client.AutoscalingV2().HorizontalPodAutoscalers(s.Name).Create(ctx, o, metav1.CreateOptions{})
	case *policyv1.PodDisruptionBudget:
		_, err = s.Client.PolicyV1().PodDisruptionBudgets(s.Name).Create(ctx, o, metav1.CreateOptions{})
	default:
		err = fmt.Errorf("no test creates a %T", object)
	}
	return err
}

func scale(replicas int) change {
	return patchDeployment(fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas), "scale")
}

func annotate(inject string) change {
	return patchDeployment(fmt.Sprintf(`{"metadata":{"annotations":{"probity.dev/inject":%q}}}`, inject))
}

func patchDeployment(patch string, subresources ...string) change {
	return func(ctx context.Context, s space) error {
		_, err := s.Client.AppsV1().Deployments(s.Name).Patch(ctx, "web", types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...)
		return err
	}
}

func atLeast(replicas int) change {
	return func(ctx context.Context, s space) error {
		patch := fmt.Appendf(nil, `{"spec":{"minReplicas":%d}}`, replicas)
		_, err := s.Client.AutoscalingV2().HorizontalPodAutoscalers(s.Name).Patch(ctx, "web", types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
}

// label sets a label of the namespace below probity.dev; the value is JSON, and null
// takes it away.
func label(key, value string) change {
	return func(ctx context.Context, s space) error {
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{"probity.dev/%s":%s}}}`, key, value)
		_, err := s.Client.CoreV1().Namespaces().Patch(ctx, s.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
}

func deleteBudget(name string) change {
	return func(ctx context.Context, s space) error {
		return s.Client.PolicyV1().PodDisruptionBudgets(s.Name).Delete(ctx, name, metav1.DeleteOptions{})
	}
}

func deleteDeployment(name string) change {
	return func(ctx context.Context, s space) error {
		return s.Client.AppsV1().Deployments(s.Name).Delete(ctx, name, metav1.DeleteOptions{})
	}
}

// make makes a change, which may not fail.
func (s space) make(c change) {
	s.T.Helper()
	if err := c(s.T.Context(), s); err != nil {
		s.T.Fatal(err)
	}
}

func TestABudgetFollowsItsReason(t *testing.T) {
	for _, l := range lives() {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			s := withWeb(t)
			s.made("web")
			s.make(l.without)
			s.gone()
			s.make(l.again)
			s.made("web")
		})
	}
}

// withWeb makes a namespace under enforcement in which web runs.
func withWeb(t *testing.T) space {
	t.Helper()
	s := newSpace(t, enforce)
	s.make(create(deployment("web", 3)))
	return s
}

// beings are lives, each in a namespace of its own, so that all can share a restart of
// Probity.
type beings struct {
	t      *testing.T
	spaces []space // as lives
}

func newBeings(t *testing.T) beings {
	t.Helper()
	b := beings{t: t}
	for range lives() {
		b.spaces = append(b.spaces, withWeb(t))
	}
	b.made()
	return b
}

func (b beings) made() {
	b.t.Helper()
	for i, l := range lives() {
		b.t.Log(l.name)
		b.spaces[i].made("web")
	}
}

func (b beings) gone() {
	b.t.Helper()
	for i, l := range lives() {
		b.t.Log(l.name)
		b.spaces[i].gone()
	}
}

// change makes a change in each life at once.
func (b beings) change(of func(life) change) {
	b.t.Helper()
	var all errgroup.Group
	for i, l := range lives() {
		all.Go(func() error {
			if err := of(l)(b.t.Context(), b.spaces[i]); err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		b.t.Fatal(err)
	}
}

// standing counts the budgets that there are.
func (b beings) standing() (n int) {
	b.t.Helper()
	for _, s := range b.spaces {
		if _, ok := s.budget("web"); ok {
			n++
		}
	}
	return n
}

func without(l life) change { return l.without }

func again(l life) change { return l.again }

// TestABudgetFollowsWhatHappenedMeanwhile has Probity killed before each change, and
// started after it.
func TestABudgetFollowsWhatHappenedMeanwhile(t *testing.T) {
	b := newBeings(t)
	restarted(t, func() { b.change(without) })
	b.gone()
	restarted(t, func() { b.change(again) })
	b.made()
}

// TestABudgetFollowsWhileProbityDies has Probity killed at once after the changes, with
// whatever it was about to write half done.
func TestABudgetFollowsWhileProbityDies(t *testing.T) {
	b := newBeings(t)
	tell := func() { t.Logf("when Probity died, %d budgets of %d were there", b.standing(), len(b.spaces)) }
	b.change(without)
	restarted(t, tell)
	b.gone()
	b.change(again)
	restarted(t, tell)
	b.made()
}

// TestTheLastNamespaceLeaves: where no namespace opts in any more, Probity watches
// nothing, and yet it takes its budgets away.
func TestTheLastNamespaceLeaves(t *testing.T) {
	s := withWeb(t)
	s.alone()
	s.made("web")
	t.Run("as Probity dies", func(t *testing.T) {
		s := space{s.In(t)}
		s.make(leave)
		restarted(t, func() {})
		s.gone()
		s.make(comeBack)
		restarted(t, func() {})
		s.made("web")
	})
	t.Run("while Probity is dead", func(t *testing.T) {
		s := space{s.In(t)}
		restarted(t, func() { s.make(leave) })
		s.gone()
		s.make(comeBack)
		s.made("web")
	})
}

// alone waits until no other namespace opts in: those of earlier tests take a while
// to go.
func (s space) alone() {
	s.T.Helper()
	s.Await("no other namespace opts in", func(ctx context.Context) error {
		all, err := s.Client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{LabelSelector: "probity.dev/mode"})
		if err != nil {
			return err
		}
		for _, n := range all.Items {
			if n.Name != s.Name {
				return fmt.Errorf("%s does", n.Name)
			}
		}
		return nil
	})
}

// restarted does something while Probity is dead.
func restarted(t testing.TB, while func()) {
	t.Helper()
	if err := local.Probity.Kill(); err != nil {
		t.Fatal(err)
	}
	while()
	expire(t)
	if err := local.Probity.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// expire ends the lease of the leader that was killed. It would run out by itself, a
// quarter of a minute later: that a new leader waits for it, e2e/audit shows.
func expire(t testing.TB) {
	t.Helper()
	client, err := kubernetes.NewForConfig(local.ControlPlane.Admin())
	if err != nil {
		t.Fatal(err)
	}
	nobody := []byte(`{"spec":{"holderIdentity":""}}`)
	if _, err := client.CoordinationV1().Leases("probity-system").Patch(t.Context(), "probity", types.MergePatchType, nobody, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}
