package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKindsWithAPodTemplateThatAreNotJudged(t *testing.T) {
	const template = "{spec: {containers: [{name: app, image: app}]}}"
	configure := func(group, kind, path string) string {
		return "holds a pod template and is not judged: name the kind in the configuration's kinds (group " + group + ", kind " + kind + ", templatePath " + path + ")"
	}
	tests := []struct {
		name, text string
		want       string // empty for nothing
	}{
		{
			"a custom kind", "apiVersion: apps.kruise.io/v1alpha1\nkind: CloneSet\nspec: {template: " + template + "}\n",
			configure("apps.kruise.io", "CloneSet", "spec.template"),
		},
		{
			"a template in an unusual place", "apiVersion: x.example/v1\nkind: Crew\nspec: {web: [], worker: {blueprint: " + template + "}}\n",
			configure("x.example", "Crew", "spec.worker.blueprint"),
		},
		{
			"a built-in kind of another group", "apiVersion: v1\nkind: Deployment\nspec: {template: " + template + "}\n",
			"holds a pod template and is not judged: no Deployment is in apiVersion v1; is one of the group apps meant?",
		},
		{
			"a misspelt built-in kind", "apiVersion: apps/v1\nkind: Deploymnet\nspec: {template: " + template + "}\n",
			"holds a pod template and is not judged: no kind has that name; is Deployment meant?",
		},
		{"a PodTemplate runs nothing", "apiVersion: v1\nkind: PodTemplate\ntemplate: " + template + "\n", ""},
		{"a list of templates has no path", "apiVersion: x.example/v1\nkind: Crew\nspec: {crews: [{template: " + template + "}]}\n", ""},
		{"a schema is no template", "apiVersion: x.example/v1\nkind: Crew\nspec: {template: {spec: {containers: {items: {}}}}}\n", ""},
		{
			"a kind that shares its name with one of the core group", "apiVersion: serving.knative.dev/v1\nkind: Service\nspec: {template: " + template + "}\n",
			configure("serving.knative.dev", "Service", "spec.template"),
		},
		{
			"containers that their kind names", "apiVersion: serving.knative.dev/v1\nkind: Service\nspec: {template: {spec: {containers: [{image: 'ghcr.io/app:1'}]}}}\n",
			configure("serving.knative.dev", "Service", "spec.template"),
		},
		{"an empty image is none", "apiVersion: x.example/v1\nkind: Crew\nspec: {template: {spec: {containers: [{image: ''}]}}}\n", ""},
		{"nor is a pattern of names", "apiVersion: x.example/v1\nkind: Crew\nspec: {template: {spec: {containers: [{name: 'app-?'}]}}}\n", ""},
		{"nor is a pattern", "apiVersion: x.example/v1\nkind: Crew\nspec: {template: {spec: {containers: [{image: '*'}]}}}\n", ""},
		{"containers of the object itself are no template", "apiVersion: x.example/v1\nkind: Crew\nspec: {containers: [{name: app}]}\n", ""},
		{"one deeper than any", "apiVersion: x.example/v1\nkind: Crew\na: {b: {c: {d: {e: {f: {g: {h: " + template + "}}}}}}}\n", ""},
		{"a known kind", "apiVersion: apps/v1\nkind: Deployment\nspec: {template: " + template + "}\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := []string{}
			if tt.want != "" {
				want = append(want, tt.want)
			}
			got := []string{}
			for d := range DefaultKinds().Documents("a.yaml", []byte(tt.text)) {
				for _, e := range d.Errors {
					if !e.Judged || e.Once == "" {
						t.Errorf("%+v", e)
					}
					got = append(got, e.Message[len(d.Object.Ref.String()+": "):])
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestATemplateInAListHasThePathOfItsItem(t *testing.T) {
	text := "apiVersion: v1\nkind: List\nitems:\n- apiVersion: x.example/v1\n  kind: Crew\n  metadata: {name: a}\n  spec: {template: {spec: {containers: [{name: app}]}}}\n"
	want := []string{"4 items[0] Crew a", "  judged a.yaml:4: Crew a: items[0] holds a pod template and is not judged: name the kind in the configuration's kinds (group x.example, kind Crew, templatePath spec.template)"}
	if diff := cmp.Diff(want, read("a.yaml", text)); diff != "" {
		t.Error(diff)
	}
}
