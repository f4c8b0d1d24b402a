package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// there is what a namespace holds: manifests in JSON.
type there struct {
	objects []string
	// after is returned behind them, and wait is how long the list takes.
	after error
	wait  time.Duration
	asked []Look
}

func (e *there) Workloads(ctx context.Context, l Look, each func(*workload.Workload)) error {
	e.asked = append(e.asked, l)
	for i, text := range e.objects {
		if i == l.AtMost {
			return ErrMore
		}
		object, err := l.Kinds.Decode([]byte(text))
		if err != nil {
			return err
		}
		each(object.Workload)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(e.wait):
		return e.after
	}
}

// holding is a Deployment of one container, whose fields below its name are given.
func holding(name, container string) string {
	return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"` + name + `","namespace":"shop"},"spec":{"replicas":2,"template":{"spec":{"containers":[{"name":"app",` + container + `}]}}}}`
}

const (
	asksDatabase  = `"livenessProbe":{"httpGet":{"path":"/health/db","port":80}},"readinessProbe":{"httpGet":{"path":"/readyz","port":80}},"startupProbe":{"httpGet":{"path":"/livez","port":80},"failureThreshold":30}`
	asksOnce      = `"livenessProbe":{"httpGet":{"path":"/livez","port":80},"failureThreshold":1,"periodSeconds":20},"readinessProbe":{"httpGet":{"path":"/readyz","port":80}},"startupProbe":{"httpGet":{"path":"/livez","port":80},"failureThreshold":30}`
	withoutProbes = `"image":"app"`
	wellMade      = `"livenessProbe":{"httpGet":{"path":"/livez","port":80}},"readinessProbe":{"httpGet":{"path":"/readyz","port":80},"failureThreshold":2,"periodSeconds":5},"startupProbe":{"httpGet":{"path":"/livez","port":80},"failureThreshold":30}`
)

// relabel changes the labels of namespace shop and returns the answer.
func relabel(t *testing.T, h *Handler, from, to string) response {
	t.Helper()
	namespace := func(labels string) string {
		return `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop","labels":{` + labels + `}}}`
	}
	review := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","kind":{"group":"","version":"v1","kind":"Namespace"},"operation":"UPDATE","name":"shop","object":` +
		namespace(to) + `,"oldObject":` + namespace(from) + `}}`
	_, answer := send(t, h.Validate(), "application/json", []byte(review))
	var out struct{ Response response }
	if err := json.Unmarshal([]byte(answer), &out); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	return out.Response
}

func previewing(t *testing.T, e Existing) *Handler {
	t.Helper()
	h := newHandler(t, enforce())
	h.Preview = NewPreview(e, func(labels map[string]string) validate.Settings {
		return validate.NamespaceSettings(labels, validate.Settings{})
	})
	return h
}

// TestLabelsAreAnsweredWithWhatTheyDo shows every kind of change, with what is said.
func TestLabelsAreAnsweredWithWhatTheyDo(t *testing.T) {
	asksCache := strings.Replace(asksDatabase, "/health/db", "/health/database", 1)
	objects := []string{holding("cart", asksCache), holding("orders", asksDatabase), holding("pay", asksOnce), holding("well", wellMade)}
	for i := range 3 {
		objects = append(objects, holding(fmt.Sprint("web-", i), withoutProbes))
	}
	const mode, profile, inject = `"probity.dev/mode":`, `"probity.dev/profile":`, `"probity.dev/inject":`
	changes := []struct{ name, from, to string }{
		{"enforce is new", ``, mode + `"enforce"`},
		{"enforce is new and strict", ``, mode + `"enforce",` + profile + `"strict"`},
		{"warn is new", ``, mode + `"warn"`},
		{"audit is new", ``, mode + `"audit"`},
		{"off is new", ``, mode + `"off"`},
		{"warn becomes enforce", mode + `"warn"`, mode + `"enforce"`},
		{"enforce becomes warn", mode + `"enforce"`, mode + `"warn"`},
		{"enforce becomes warn and injects as before", mode + `"enforce"`, mode + `"warn",` + inject + `"all"`},
		{"enforce becomes audit", mode + `"enforce"`, mode + `"audit"`},
		{"warn becomes audit", mode + `"warn"`, mode + `"audit"`},
		{"enforce is removed", mode + `"enforce"`, ``},
		{"audit becomes off", mode + `"audit"`, mode + `"off"`},
		{"strict becomes baseline", mode + `"enforce",` + profile + `"strict"`, mode + `"enforce"`},
		{"startup probes only", mode + `"enforce"`, mode + `"enforce",` + inject + `"startup"`},
		{"nothing is injected", mode + `"enforce"`, mode + `"enforce",` + inject + `"none"`},
		{"a profile where nothing is judged", ``, profile + `"strict"`},
		{"an injection where nothing is judged", ``, inject + `"all"`},
		{"a profile before its mode", profile + `"strict"`, profile + `"strict",` + mode + `"audit"`},
		{"a mode is removed and its profile stays", mode + `"audit",` + profile + `"strict"`, profile + `"strict"`},
		{"a profile where the mode is off", mode + `"off"`, mode + `"off",` + profile + `"strict"`},
		{"the same in other words", mode + `"enforce"`, mode + `"enforce",` + inject + `"all"`},
		{"a label of somebody else", mode + `"enforce"`, mode + `"enforce","team":"blue"`},
		{"an illegal label", mode + `"warn"`, mode + `"on"`},
		{"a label that is misspelt", mode + `"warn"`, mode + `"warn","probity.dev/profil":"strict"`},
		{"a misspelt label that was there", `"probity.dev/profil":"strict"`, mode + `"audit","probity.dev/profil":"strict"`},
		{"a label that resembles none", ``, `"probity.dev/severity":"high"`},
		{"a misspelt label beside an illegal one", ``, mode + `"on","probity.dev/injekt":"all"`},
		{"an illegal label is mended", mode + `"on"`, mode + `"warn"`},
	}
	var all strings.Builder
	for _, c := range changes {
		resp := relabel(t, previewing(t, &there{objects: objects}), c.from, c.to)
		fmt.Fprintf(&all, "%s: {%s} -> {%s}\n", c.name, c.from, c.to)
		if resp.Status != nil {
			fmt.Fprintf(&all, "    refused: %s\n", resp.Status.Message)
		}
		for _, w := range resp.Warnings {
			fmt.Fprintf(&all, "    %s\n", w)
			if len(w) > maxLine {
				t.Errorf("%s: %d bytes: %s", c.name, len(w), w)
			}
		}
		all.WriteString("\n")
	}
	golden(t, filepath.Join("testdata", "labels.golden"), all.String())
}

func TestTenLinesAndACount(t *testing.T) {
	var objects []string
	for i := range 15 { // a group each: their paths differ in what is no number, and is not quoted
		letter := string(rune('a' + i))
		objects = append(objects, strings.ReplaceAll(holding("web-"+letter, asksDatabase), `"name":"app"`, `"name":"app-`+letter+`"`))
	}
	resp := relabel(t, previewing(t, &there{objects: objects}), ``, `"probity.dev/mode":"enforce"`)
	want := []string{"[liveness-dependency-path] Deployment web-a and 14 more would be refused: livenessProbe.httpGet.path asks the database (/health/db); a restart cannot repair that, so its outage restarts every replica", "what runs goes on: an update is refused only for a fault that it brings in", "all of it, and disruption budgets: probity audit --namespace shop --mode enforce"}
	if diff := cmp.Diff(want, resp.Warnings); diff != "" {
		t.Errorf("names of containers keep findings apart (-want +got):\n%s", diff)
	}

	g := grouping{mode: validate.ModeEnforce}
	for i := range 13 {
		ref := workload.Ref{Kind: "Deployment", Name: fmt.Sprintf("web-%02d", i%5)}
		g.add(ref, []validate.Finding{{Rule: fmt.Sprintf("rule-%02d", i), Action: validate.Warn, Message: "field is wrong"}})
	}
	lines := g.lines()
	if len(lines) != 11 || lines[10] != "and 3 more in 3 workloads" {
		t.Errorf("got %d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
}

func TestCommonLeavesOutWhatDiffers(t *testing.T) {
	for message, want := range map[string]string{
		`livenessProbe.exec.command asks host "db-1" (pg_isready -h "db-1"); a restart cannot repair that`: `livenessProbe.exec.command asks host * *; a restart cannot repair that`,
		`livenessProbe.periodSeconds is 2, under 5; so short a silence is no reason`:                       `livenessProbe.periodSeconds is *, under *; so short a silence is no reason`,
		`readinessProbe.httpGet.path asks "a \" quote"`:                                                    `readinessProbe.httpGet.path asks *`,
	} {
		if got := common(message); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestALookThatEndsEarlySaysSo(t *testing.T) {
	many := make([]string, previewObjects+1)
	for i := range many {
		many[i] = holding(fmt.Sprint("web-", i), wellMade)
	}
	const enforced = `"probity.dev/mode":"enforce"`
	tests := []struct {
		name   string
		exists *there
		want   []string
	}{
		{"at the bound", &there{objects: many}, []string{"looked at the first 3000 workloads only: there are more"}},
		{"after a second with one", &there{objects: many[:1], wait: time.Hour}, []string{"looked at 1 workload within 1s: there may be more"}},
		{"after a second", &there{objects: many[:2], wait: time.Hour}, []string{"looked at 2 workloads within 1s: there may be more"}},
		{
			"at an error", &there{objects: many[:2], after: errors.New("pods is forbidden")},
			[]string{"looked at 2 workloads; not all could be read: pods is forbidden"},
		},
		{"not when that is all", &there{objects: many[:previewObjects]}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				resp := relabel(t, previewing(t, tt.exists), ``, enforced)
				if diff := cmp.Diff(tt.want, resp.Warnings); diff != "" || !resp.Allowed {
					t.Errorf("allowed %v (-want +got):\n%s", resp.Allowed, diff)
				}
			})
		})
	}
}

func TestExemptionsCountAtALook(t *testing.T) {
	annotated := strings.Replace(holding("cart", asksDatabase), `"name":"cart"`, `"name":"cart","annotations":{"probity.dev/exempt":"liveness-dependency-path","probity.dev/exempt-reason":"it goes soon"}`, 1)
	h := previewing(t, &there{objects: []string{annotated, holding("orders", asksDatabase)}})
	resp := relabel(t, h, ``, `"probity.dev/mode":"warn"`)
	if len(resp.Warnings) != 2 || !strings.HasPrefix(resp.Warnings[0], "[liveness-dependency-path] Deployment orders would be warned about: ") {
		t.Errorf("one is exempt by its annotation: %q", resp.Warnings)
	}
	r := rulingWith(t, validate.Deny)
	r.Exemptions = validate.DefaultExemptions()
	r.Exemptions.Namespaces = []validate.Glob{"sh*"}
	h.Use(r)
	resp = relabel(t, h, ``, `"probity.dev/mode":"warn"`)
	want := []string{`the configuration exempts namespace "shop": workloads here are not judged, whatever the labels say`}
	if diff := cmp.Diff(want, resp.Warnings); diff != "" {
		t.Errorf("the namespace is exempt (-want +got):\n%s", diff)
	}
}

func TestOnlySomeLookAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &there{objects: []string{holding("web", wellMade)}, wait: time.Hour}
		h := previewing(t, slow)
		for range previewsAtOnce {
			h.Preview.turns <- struct{}{}
		}
		resp := relabel(t, h, ``, `"probity.dev/mode":"enforce"`)
		want := []string{"looked at 0 workloads within 1s: there may be more"}
		if diff := cmp.Diff(want, resp.Warnings); diff != "" || len(slow.asked) != 0 {
			t.Errorf("asked %d times (-want +got):\n%s", len(slow.asked), diff)
		}
	})
}

func TestAnnotationsOfANamespaceAreToldOf(t *testing.T) {
	h := previewing(t, &there{})
	create := func(metadata string) []byte {
		return []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","kind":{"group":"","version":"v1","kind":"Namespace"},"operation":"CREATE","name":"shop","object":{"metadata":{"name":"shop",` + metadata + `}}}}`)
	}
	for metadata, want := range map[string][]string{
		`"annotations":{"probity.dev/mode":"enforce","note":"hello"}`: {"annotation probity.dev/mode on a namespace does nothing; set it in metadata.labels of the Namespace"},
		`"labels":{"probity.dev/inject":"all"}`:                       {"[probity.dev/inject] does nothing in a namespace without label probity.dev/mode: nothing is judged or injected here"},
		`"labels":{"probity.dev/mode":"warn"}`:                        nil,
	} {
		if diff := cmp.Diff(said{Warnings: want}, ask(t, h.Validate(), create(metadata))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", metadata, diff)
		}
	}
}

// TestAProfileDoesSomethingByADefaultMode: no line says that it does nothing, as it does
// where the default mode is off.
func TestAProfileDoesSomethingByADefaultMode(t *testing.T) {
	h := previewing(t, &there{})
	h.Preview = NewPreview(&there{objects: []string{holding("orders", asksDatabase)}}, func(labels map[string]string) validate.Settings {
		return validate.NamespaceSettings(labels, validate.Settings{Mode: validate.ModeAudit})
	})
	resp := relabel(t, h, ``, `"probity.dev/profile":"strict"`)
	if len(resp.Warnings) == 0 || strings.Contains(strings.Join(resp.Warnings, "\n"), "does nothing") {
		t.Errorf("got %q", resp.Warnings)
	}
}

func TestANewNamespaceAndOneWithoutPreviewAreNotLookedInto(t *testing.T) {
	e := &there{objects: []string{holding("web", asksDatabase)}}
	h := previewing(t, e)
	_, answer := send(t, h.Validate(), "application/json", []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","kind":{"group":"","version":"v1","kind":"Namespace"},"operation":"CREATE","name":"shop","object":{"metadata":{"name":"shop","labels":{"probity.dev/mode":"enforce"}}}}}`))
	if want := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u-1","allowed":true}}`; answer != want || len(e.asked) != 0 {
		t.Errorf("got %s", answer)
	}
	if resp := relabel(t, newHandler(t, enforce()), ``, `"probity.dev/mode":"enforce"`); !resp.Allowed || resp.Warnings != nil {
		t.Errorf("got %+v", resp)
	}
}

func TestReviewsOfNamespacesAreCountedApart(t *testing.T) {
	h := previewing(t, &there{})
	relabel(t, h, `"probity.dev/mode":"enforce"`, `"probity.dev/mode":"warn"`)
	if n := testutil.ToFloat64(h.Metrics.decisions.WithLabelValues("namespace", "UPDATE", "Namespace", "warn", "warn")); n != 1 {
		t.Errorf("counted %v", n)
	}
}
