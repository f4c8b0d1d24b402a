package validate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload"
)

// noticed gives "kind path: message" of the notices of a Deployment without a fault.
func noticed(t *testing.T, text string) (all []string) {
	t.Helper()
	o, err := workload.DefaultKinds().Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[NoticeKind]string{NoticeIllegal: "illegal", NoticeUnread: "unread"}
	var notices []Notice
	if o.Workload != nil {
		notices = Judge{Policy: MustPolicy(Baseline)}.Workload(o.Workload).Notices
	} else {
		notices = Judge{Policy: MustPolicy(Baseline)}.Change(Change{New: o}).Notices
	}
	for _, n := range notices {
		all = append(all, kinds[n.Kind]+" "+n.Path+": "+n.Message)
	}
	return all
}

func TestNamesThatAreNotReadAreToldWithWhatWasMeant(t *testing.T) {
	deployment := func(metadata, template string) string {
		return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"orders",` + metadata + `},"spec":{"template":{"metadata":{` + template + `},"spec":{"containers":[{"name":"app","image":"a"}]}}}}`
	}
	annotations := func(names string) string { return deployment(`"annotations":{`+names+`}`, ``) }
	pod := func(metadata string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"orders",` + metadata + `},"spec":{"containers":[{"name":"app","image":"a"}]}}`
	}
	budget := func(metadata string) string {
		return `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"orders",` + metadata + `},"spec":{"maxUnavailable":1,"selector":{"matchLabels":{"app":"orders"}}}}`
	}
	for name, test := range map[string]struct {
		object string
		want   []string
	}{
		"no name of ours": {deployment(`"labels":{"app":"orders"},"annotations":{"note":"hello","probity.device/exempt":"x"}`, `"labels":{"app":"orders"}`), nil},
		"all that are read": {
			deployment(`"annotations":{"probity.dev/inject":"all","probity.dev/startup-budget":"10m"}`, `"annotations":{"probity.dev/injected":"startup:app"}`), nil,
		},
		"a misspelt exemption": {
			annotations(`"probity.dev/exempts":"liveness-window"`),
			[]string{`illegal metadata.annotations["probity.dev/exempts"]: annotation probity.dev/exempts on the Deployment does nothing; did you mean probity.dev/exempt?`},
		},
		"a reason without an exemption": {
			annotations(`"probity.dev/exempt-reason":"next release"`),
			[]string{`illegal metadata.annotations["probity.dev/exempt-reason"]: annotation probity.dev/exempt-reason: says nothing without annotation probity.dev/exempt`},
		},
		"another word for it": {
			annotations(`"probity.dev/ignore":"liveness-window"`),
			[]string{`illegal metadata.annotations["probity.dev/ignore"]: annotation probity.dev/ignore on the Deployment does nothing; Probity reads probity.dev/exempt, probity.dev/exempt-reason, probity.dev/exempt-until, probity.dev/inject and probity.dev/startup-budget`},
		},
		"a misspelt injection": {
			annotations(`"probity.dev/injekt":"none"`),
			[]string{`unread metadata.annotations["probity.dev/injekt"]: annotation probity.dev/injekt on the Deployment does nothing; did you mean probity.dev/inject?`},
		},
		"a label of a namespace": {
			annotations(`"probity.dev/mode":"off"`),
			[]string{`unread metadata.annotations["probity.dev/mode"]: annotation probity.dev/mode on the Deployment does nothing; set it in metadata.labels of the Namespace`},
		},
		"Probity's own, where it does not belong": {
			annotations(`"probity.dev/injected":"startup:app"`),
			[]string{`unread metadata.annotations["probity.dev/injected"]: annotation probity.dev/injected on the Deployment does nothing; Probity writes it into pod templates`},
		},
		"an exemption as a label": {
			deployment(`"labels":{"probity.dev/exempt":"liveness-window"}`, ``),
			[]string{`illegal metadata.labels["probity.dev/exempt"]: label probity.dev/exempt on the Deployment does nothing; set it in metadata.annotations of the Deployment`},
		},
		"a misspelt one as a label": {
			deployment(`"labels":{"probity.dev/exmpt":"liveness-window"}`, ``),
			[]string{`illegal metadata.labels["probity.dev/exmpt"]: label probity.dev/exmpt on the Deployment does nothing; did you mean probity.dev/exempt in metadata.annotations of the Deployment?`},
		},
		"an injection as a label, which a namespace has": {
			deployment(`"labels":{"probity.dev/inject":"none"}`, ``),
			[]string{`unread metadata.labels["probity.dev/inject"]: label probity.dev/inject on the Deployment does nothing; set it in metadata.annotations of the Deployment`},
		},
		"an exemption on the template": {
			deployment(`"labels":{}`, `"annotations":{"probity.dev/exempt":"liveness-window"},"labels":{"probity.dev/profile":"strict"}`),
			[]string{
				`illegal spec.template.metadata.annotations["probity.dev/exempt"]: annotation probity.dev/exempt on the pod template does nothing; set it in metadata.annotations of the Deployment`,
				`unread spec.template.metadata.labels["probity.dev/profile"]: label probity.dev/profile on the pod template does nothing; set it in metadata.labels of the Namespace`,
			},
		},
		"an injection on the template": {
			deployment(`"labels":{}`, `"annotations":{"probity.dev/inject":"none","probity.dev/injectd":"x","probity.dev/severity":"low"}`),
			[]string{
				`unread spec.template.metadata.annotations["probity.dev/inject"]: annotation probity.dev/inject on the pod template does nothing; set it in metadata.annotations of the Deployment`,
				`unread spec.template.metadata.annotations["probity.dev/injectd"]: annotation probity.dev/injectd on the pod template does nothing; did you mean probity.dev/inject in metadata.annotations of the Deployment?`,
				`illegal spec.template.metadata.annotations["probity.dev/severity"]: annotation probity.dev/severity on the pod template does nothing; Probity reads none there`,
			},
		},
		"a CronJob, which has two templates": {
			`{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"report"},"spec":{"jobTemplate":{"metadata":{"annotations":{"probity.dev/exempt":"a"},"labels":{"probity.dev/mode":"off"}},"spec":{"template":{"metadata":{"annotations":{"probity.dev/exempt":"a"}},"spec":{"containers":[]}}}}}}`,
			[]string{
				`illegal spec.jobTemplate.metadata.annotations["probity.dev/exempt"]: annotation probity.dev/exempt on the job template does nothing; set it in metadata.annotations of the CronJob`,
				`unread spec.jobTemplate.metadata.labels["probity.dev/mode"]: label probity.dev/mode on the job template does nothing; set it in metadata.labels of the Namespace`,
				`illegal spec.jobTemplate.spec.template.metadata.annotations["probity.dev/exempt"]: annotation probity.dev/exempt on the pod template does nothing; set it in metadata.annotations of the CronJob`,
			},
		},
		"a pod, which is its own template": {
			pod(`"labels":{"probity.dev/exempt":"a"},"annotations":{"probity.dev/injected":"startup:app"}`),
			[]string{`illegal metadata.labels["probity.dev/exempt"]: label probity.dev/exempt on the Pod does nothing; set it in metadata.annotations of the Pod`},
		},
		"a pod of a controller, whose template is the place": {
			pod(`"annotations":{"probity.dev/exempts":"a"},"ownerReferences":[{"apiVersion":"example.com/v1","kind":"Game","name":"g","controller":true}]`), nil,
		},
		"a budget": {
			budget(`"labels":{"probity.dev/exempt":"a"},"annotations":{"probity.dev/exempts":"a","probity.dev/inject":"none"}`),
			[]string{
				`illegal metadata.annotations["probity.dev/exempts"]: annotation probity.dev/exempts on the PodDisruptionBudget does nothing; did you mean probity.dev/exempt?`,
				`unread metadata.annotations["probity.dev/inject"]: annotation probity.dev/inject on the PodDisruptionBudget does nothing; set it in metadata.annotations of the workload`,
				`illegal metadata.labels["probity.dev/exempt"]: label probity.dev/exempt on the PodDisruptionBudget does nothing; set it in metadata.annotations of the PodDisruptionBudget`,
			},
		},
		"what can be no name is quoted": {
			annotations(`"probity.dev/\u001b[31m":"x"`),
			[]string{`illegal metadata.annotations["probity.dev/\x1b[31m"]: annotation "probity.dev/\x1b[31m" on the Deployment does nothing; Probity reads probity.dev/exempt, probity.dev/exempt-reason, probity.dev/exempt-until, probity.dev/inject and probity.dev/startup-budget`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, noticed(t, test.object)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestThreeNamesInAPlaceAreTold(t *testing.T) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf(`"probity.dev/exempt%03d":"x"`, i))
	}
	got := noticed(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"orders","annotations":{`+strings.Join(names, ",")+`}},"spec":{"template":{"spec":{"containers":[]}}}}`)
	if len(got) != 3 || !strings.Contains(got[0], "exempt000") {
		t.Errorf("got %d: %q", len(got), got)
	}
}

func TestAnnotationsOfANamespaceAreLabelsThatWereMeant(t *testing.T) {
	got := UnknownAnnotations(map[string]string{"probity.dev/mode": "enforce", "probity.dev/exempt": "a", "probity.dev/profil": "strict", "note": "hello"})
	want := []string{
		"annotation probity.dev/exempt on a namespace does nothing; set it in metadata.annotations of the workload",
		"annotation probity.dev/mode on a namespace does nothing; set it in metadata.labels of the Namespace",
		"annotation probity.dev/profil on a namespace does nothing; did you mean probity.dev/profile in metadata.labels of the Namespace?",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkUnread is of an object without names of ours, which nearly all are.
func BenchmarkUnread(b *testing.B) {
	w := &workload.Workload{Ref: workload.Ref{Kind: "Deployment"}, Labels: map[string]string{}, Annotations: workload.Annotations{}}
	w.Pod = workload.Pod{Path: "spec.template.spec", Labels: map[string]string{}, Annotations: workload.Annotations{}}
	for i := range 8 {
		for _, names := range []map[string]string{w.Labels, w.Annotations, w.Pod.Labels, w.Pod.Annotations} {
			names[fmt.Sprintf("app.kubernetes.io/name-%d", i)] = "orders"
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		unreadNotices(w)
	}
}
