package webhook

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// rulingWith has one action for the rule about failure thresholds.
func rulingWith(t *testing.T, action validate.Action) Ruling {
	t.Helper()
	r := Ruling{Kinds: workload.DefaultKinds(), Policies: map[validate.Profile]*validate.Policy{}}
	for _, profile := range validate.Profiles {
		p, err := validate.NewPolicy(profile, validate.Override{Rule: "liveness-failure-threshold", Action: &action})
		if err != nil {
			t.Fatal(err)
		}
		r.Policies[profile] = p
	}
	return r
}

// once is a pod whose liveness probe kills at the first failure.
var once = []byte(podWith(`{"name":"app","livenessProbe":{"tcpSocket":{"port":80},"periodSeconds":20,"failureThreshold":1}}`))

func TestANewRulingHoldsFromTheNextReviewOn(t *testing.T) {
	h := newHandler(t, enforce())
	steps := []struct {
		name   string
		action validate.Action
		want   string
	}{
		{"denies", validate.Deny, `"allowed":false`},
		{"lets pass", validate.Off, `"allowed":true`},
		{"denies again", validate.Deny, `"allowed":false`},
	}
	for _, s := range steps {
		h.Use(rulingWith(t, s.action))
		if code, answer := send(t, h.Validate(), "application/json", once); code != http.StatusOK || !strings.Contains(answer, s.want) {
			t.Errorf("%s: %d %s", s.name, code, answer)
		}
	}
}

func TestANewRulingBringsKinds(t *testing.T) {
	review := []byte(strings.NewReplacer(`"group":"","version":"v1","kind":"Pod"`, `"group":"a.example","version":"v1","kind":"App"`,
		`"apiVersion":"v1","kind":"Pod"`, `"apiVersion":"a.example/v1","kind":"App"`,
		`"spec":{`, `"spec":{"template":{"spec":{`, `}]}}`, `}]}}}}`).Replace(string(once)))
	h := newHandler(t, enforce())
	if _, answer := send(t, h.Validate(), "application/json", review); !strings.Contains(answer, `"allowed":true`) {
		t.Errorf("an unknown kind: %s", answer)
	}
	r := rulingWith(t, validate.Deny)
	var err error
	if r.Kinds, err = workload.NewKinds(workload.CustomKind{Group: "a.example", Kind: "App", TemplatePath: "spec.template"}); err != nil {
		t.Fatal(err)
	}
	h.Use(r)
	if _, answer := send(t, h.Validate(), "application/json", review); !strings.Contains(answer, `"allowed":false`) {
		t.Errorf("a known kind: %s", answer)
	}
}

// TestReviewsGoOnWhileRulingsChange is for the race detector, too.
func TestReviewsGoOnWhileRulingsChange(t *testing.T) {
	h := newHandler(t, enforce())
	rulings := []Ruling{rulingWith(t, validate.Deny), rulingWith(t, validate.Off)}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				if code, answer := send(t, h.Validate(), "application/json", once); code != http.StatusOK {
					t.Errorf("%d %s", code, answer)
				}
			}
		})
	}
	for i := range 100 {
		h.Use(rulings[i%2])
	}
	all.Wait()
}

func TestNewDefaultsHoldWhereLabelsDoNotSay(t *testing.T) {
	n := &LabelledNamespaces{log: logr.Discard(), defaults: validate.Settings{Mode: validate.ModeAudit}}
	namespaces := map[string]map[string]string{
		"silent":  nil,
		"strict":  {workload.LabelProfile: "strict", "team": "a"},
		"warned":  {workload.LabelMode: "warn"},
		"illegal": {workload.LabelMode: "on"},
		"gone":    nil,
	}
	for name, labels := range namespaces {
		n.keep(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}})
	}
	n.forget(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "gone"}})
	n.SetDefaults(validate.Settings{Mode: validate.ModeEnforce, Injection: validate.Injection{Startup: true}})

	got := map[string]validate.Settings{}
	n.known.Range(func(name, _ any) bool {
		s, err := n.Settings(t.Context(), name.(string))
		if err != nil {
			t.Error(err)
		}
		got[name.(string)] = s
		return true
	})
	startup := validate.Injection{Startup: true}
	want := map[string]validate.Settings{
		"silent":  {Mode: validate.ModeEnforce, Injection: startup},
		"strict":  {Mode: validate.ModeEnforce, Profile: validate.Strict, Injection: startup},
		"warned":  {Mode: validate.ModeWarn},
		"illegal": {Mode: validate.ModeWarn, Problem: `label probity.dev/mode: mode "on" is not legal: must be enforce, warn, audit or off`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
