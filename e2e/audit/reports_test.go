package audit

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestReports goes through the life of reports. Its steps build on each other.
func TestReports(t *testing.T) {
	s, probity := newSpace(t, "audit-shop", "audit"), local.Probity
	s.apply(deployment("orders", asksDatabase))
	s.apply(deployment("cart", asksItself))
	scans(t, probity, 1) // without a kind of report
	if kept, _ := metric(t, probity, "probity_audit_reports"); kept != 0 {
		t.Fatalf("%v reports are kept in a cluster without reports", kept)
	}
	const only = "1 report"
	resource := "policyreports.wgpolicyk8s.io"
	become := func(what string, want func([]report) bool) (all []report) {
		t.Helper()
		s.Eventually(what, func(context.Context) bool {
			all = s.reports(resource)
			return want(all)
		})
		return all
	}
	one := func(all []report) bool { return len(all) == 1 }
	none := func(all []report) bool { return len(all) == 0 }

	s.addKind("testdata/policyreports.yaml", resource)
	become(only, one)
	s.addKind("testdata/reports.yaml", "reports.openreports.io")
	become("the reports of the old kind to go", none)
	resource = "reports.openreports.io"
	got := become(only, one)[0]
	uid, _ := s.Admin("", "get", "deployment", "orders", "-o", "jsonpath={.metadata.uid}")
	if diff := cmp.Diff(wantReport(uid), got, cmpopts.IgnoreFields(report{}, "Metadata.Name", "Metadata.ResourceVersion")); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(got.Metadata.Name, "probity-deployment-orders-") {
		t.Errorf("its name is %s", got.Metadata.Name)
	}

	s.standStill(resource)

	s.apply(deployment("orders", hangs))
	become("another finding", func(all []report) bool { return one(all) && len(all[0].Results) == 2 })
	s.apply(deployment("orders", asksItself))
	become("nothing to tell", none)
	s.apply(deployment("orders", hangs))
	become(only, one)
	s.Admin("", "delete", "deployment", "orders")
	become("the report to go with its workload", none)
	s.apply(deployment("orders", hangs))
	become(only, one)
	s.Label("probity.dev/mode=off")
	become("the report to go with the mode", none)
	s.Label("probity.dev/mode=warn")
	become(only, one)
	s.Label("probity.dev/mode-")
	become("the report to go with the label", none)
	s.Label("probity.dev/mode=enforce")
	become(only, one)
	s.Admin("", "delete", "namespace", s.Name)
	become("the report to go with the namespace", none)

	scans(t, probity, 2)
	if kept, _ := metric(t, probity, "probity_audit_reports"); kept != 0 {
		t.Errorf("%v reports are counted when all are gone", kept)
	}
	if failed, _ := metric(t, probity, "probity_audit_errors_total"); failed != 0 {
		log, _ := os.ReadFile(probity.LogPath())
		t.Errorf("the audit failed %v times under the permissions of the manifests:\n%s", failed, errorsOf(string(log)))
	}
}

// addKind makes the cluster have a kind of report.
func (s space) addKind(file, resource string) {
	s.T.Helper()
	s.Admin("", "apply", "-f", file)
	s.Admin("", "wait", "--for=condition=Established", "--timeout=60s", "crd/"+resource)
}

func wantReport(uid string) report {
	var want report
	want.Metadata.OwnerReferences = []struct{ Kind, Name, UID string }{{"Deployment", "orders", uid}}
	want.Source = "probity"
	want.Scope = struct{ Kind, Name string }{"Deployment", "orders"}
	want.Summary = map[string]int{"pass": 0, "fail": 1, "warn": 0, "error": 0, "skip": 0}
	want.Results = []result{{
		Policy: "liveness-dependency-path", Rule: "liveness-dependency-path", Category: "Failure domain", Severity: "high",
		Result: "fail", Source: "probity",
		Message: `container "app": livenessProbe.httpGet.path asks the database (/health/db); a restart cannot repair that, so its outage restarts every replica`,
		Properties: map[string]string{
			"container": "app", "probe": "liveness", "evidence": "/health/db",
			"path": "spec.template.spec.containers[0].livenessProbe.httpGet.path",
			"fix":  "Ask only whether this process works. Check the rest in readiness or in an alert.",
		},
	}}
	return want
}

// standStill fails when anything is written in three scans in which nothing changes.
func (s space) standStill(resource string) {
	t, probity := s.T, local.Probity
	t.Helper()
	versions := func() (all []string) {
		for _, r := range s.reports(resource) {
			all = append(all, r.Metadata.Name+" "+r.Metadata.ResourceVersion)
		}
		return all
	}
	scans(t, probity, 1) // whatever was under way
	before, writes := versions(), reportWrites(t)
	if len(writes) == 0 {
		t.Fatal("the audit log shows no write of a report, so that none could be counted")
	}
	scans(t, probity, 3)
	if diff := cmp.Diff(before, versions()); diff != "" {
		t.Errorf("nothing changed, and yet: %s", diff)
	}
	if now := reportWrites(t); len(now) != len(writes) {
		t.Errorf("reports were written in scans in which nothing changed:\n%s", strings.Join(now[len(writes):], "\n"))
	}
}

// reportWrites are what Probity's service account has written of reports.
func reportWrites(t testing.TB) (writes []string) {
	t.Helper()
	events, err := local.AuditEvents()
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		e := &events[i]
		if e.User.Username == "system:serviceaccount:probity-system:probity" && e.ObjectRef != nil &&
			slices.Contains([]string{"reports", "policyreports"}, e.ObjectRef.Resource) && !slices.Contains([]string{"get", "list", "watch"}, e.Verb) {
			writes = append(writes, fmt.Sprintf("%s %s %s %s/%s: %d", e.StageTimestamp.Format(time.TimeOnly), e.Verb, e.ObjectRef.Resource, e.ObjectRef.Namespace, e.ObjectRef.Name, e.ResponseStatus.Code))
		}
	}
	return writes
}

// errorsOf are the lines of a log that tell of errors.
func errorsOf(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"level":"ERROR"`) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}
