package validate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload"
)

// Manifests of the changes; %s are labels, %d replicas.
func deploymentWith(name, labels string, replicas int) string {
	return fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s}, spec: {replicas: %d, selector: {matchLabels: {%s}}, template: {metadata: {labels: {%s}}, spec: {containers: [{name: app}]}}}}",
		name, replicas, labels, labels)
}

func daemonSetWith(name, labels string) string {
	return fmt.Sprintf("{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: %s}, spec: {selector: {matchLabels: {%s}}, template: {metadata: {labels: {%s}}, spec: {containers: [{name: app}]}}}}",
		name, labels, labels)
}

func budgetWith(name, spec string, metadata ...string) string {
	return fmt.Sprintf("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: %s%s}, spec: {%s}}", name, strings.Join(append([]string{""}, metadata...), ", "), spec)
}

func hpaWith(least int) string {
	return fmt.Sprintf("{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, minReplicas: %d}}", least)
}

const (
	forWeb  = "selector: {matchLabels: {app: web}}"
	oneWeb  = "minAvailable: 1, " + forWeb
	looseIn = "maxUnavailable: 1, selector: "

	blockedByBudget = "spec.minAvailable is 1, and Deployment web runs 1 pod; no eviction is allowed, and a drain waits forever. " +
		"Set maxUnavailable 1 in place of minAvailable: one pod cannot be kept through a drain. To keep the service up, run 2 pods or more. [budget-blocks-drain]"
	blocked = "PodDisruptionBudget \"web\": " + blockedByBudget
)

func TestChanges(t *testing.T) {
	web := func(replicas int) string { return deploymentWith("web", "app: web", replicas) }
	tests := []struct {
		name, there, old, now string
		want                  []string
	}{
		// Budgets.
		{name: "a budget that lets no pod go", there: web(1), now: budgetWith("web", oneWeb), want: []string{"deny spec.minAvailable: " + blockedByBudget}},
		{name: "a budget that lets one go", there: web(2), now: budgetWith("web", oneWeb)},
		{name: "a budget whose workload may come", now: budgetWith("web", oneWeb)},
		{name: "a budget for other pods", there: deploymentWith("db", "app: db", 1), now: budgetWith("web", oneWeb)},
		{
			name: "an old budget that is changed to block", there: web(1), old: budgetWith("web", looseIn+"{matchLabels: {app: web}}"), now: budgetWith("web", oneWeb),
			want: []string{"deny spec.minAvailable: " + blockedByBudget},
		},
		{
			name: "an old budget that blocked before", there: web(1), old: budgetWith("web", "minAvailable: 2, "+forWeb), now: budgetWith("web", oneWeb),
			want: []string{"warn spec.minAvailable: " + blockedByBudget},
		},
		{
			name: "an old budget that blocked other pods before", there: web(1) + "\n---\n" + deploymentWith("db", "app: db", 1),
			old: budgetWith("web", "minAvailable: 1, selector: {matchLabels: {app: db}}"), now: budgetWith("web", oneWeb),
			want: []string{"deny spec.minAvailable: " + blockedByBudget},
		},
		{name: "an autoscaler keeps two", there: web(1) + "\n---\n" + hpaWith(2), now: budgetWith("web", oneWeb)},
		{name: "the same budget made by Probity's controller is there", there: web(2) + "\n---\n" + madeBudget("web", looseIn+"{matchLabels: {app: web}}"), now: budgetWith("own", oneWeb)},
		{
			name: "a second budget", there: web(2) + "\n---\n" + budgetWith("a", oneWeb), now: budgetWith("b", oneWeb),
			want: []string{"deny spec.selector: spec.selector selects the pods of Deployment web, as budget \"a\" does; the eviction of a pod with two budgets fails with an error, and kubectl drain with it. " +
				"Keep one budget for them; to replace one, delete it first. [budget-overlap]"},
		},
		{name: "a second budget of the same name, after the first", there: web(2) + "\n---\n" + budgetWith("a", oneWeb), now: budgetWith("a", looseIn+"{matchLabels: {app: web}}")},
		{
			name: "a budget that a release of Helm replaces", there: web(2) + "\n---\n" + budgetWith("a", oneWeb, "annotations: {meta.helm.sh/release-name: shop}"),
			now: budgetWith("b", oneWeb, "annotations: {meta.helm.sh/release-name: shop}"),
			want: []string{"warn spec.selector: spec.selector selects the pods of Deployment web, as budget \"a\" does; the eviction of a pod with two budgets fails with an error, and kubectl drain with it. " +
				"Keep one budget for them; to replace one, delete it first. [budget-overlap]"},
		},
		{
			name: "a budget that an application of Argo CD replaces", there: web(2) + "\n---\n" + budgetWith("a", oneWeb, "annotations: {argocd.argoproj.io/tracking-id: 'shop:policy/PodDisruptionBudget:shop/a'}"),
			now:  budgetWith("b", oneWeb, "annotations: {argocd.argoproj.io/tracking-id: 'shop:policy/PodDisruptionBudget:shop/b'}"),
			want: []string{"warn budget-overlap"},
		},
		{
			name: "two budgets of two releases", there: web(2) + "\n---\n" + budgetWith("a", oneWeb, "annotations: {meta.helm.sh/release-name: one}"),
			now: budgetWith("b", oneWeb, "annotations: {meta.helm.sh/release-name: two}"), want: []string{"deny budget-overlap"},
		},
		{
			name: "a budget over a whole namespace", there: web(2), now: budgetWith("all", looseIn+"{}"),
			want: []string{"deny budget-overlap"},
		},
		{name: "a budget without selector selects nothing", there: web(1), now: budgetWith("none", "minAvailable: 1")},
		{
			name: "a budget over two workloads", there: web(2) + "\n---\n" + deploymentWith("db", "app: db", 2),
			now: budgetWith("both", looseIn+"{matchExpressions: [{key: app, operator: In, values: [web, db]}]}"), want: []string{"deny budget-overlap"},
		},
		{
			name: "a share of what cannot be counted", there: daemonSetWith("agent", "app: agent"), now: budgetWith("agent", looseIn+"{matchLabels: {app: agent}}"),
			want: []string{"deny budget-unsupported"},
		},
		{
			name: "an operator's budget only warns", there: web(1), now: budgetWith("web", oneWeb, "ownerReferences: [{apiVersion: example.com/v1, kind: Cluster, name: c, controller: true}]"),
			want: []string{"warn budget-blocks-drain"},
		},
		{name: "a budget that is not legal is the API server's to refuse", there: web(1), now: budgetWith("web", "maxUnavailable: 0, "+oneWeb)},

		// Workloads.
		{name: "a workload of a budget that is there", there: budgetWith("web", oneWeb), now: web(2)},
		{
			name: "a workload with one replica, which an autoscaler may raise", there: budgetWith("web", oneWeb), now: web(1),
			want: []string{"warn spec.replicas: " + blocked},
		},
		{
			name: "a workload with as many replicas as must stay", there: budgetWith("web", "minAvailable: 3, "+forWeb), now: web(3),
			want: []string{"deny budget-blocks-drain"},
		},
		{
			name: "a workload of a budget that lets nothing go ever", there: budgetWith("web", "maxUnavailable: 0, "+forWeb), now: web(1),
			want: []string{"deny budget-blocks-drain"},
		},
		{name: "a workload that is scaled down to what must stay", there: budgetWith("web", oneWeb), old: web(2), now: web(1), want: []string{"deny spec.replicas: " + blocked}},
		{name: "a workload that is scaled down while an autoscaler keeps two", there: budgetWith("web", oneWeb) + "\n---\n" + hpaWith(2), old: web(2), now: web(1)},
		{name: "a workload that is scaled to zero", there: budgetWith("web", oneWeb), old: web(2), now: web(0)},
		{name: "a workload that is scaled up from what blocked, not enough", there: budgetWith("web", "minAvailable: 4, "+forWeb), old: web(2), now: web(3), want: []string{"warn budget-blocks-drain"}},
		{name: "Probity's own budget does not hold anybody", there: madeBudget("web", oneWeb), old: web(2), now: web(1)},
		{
			name: "a workload whose pods come under a second budget", there: budgetWith("a", oneWeb) + "\n---\n" + budgetWith("b", looseIn+"{matchLabels: {tier: front}}"),
			old: web(2), now: deploymentWith("web", "app: web, tier: front", 2),
			want: []string{"deny spec.template.metadata.labels: PodDisruptionBudget \"a\": spec.selector selects the pods of Deployment web, as budget \"b\" does; " +
				"the eviction of a pod with two budgets fails with an error, and kubectl drain with it. Keep one budget for them. [budget-overlap]"},
		},
		{
			name: "a second workload under a budget", there: web(2) + "\n---\n" + budgetWith("web", oneWeb), now: deploymentWith("canary", "app: web", 2),
			want: []string{"deny budget-overlap"},
		},
		{
			name:  "a further workload under a budget that mixes already",
			there: web(2) + "\n---\n" + deploymentWith("db", "app: db", 2) + "\n---\n" + budgetWith("all", looseIn+"{}"), now: deploymentWith("job", "app: job", 2),
			want: []string{"warn budget-overlap"},
		},
		{name: "the faults of others are theirs", there: deploymentWith("db", "app: db", 1) + "\n---\n" + budgetWith("db", "minAvailable: 1, selector: {matchLabels: {app: db}}"), now: web(1)},
		{
			name: "a DaemonSet under a share", there: budgetWith("agent", looseIn+"{matchLabels: {app: agent}}"), now: daemonSetWith("agent", "app: agent"),
			want: []string{"deny budget-unsupported"},
		},

		// Autoscalers.
		{
			name: "an autoscaler whose minimum leaves no pod to go", there: web(3) + "\n---\n" + budgetWith("web", oneWeb), old: hpaWith(2), now: hpaWith(1),
			want: []string{"deny spec.minReplicas: PodDisruptionBudget \"web\": spec.minAvailable is 1, and Deployment web runs 1 pod at the least (the minimum of HorizontalPodAutoscaler web); " +
				"no eviction is allowed, and a drain waits forever. Set maxUnavailable 1 in place of minAvailable: one pod cannot be kept through a drain. " +
				"To keep the service up, raise the minimum of HorizontalPodAutoscaler web to 2. [budget-blocks-drain]"},
		},
		{name: "an autoscaler whose minimum is above", there: web(1) + "\n---\n" + budgetWith("web", oneWeb), now: hpaWith(2)},
		{name: "an autoscaler of what no budget selects", there: web(3), now: hpaWith(1)},
		{name: "an autoscaler whose target may come", there: budgetWith("web", oneWeb), now: hpaWith(1)},
		{
			name: "an autoscaler that takes another target", there: web(1) + "\n---\n" + budgetWith("web", oneWeb), old: hpaWith(2),
			now: strings.Replace(hpaWith(2), "Deployment, name: web", "Deployment, name: other", 1), want: []string{"deny budget-blocks-drain"},
		},
		{
			name: "a ScaledObject that keeps one", there: web(3) + "\n---\n" + budgetWith("web", oneWeb),
			now: "{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: web}, spec: {scaleTargetRef: {name: web}, minReplicaCount: 1}}", want: []string{"deny budget-blocks-drain"},
		},
		{
			name: "a ScaledObject that goes down to zero", there: web(3) + "\n---\n" + budgetWith("web", oneWeb),
			now: "{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: web}, spec: {scaleTargetRef: {name: web}}}",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Change{New: decodeBundle(t, tt.now)[0], Neighbours: decodeBundle(t, tt.there)}
			if tt.old != "" {
				c.Old = decodeBundle(t, tt.old)[0]
				c.Neighbours = append(c.Neighbours, c.Old)
			}
			found := Judge{Policy: MustPolicy(Strict)}.Change(c).Findings
			checkWording(t, found)
			var got []string
			for i, f := range found {
				if f.Object != c.New.Ref {
					t.Errorf("is about %s: %s", f.Object, f.String())
				}
				text := f.Action.String() + " " + f.Path + ": " + f.String()
				if i < len(tt.want) && !strings.Contains(tt.want[i], ": ") {
					text = f.Action.String() + " " + f.Rule
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func madeBudget(name, spec string) string {
	return budgetWith(name, spec, "labels: {app.kubernetes.io/managed-by: probity}", "ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: "+name+", controller: true}]")
}

func TestChangesAreExempted(t *testing.T) {
	const exempt = "annotations: {probity.dev/exempt: budget-blocks-drain, probity.dev/exempt-reason: moves its pods itself}"
	web := deploymentWith("web", "app: web", 1)
	own := budgetWith("web", oneWeb, exempt)
	listed := &Exemptions{Workloads: []Exemption{{Match: Match{Names: []Glob{"we*"}}, Rules: []string{"budget-blocks-drain"}, Reason: "r"}}}
	for name, tt := range map[string]struct {
		judge      Judge
		now, there string
		want       []string
	}{
		"a budget by its annotation":            {Judge{}, own, web, []string{"off, exempted budget-blocks-drain"}},
		"a workload by its budget's annotation": {Judge{}, deploymentWith("web", "app: web", 2), budgetWith("web", "minAvailable: 2, "+forWeb, exempt), []string{"off, exempted budget-blocks-drain"}},
		"a workload by its own annotation": {
			Judge{},
			strings.Replace(deploymentWith("web", "app: web", 2), "{name: web}", "{name: web, "+exempt+"}", 1), budgetWith("web", "minAvailable: 2, "+forWeb),
			[]string{"off, exempted budget-blocks-drain"},
		},
		"an autoscaler by the configuration": {Judge{Exemptions: listed}, hpaWith(1), web + "\n---\n" + budgetWith("web", oneWeb), []string{"off, exempted budget-blocks-drain"}},
		"an annotation without reason": {
			Judge{},
			budgetWith("web", oneWeb, "annotations: {probity.dev/exempt: budget-blocks-drain}"), web,
			[]string{"deny budget-blocks-drain", "annotation probity.dev/exempt: exempts from nothing without a reason: annotation probity.dev/exempt-reason must say why"},
		},
		"an annotation that is not legal, of a budget without fault": {
			Judge{},
			budgetWith("web", oneWeb, "annotations: {probity.dev/exempt: budget-blocks-drain}"), "",
			[]string{"annotation probity.dev/exempt: exempts from nothing without a reason: annotation probity.dev/exempt-reason must say why"},
		},
		"a user as a whole": {Judge{Exemptions: &Exemptions{Users: []Glob{"admin"}}, Writer: &Writer{Name: "admin"}}, budgetWith("web", oneWeb), web, []string{"user \"admin\""}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.judge.Policy = MustPolicy(Strict)
			judged := tt.judge.Change(Change{New: decodeBundle(t, tt.now)[0], Neighbours: decodeBundle(t, tt.there)})
			var got []string
			if judged.Exempt.By != "" {
				got = append(got, judged.Exempt.String())
			}
			for _, f := range judged.Findings {
				text := f.Action.String()
				if f.Exempted {
					text += ", exempted"
				}
				got = append(got, text+" "+f.Rule)
			}
			for _, n := range judged.Notices {
				got = append(got, n.Message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestChangesAreJudgedByAllThatMeetsThem compares with judging the whole namespace.
func TestChangesAreJudgedByAllThatMeetsThem(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	policy := MustPolicy(Strict)
	met := map[Action]int{}
	for range 20_000 {
		objects := randomBundle(random)
		for i := range objects {
			objects[i] = inOneNamespace(objects[i])
		}
		if random.IntN(2) == 0 {
			objects = append(objects, randomAutoscaler(random))
		}
		c := Change{New: objects[random.IntN(len(objects))], Neighbours: objects}
		if random.IntN(2) == 0 {
			c.Old = variant(c.New, random)
			c.Neighbours = append(slices.Clone(objects), c.Old)
		}
		var others []*workload.Object
		for _, o := range objects {
			if o.Ref != c.New.Ref {
				others = append(others, o)
			}
		}
		others = slices.Clip(others)
		want := c.concerning(judgeBundle(append(others, c.New), policy.AtAdmission()))
		before := others
		if c.Old != nil {
			before = append(before, c.Old)
		}
		c.forgive(want, judgeBundle(before, policy.AtAdmission()))
		var told []Finding
		for _, j := range want {
			if j.Action == Deny && c.mayBeMended(j) {
				j.Action = j.likely
			}
			met[j.Action]++
			told = append(told, ofTheChange(c.tell(j)))
		}
		var got []Finding
		for _, f := range (Judge{Policy: policy}).Change(c).Findings {
			got = append(got, ofTheChange(f))
		}
		if diff := cmp.Diff(told, got); diff != "" {
			t.Fatalf("%s among\n%s\n%s", c.New.Ref, describe(objects), diff)
		}
	}
	if met[Deny] < 1_000 || met[Warn] < 1_000 {
		t.Errorf("met %v; the changes should meet more", met)
	}
}

// ofTheChange leaves out what an overlap tells of pods that the change is not about.
func ofTheChange(f Finding) Finding {
	if f.Rule == "budget-overlap" && f.Object.Kind != "PodDisruptionBudget" {
		f.Message, f.Evidence, _ = strings.Cut(f.Message, " selects ")
		f.Evidence = ""
	}
	return f
}

// inOneNamespace moves an object of randomBundle.
func inOneNamespace(o *workload.Object) *workload.Object {
	o.Ref.Namespace = "a"
	if o.Workload != nil {
		o.Workload.Ref = o.Ref
	} else {
		o.Budget.Ref = o.Ref
	}
	return o
}

func randomAutoscaler(random *rand.Rand) *workload.Object {
	a := &workload.Autoscaler{
		Ref:         workload.Ref{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler", Namespace: "a", Name: "h"},
		Target:      workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "a", Name: "w" + strconv.Itoa(random.IntN(3))},
		MinReplicas: int32(random.IntN(4)),
	}
	return &workload.Object{Ref: a.Ref, Autoscaler: a}
}

// variant is the object as it was before.
func variant(o *workload.Object, random *rand.Rand) *workload.Object {
	old := *o
	switch {
	case o.Workload != nil:
		w := *o.Workload
		replicas := int32(random.IntN(5))
		w.Replicas = &replicas
		w.Pod.Labels = map[string]string{"app": [...]string{"x", "y"}[random.IntN(2)]}
		old.Workload = &w
	case o.Budget != nil:
		b := *o.Budget
		b.MinAvailable, b.MaxUnavailable = nil, &workload.IntOrPercent{Value: int32(random.IntN(2))}
		b.Selector = &workload.Selector{MatchLabels: map[string]string{"app": [...]string{"x", "y"}[random.IntN(2)]}}
		old.Budget = &b
	default:
		a := *o.Autoscaler
		a.MinReplicas = int32(random.IntN(4))
		a.Target.Name = "w" + strconv.Itoa(random.IntN(3))
		old.Autoscaler = &a
	}
	return &old
}

// BenchmarkChange shows what neighbours cost that do not meet the change,
// each workload with its own budget.
func BenchmarkChange(b *testing.B) {
	for _, n := range []int{1, 1_000} {
		objects := budgeted(n, 2)
		fresh := *objects[0].Workload
		fresh.Ref.Name, fresh.Pod.Labels = "fresh", map[string]string{"app": "fresh", "managed-by": "helm"}
		judge := Judge{Policy: MustPolicy(Strict)}
		for name, o := range map[string]*workload.Object{"workload": objects[0], "workload without budget": {Ref: fresh.Ref, Workload: &fresh}, "budget": objects[1]} {
			b.Run(strconv.Itoa(n)+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if judged := judge.Change(Change{New: o, Old: o, Neighbours: objects}); len(judged.Findings) > 0 {
						b.Fatal(judged)
					}
				}
			})
		}
	}
}
