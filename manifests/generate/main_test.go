package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestTheChartIsUpToDate(t *testing.T) {
	files, err := generated(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../chart", name))
		if err != nil {
			t.Errorf("%v; run `make generate`", err)
			continue
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("manifests/chart/%s does not follow from what it is made of; run `make generate` (-made now +there)\n%s", name, diff)
		}
	}
	stale, err := staleTemplates("../chart", files)
	if err != nil {
		t.Fatal(err)
	}
	if len(stale) > 0 {
		t.Errorf("%v: their manifests are gone; run `make generate`", stale)
	}
}

func TestAnEditWhoseLinesChangedNamesThemAndWhatToDo(t *testing.T) {
	e := edit{old: "  replicas: 2\n", new: "  replicas: {{ .Values.replicas }}\n"}
	_, err := e.apply("base/deployment.yaml", "spec:\n  replicas: 3\n")
	want := "manifests/base/deployment.yaml must hold these lines once, where the chart puts its values; when they changed, " +
		"change them in manifests/generate/edits.go too:\n  replicas: 2\n"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestAnEditWithinAnItemLeavesTheOthersAlone(t *testing.T) {
	e := edit{within: "  - name: b", old: "policy: Ignore\n", new: "policy: Fail\n"}
	got, err := e.apply("x.yaml", "hooks:\n  - name: a\n    policy: Ignore\n  - name: b\n    policy: Ignore\n  - name: c\n    policy: Ignore\n")
	want := "hooks:\n  - name: a\n    policy: Ignore\n  - name: b\n    policy: Fail\n  - name: c\n    policy: Ignore\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestMetadata(t *testing.T) {
	for name, test := range map[string]struct{ document, want string }{
		"labels are added to those there are": {
			"kind: Service\nmetadata:\n  name: a\n  labels:\n    app: a\nspec: {}\n",
			"kind: Service\nmetadata:\n  name: a\n  labels:\n    app: a\n    {{- include \"probity.labels\" . | nindent 4 }}\nspec: {}\n",
		},
		"and made where there are none": {
			"kind: Role\nmetadata:\n  name: a\nrules:\n  - verbs:\n      - get",
			"kind: Role\nmetadata:\n  name: a\n  labels:\n    {{- include \"probity.labels\" . | nindent 4 }}\nrules:\n  - verbs:\n      - get",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := metadata(test.document, false)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAValueWithoutACommentIsRefused(t *testing.T) {
	values := fstest.MapFS{"chart/values.yaml": {Data: []byte("# Fine.\na: 1\n\nb:\n  # Fine.\n  c: 1\n  d: 2\n")}}
	_, err := readValues(values)
	if err == nil || !strings.HasPrefix(err.Error(), "manifests/chart/values.yaml:7: b.d has no comment") {
		t.Errorf("got %v", err)
	}
}
