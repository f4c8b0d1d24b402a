package ruletest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// dashboard is what the tests read of Grafana's JSON.
type dashboard struct {
	Title  string  `json:"title"`
	UID    string  `json:"uid"`
	Panels []panel `json:"panels"`
}

type panel struct {
	ID          int    `json:"id"`
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	GridPos     struct {
		X, Y, W, H int
	} `json:"gridPos"`
	Targets []struct {
		Expr string `json:"expr"`
	} `json:"targets"`
}

func TestTheDashboardAsksWhatPrometheusUnderstands(t *testing.T) {
	text, err := os.ReadFile("../../manifests/monitoring/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	// What Grafana puts in, before Prometheus sees it.
	variables := strings.NewReplacer("$__rate_interval", "2m", "$namespace", "probity-system")
	ids := map[int]bool{}
	at := map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("panel %q: id %d is used twice", p.Title, p.ID)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other, taken := at[[2]int{x, y}]; taken || x >= 24 {
					t.Fatalf("panel %q lies on %q, or beyond the edge", p.Title, other)
				}
				at[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("panel %q: title, description and a query are required", p.Title)
		}
		for _, target := range p.Targets {
			if _, err := newParser().ParseExpr(variables.Replace(target.Expr)); err != nil {
				t.Errorf("panel %q: %v in %s", p.Title, err, target.Expr)
			}
		}
	}
}
