package webhook

import (
	"slices"
	"strings"
	"testing"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// TestPermissionIsAskedOfWhoWritesTheAnnotation: of a budget's writer, and not of who
// changes the workload under it.
func TestPermissionIsAskedOfWhoWritesTheAnnotation(t *testing.T) {
	const annotated = "name: web, annotations: {probity.dev/exempt: budget-blocks-drain, probity.dev/exempt-reason: planned}"
	exempt := strings.Replace(webBudget, "name: web", annotated, 1)
	web := func(replicas int) string { return strings.Replace(webDeployment(replicas), "name: web", annotated, 1) }
	asked := []string{"alice shop budget-blocks-drain"}
	const scaler = "system:serviceaccount:operators:scaler"
	tests := []struct {
		name  string
		there []string
		change
		want  string
		asked []string
	}{
		{"the budget", []string{webDeployment(1)}, change{object: exempt}, "denied budget-blocks-drain", asked},
		{"its workload", []string{exempt}, change{object: webDeployment(1), old: webDeployment(2)}, "allowed", nil},
		{"a workload with an exemption of its own", []string{webBudget}, change{object: web(1), old: web(2)}, "denied budget-blocks-drain", asked},
		{"a budget that was exempted before", []string{webDeployment(1)}, change{object: strings.Replace(exempt, "name: web, ", "name: web, labels: {a: b}, ", 1), old: exempt}, "allowed", nil},
		{"a workload that was exempted before", []string{webBudget}, change{object: strings.Replace(web(1), "image: i", "image: i:2", 1), old: web(1)}, "allowed", nil},
		{"what only scales is not held up", []string{webBudget}, change{object: web(1), old: web(2), user: scaler}, "warned budget-blocks-drain", []string{scaler + " shop budget-blocks-drain"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, p := budgetHandler(t, validate.ModeEnforce, tt.there...), &permissions{}
			requirePermission(h, p)
			if got := outcome(t, h, tt.change); got != tt.want || !slices.Equal(p.asked, tt.asked) {
				t.Errorf("%s, asked %v; want %s, asked %v", got, p.asked, tt.want, tt.asked)
			}
		})
	}
}

// TestARefusalThatComesBackIsConfirmed: it does where the user may not exempt.
func TestARefusalThatComesBackIsConfirmed(t *testing.T) {
	exempt := strings.Replace(webBudget, "name: web", "name: web, annotations: {probity.dev/exempt: budget-blocks-drain, probity.dev/exempt-reason: planned}", 1)
	for replicas, want := range map[int]string{1: "denied budget-blocks-drain", 2: "allowed"} {
		h := budgetHandler(t, validate.ModeEnforce, webDeployment(1))
		requirePermission(h, &permissions{})
		h.Live = &live{objects: map[string]*workload.Object{"Deployment web": object(t, webDeployment(replicas))}}
		if got := outcome(t, h, change{object: exempt}); got != want {
			t.Errorf("%d replicas now: %s, want %s", replicas, got, want)
		}
	}
}

func requirePermission(h *Handler, p Permissions) {
	r := h.ruling.Load().Ruling
	r.Exemptions = validate.DefaultExemptions()
	r.Exemptions.ByAnnotation.RequirePermission = true
	h.Use(r)
	h.Permissions = p
}
