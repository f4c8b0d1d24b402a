package scan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload"
)

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {containers: [{name: app}]}\n"

// scanner gives back the name of every object.
func scanner(notes *[]string) *Scanner[string] {
	return &Scanner[string]{
		Kinds: workload.DefaultKinds(),
		Stdin: strings.NewReader(fmt.Sprintf(pod, "stdin")),
		Note:  func(n Note) { *notes = append(*notes, n.Folder+" "+n.Text("check")) },
		Work: func(d workload.Document) string {
			if d.Object == nil {
				return ""
			}
			return d.Object.Ref.Name
		},
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestScanKeepsTheOrderOfManyDocuments(t *testing.T) {
	dir := t.TempDir()
	var want []string
	for f := range 20 {
		var text strings.Builder
		for i := range 100 {
			name := fmt.Sprintf("f%02d-%03d", f, i)
			want = append(want, name)
			// Documents of different size keep the cores out of step.
			fmt.Fprintf(&text, "---\n"+pod+"%s", name, strings.Repeat("# filling\n", (f*i)%300))
		}
		write(t, dir, map[string]string{fmt.Sprintf("f%02d.yaml", f): text.String()})
	}
	var notes, got []string
	opened := 0
	err := scanner(&notes).Scan([]string{dir}, func(string) { opened++ }, func(r Result[string]) error {
		got = append(got, r.Value)
		return nil
	})
	if err != nil || opened != 20 {
		t.Errorf("opened %d files, %v", opened, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestScanStopsWhenTheTakerFails(t *testing.T) {
	dir := t.TempDir()
	for f := range 100 {
		write(t, dir, map[string]string{fmt.Sprintf("f%02d.yaml", f): fmt.Sprintf(pod, "a")})
	}
	full := errors.New("disk full")
	taken := 0
	err := scanner(new([]string)).Scan([]string{dir}, func(string) {}, func(Result[string]) error {
		if taken++; taken == 3 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || taken != 3 {
		t.Errorf("taken %d, %v", taken, err)
	}
}

func TestScanPassesOverPatchesOfAKustomization(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"app/base.yaml":            fmt.Sprintf(pod, "base"),
		"app/kustomization.yaml":   "resources: [base.yaml]\npatches:\n- path: patches/a.yaml\n- patch: '[]'\npatchesStrategicMerge:\n- b.yaml\n- |\n  kind: x\npatchesJson6902:\n- {path: c.yaml, target: {kind: Pod}}\n",
		"app/patches/a.yaml":       "kind: Pod\n",
		"app/b.yaml":               "kind: Pod\n",
		"app/c.yaml":               "- op: add\n",
		"broken/kustomization.yml": "a: b: c\n",
	})
	t.Chdir(dir)
	var notes, got []string
	take := func(r Result[string]) error {
		got = append(got, r.Document.Source.File)
		return nil
	}
	if err := scanner(&notes).Scan([]string{"."}, func(string) {}, take); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"app/base.yaml", "app/kustomization.yaml", "broken/kustomization.yml"}, got); diff != "" {
		t.Error(diff)
	}
	want := []string{"app is a kustomization, whose patches are no manifests; render it: kustomize build app | probity check -"}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Error(diff)
	}
	got = nil
	if err := scanner(&notes).Scan([]string{"app/b.yaml"}, func(string) {}, take); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"app/b.yaml"}, got); diff != "" {
		t.Errorf("a patch that is named is read: %s", diff)
	}
}

func TestScanFindsManifests(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"b.yaml":                   fmt.Sprintf(pod, "b"),
		"a/c.YML":                  fmt.Sprintf(pod, "c"),
		"a/d.json":                 `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "d"}, "spec": {"containers": [{"name": "x"}]}}`,
		"a/readme.md":              fmt.Sprintf(pod, "hidden"),
		".git/e.yaml":              fmt.Sprintf(pod, "hidden"),
		"node_modules/f.yaml":      fmt.Sprintf(pod, "hidden"),
		"chart/Chart.yaml":         "apiVersion: v2\n",
		"chart/templates/g.yaml":   "{{ }}",
		"chart/crds/h.yaml":        fmt.Sprintf(pod, "h"),
		"plain/templates/i.yaml":   fmt.Sprintf(pod, "i"),
		"odd/looks-like.yaml/j.md": "x",
	})
	if err := os.Symlink(filepath.Join(dir, "b.yaml"), filepath.Join(dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "broken.yaml")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	tests := []struct {
		name        string
		args        []string
		want, notes []string
	}{
		{
			"a folder, in the order of names",
			[]string{"."},
			[]string{"a/c.YML:1 c", "a/d.json:1 d", "b.yaml:1 b", "broken.yaml:0 ", "chart/Chart.yaml:1 ", "chart/crds/h.yaml:1 h", "link.yaml:1 b", "plain/templates/i.yaml:1 i"},
			[]string{"chart is a Helm chart, whose templates are no manifests yet; render it: helm template chart | probity check -"},
		},
		{"files and standard input, in the order given", []string{"b.yaml", "-", "a"}, []string{"b.yaml:1 b", "<stdin>:1 stdin", "a/c.YML:1 c", "a/d.json:1 d"}, nil},
		{"the same file once", []string{"b.yaml", "./b.yaml"}, []string{"b.yaml:1 b"}, nil},
		{"what does not exist", []string{"no.yaml", "b.yaml"}, []string{"no.yaml:0 ", "b.yaml:1 b"}, nil},
		{"a pattern that no shell expanded", []string{"?.yaml", "a/[c]*"}, []string{"b.yaml:1 b", "a/c.YML:1 c"}, nil},
		{"a pattern that nothing fits", []string{"*.yml"}, []string{"*.yml:0 "}, nil},
		{"a file and a pattern that it fits", []string{"b.yaml", "b*.yaml"}, []string{"b.yaml:1 b", "broken.yaml:0 "}, nil},
		{"a folder without manifests", []string{"odd"}, []string{"odd:0 "}, nil},
		{"a hidden folder that is named", []string{".git"}, []string{".git/e.yaml:1 hidden"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var notes, got []string
			err := scanner(&notes).Scan(tt.args, func(string) {}, func(r Result[string]) error {
				got = append(got, fmt.Sprintf("%s:%d %s", r.Document.Source.File, r.Document.Source.Line, r.Value))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestScanDoesNotHangOnPipes opens a named pipe only where it is an argument: then
// it is most likely <(command).
func TestScanDoesNotHangOnPipes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"a.yaml", "kustomization.yaml"} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	take := func(r Result[string]) error {
		got = append(got, r.Value)
		for _, e := range r.Document.Errors {
			got = append(got, e.Error())
		}
		return nil
	}
	if err := scanner(new([]string)).Scan([]string{"."}, func(string) {}, take); err != nil {
		t.Fatal(err)
	}
	const refused = ": is a named pipe and is not read with the folder; name it to have it read"
	if diff := cmp.Diff([]string{"", "a.yaml" + refused, "", "kustomization.yaml" + refused}, got); diff != "" {
		t.Error(diff)
	}
	got = nil
	var wait sync.WaitGroup
	wait.Go(func() {
		if err := os.WriteFile("a.yaml", fmt.Appendf(nil, pod, "piped"), 0o600); err != nil {
			t.Error(err)
		}
	})
	if err := scanner(new([]string)).Scan([]string{"a.yaml"}, func(string) {}, take); err != nil {
		t.Fatal(err)
	}
	wait.Wait()
	if diff := cmp.Diff([]string{"piped"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestOverlap(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want bool
	}{
		{"one folder", []string{"a"}, false},
		{"two folders", []string{"a", "b"}, false},
		{"names that begin alike", []string{"a", "a-b", "ab"}, false},
		{"a folder in a folder", []string{"a/b", "x", "a-b", "a"}, true},
		{"the same twice", []string{"a", "./a/"}, true},
		{"the folder around and another", []string{"-", "."}, true},
		{"the root and another", []string{"/srv", "/"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := overlap(tt.args); got != tt.want {
				t.Errorf("overlap is %v for %q", got, tt.args)
			}
		})
	}
}

// TestFilesThatAreNamedLikeThoseOfAFolder names everything, as a hook of git does.
func TestFilesThatAreNamedLikeThoseOfAFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"deploy/a.yaml":                          fmt.Sprintf(pod, "a"),
		"charts/shop/Chart.yaml":                 "apiVersion: v2\n",
		"charts/shop/values.yaml":                "a: 1\n",
		"charts/shop/templates/sub/b.yaml":       "kind: {{ .x }}\n",
		"charts/shop/templates/c.yaml":           "kind: {{ .x }}\n",
		"overlays/prod/kustomization.yaml":       "patches: [{path: patches/d.yaml}]\n",
		"overlays/prod/patches/d.yaml":           "kind: Deployment\n",
		"overlays/prod/patches/no-patch-it.yaml": fmt.Sprintf(pod, "e"),
		".github/workflows/ci.yml":               "on: push\n",
		"logo.yaml":                              "\x00\x01",
	})
	t.Chdir(dir)
	args := []string{
		"deploy/a.yaml", "charts/shop/Chart.yaml", "charts/shop/values.yaml", "charts/shop/templates/sub/b.yaml", "charts/shop/templates/c.yaml",
		"overlays/prod/kustomization.yaml", "overlays/prod/patches/d.yaml", "overlays/prod/patches/no-patch-it.yaml", ".github/workflows/ci.yml", "logo.yaml", "gone.yaml",
	}
	var notes, got []string
	s := scanner(&notes)
	s.LikeFolder = true
	err := s.Scan(args, func(string) {}, func(r Result[string]) error {
		got = append(got, fmt.Sprintf("%s %s foreign:%t found:%t", r.Document.Source.File, r.Value, r.Document.Foreign, r.Found))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"deploy/a.yaml a foreign:false found:true",
		"charts/shop/Chart.yaml  foreign:true found:true",
		"charts/shop/values.yaml  foreign:true found:true",
		"overlays/prod/kustomization.yaml  foreign:true found:true",
		"overlays/prod/patches/no-patch-it.yaml e foreign:false found:true",
		".github/workflows/ci.yml  foreign:true found:true",
		"logo.yaml  foreign:true found:true",
		"gone.yaml  foreign:false found:false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantNotes := []string{
		"charts/shop is a Helm chart, whose templates are no manifests yet; render it: helm template charts/shop | probity check -",
		"overlays/prod is a kustomization, whose patches are no manifests; render it: kustomize build overlays/prod | probity check -",
	}
	if diff := cmp.Diff(wantNotes, notes); diff != "" {
		t.Error(diff)
	}
}
