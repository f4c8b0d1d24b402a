package webhook

import (
	"slices"
	"strings"
	"testing"

	"github.com/probity-dev/probity/validate"
)

// TestPermissionIsAskedOfWhoWritesTheAnnotation: of a budget's writer, and not of who
// changes the workload under it.
func TestPermissionIsAskedOfWhoWritesTheAnnotation(t *testing.T) {
	exempt := strings.Replace(webBudget, "name: web", "name: web, annotations: {probity.dev/exempt: budget-blocks-drain, probity.dev/exempt-reason: planned}", 1)
	asked := []string{"alice shop budget-blocks-drain"}
	tests := []struct {
		name  string
		there []string
		change
		want  string
		asked []string
	}{
		{"the budget", []string{webDeployment(1)}, change{object: exempt}, "denied budget-blocks-drain", asked},
		{"its workload", []string{exempt}, change{object: webDeployment(1), old: webDeployment(2)}, "allowed", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, p := budgetHandler(t, validate.ModeEnforce, tt.there...), &permissions{}
			r := h.ruling.Load().Ruling
			r.Exemptions = validate.DefaultExemptions()
			r.Exemptions.ByAnnotation.RequirePermission = true
			h.Use(r)
			h.Permissions = p
			if got := outcome(t, h, tt.change); got != tt.want || !slices.Equal(p.asked, tt.asked) {
				t.Errorf("%s, asked %v; want %s, asked %v", got, p.asked, tt.want, tt.asked)
			}
		})
	}
}
