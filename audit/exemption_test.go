package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
)

func TestExemptionsHoldInTheAudit(t *testing.T) {
	exempt := func(o, annotations string) string {
		return strings.Replace(o, "metadata: {", "metadata: {annotations: {"+annotations+"}, ", 1)
	}
	annotated := "probity.dev/exempt: liveness-dependency-path, probity.dev/exempt-reason: moving"
	s := newScanner(t)
	s.now = func() time.Time { return time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC) }
	r := ruling()
	r.Exemptions = validate.DefaultExemptions()
	r.Exemptions.Namespaces = []validate.Glob{"vendor"}
	r.Exemptions.Workloads = []validate.Exemption{{
		Match: validate.Match{Names: []validate.Glob{"listed"}}, Rules: []string{"liveness-dependency-path"}, Reason: "theirs", Line: 7,
	}}
	s.ruling.Store(&r)
	s.serves(reportAPIs[0].Resource)
	for _, ns := range []string{"shop", "vendor"} {
		s.labels.label(ns, "enforce")
	}
	s.add(exempt(probing("shop", "held", asksDatabase), annotated+`, probity.dev/exempt-until: "2026-03-01"`))
	s.add(exempt(probing("shop", "idle", asksItself), annotated))
	s.add(probing("shop", "listed", asksDatabase))
	s.add(exempt(probing("shop", "moving", asksDatabase), annotated+`, probity.dev/exempt-until: "2026-03-10"`))
	s.add(probing("vendor", "orders", asksDatabase))
	s.scanAll(t.Context())
	var got []string
	for _, o := range s.lists[openReports] {
		for _, r := range o["results"].([]any) {
			r := r.(object)
			line := fmt.Sprint(o["scope"].(object)["name"], ": ", r["result"], " ", r["rule"])
			if p, ok := r["properties"].(object); ok && p["exemption"] != nil {
				line += fmt.Sprint(", ", p["exemptedBy"], " ", p["exemption"])
			} else if r["rule"] == "exemption" {
				line += fmt.Sprint(", ", r["message"])
			}
			got = append(got, line)
		}
	}
	want := []string{
		"held: fail liveness-dependency-path",
		"held: warn exemption, annotation probity.dev/exempt: the exemption from liveness-dependency-path ended after 2026-03-01 (UTC) and exempts from nothing any more",
		"idle: warn exemption, annotation probity.dev/exempt: nothing breaks liveness-dependency-path here; take it out",
		"listed: skip liveness-dependency-path, configuration theirs",
		"moving: skip liveness-dependency-path, annotation until 2026-03-10: moving",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := s.metrics.tallies["shop"].findings[findingKey{"liveness-dependency-path", "exempt"}]; n != 2 {
		t.Errorf("%d findings are counted as exempt, want 2", n)
	}
	if n := s.metrics.tallies["vendor"].objects; n != 0 {
		t.Errorf("%d objects of an exempt namespace are counted as judged", n)
	}
}
