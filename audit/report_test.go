package audit

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, append(bytes.TrimSpace(got), '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(want)), strings.TrimSpace(string(got))); diff != "" {
		t.Error(diff)
	}
}

func TestNamesOfReports(t *testing.T) {
	long := strings.Repeat("a", maxName-1) + ".b"
	seen := map[string]workload.Ref{}
	for _, ref := range []workload.Ref{
		{APIVersion: "apps/v1", Kind: "Deployment", Name: "orders"},
		{APIVersion: "example.com/v1", Kind: "Deployment", Name: "orders"},
		{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "orders"},
		{APIVersion: "v1", Kind: "Pod", Name: long},
		{APIVersion: "v1", Kind: "Pod", Name: long + "c"},
	} {
		name := reportName(ref)
		if other, ok := seen[name]; ok {
			t.Errorf("%v and %v have the name %s", other, ref, name)
		}
		seen[name] = ref
		if len(name) > maxName || strings.Contains(name, ".-") {
			t.Errorf("%q is no name", name)
		}
	}
	newer := workload.Ref{APIVersion: "apps/v2", Kind: "Deployment", Name: "orders"}
	if got := reportName(newer); seen[got].APIVersion != "apps/v1" || got != "probity-deployment-orders-"+got[len(got)-8:] {
		t.Errorf("another version has another name: %s", got)
	}
}

func TestAReportIsBounded(t *testing.T) {
	f := &Faulty{Ref: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "huge"}, UID: "1"}
	for range 1000 {
		f.Findings = append(f.Findings, validate.Finding{
			Rule: "probe-period", Action: validate.Warn, Container: "app", Probe: "liveness", Path: strings.Repeat("p", 10_000),
			Message: strings.Repeat("ü", 10_000), Evidence: strings.Repeat("e", 10_000), Fix: strings.Repeat("f", 10_000),
		})
	}
	f.Findings[3].Action, f.Findings[3].Exempted = validate.Off, true
	r := newReport(reportAPIs[0], "shop", f)
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 250<<10 {
		t.Errorf("has %d bytes", len(data))
	}
	if diff := cmp.Diff(summary{Warn: 999, Skip: 1}, r.Summary); diff != "" {
		t.Error(diff)
	}
	last := r.Results[len(r.Results)-1]
	if len(r.Results) != maxResults+1 || last.Message != "900 more are left out here and counted in the summary; `probity audit -n shop` shows all" {
		t.Errorf("%d results, the last: %s", len(r.Results), last.Message)
	}
}

// TestWhatIsWrittenComesBackTheSame sends reports through JSON, as the cluster does.
func TestWhatIsWrittenComesBackTheSame(t *testing.T) {
	f := &Faulty{
		Ref: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"}, UID: "1",
		Findings: []validate.Finding{
			{Rule: "probe-period", Action: validate.Warn, Path: "spec", Message: "m", Fix: "f"},
			{Rule: "probe-period", Exempted: true},
		},
		Problems: []workload.Problem{{Path: "spec.template", Message: "must be an object"}},
	}
	for _, api := range reportAPIs {
		written := newReport(api, "shop", f)
		written.date(nil, time.Unix(1, 0))
		data, err := json.Marshal(written)
		if err != nil {
			t.Fatal(err)
		}
		var there report
		if err := json.Unmarshal(data, &there); err != nil {
			t.Fatal(err)
		}
		there.APIVersion, there.Kind, there.Metadata.UID = "", "", "2" // as in a list
		there.Metadata.Labels["team"] = "shop"
		again := newReport(api, "shop", f)
		if !again.same(&there) {
			t.Errorf("%s: differs: %s", api, cmp.Diff(again.comparable(), there.comparable()))
		}
		for name, change := range map[string]func(*report){
			"a message": func(r *report) { r.Results[0].Message = "other" },
			"an owner":  func(r *report) { r.Metadata.Owners = nil },
			"a label":   func(r *report) { r.Metadata.Labels = nil },
			"a count":   func(r *report) { r.Summary.Warn = 7 },
		} {
			var changed report
			if err := json.Unmarshal(data, &changed); err != nil {
				t.Fatal(err)
			}
			if change(&changed); again.same(&changed) {
				t.Errorf("%s: a change of %s is not seen", api, name)
			}
		}
	}
}
