package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

func ruling() Ruling {
	return Ruling{Kinds: workload.DefaultKinds(), Policies: map[validate.Profile]*validate.Policy{
		validate.Baseline: validate.MustPolicy(validate.Baseline), validate.Strict: validate.MustPolicy(validate.Strict),
	}}
}

// scanned is a scanner of a cluster that is made up.
type scanned struct {
	*Scanner
	*cluster
	labels *labelled
}

func newScanner(t *testing.T) *scanned {
	t.Helper()
	c, config := newCluster(t)
	labels := &labelled{all: map[string]*metav1.PartialObjectMetadata{}}
	s, err := NewScanner(Options{
		Config: config, Cache: labels, Ruling: ruling(), Interval: time.Hour, Namespace: "probity-system",
		Metrics: NewMetrics(prometheus.NewRegistry()), Log: logr.Discard(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return &scanned{s, c, labels}
}

// written empties the list of writes.
func (s *scanned) written() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	writes := s.writes
	s.writes = nil
	slices.Sort(writes)
	return writes
}

const openReports = "/apis/openreports.io/v1alpha1/reports"

// probing is a Deployment with a liveness probe.
func probing(namespace, name, probe string) string {
	return fmt.Sprintf(`{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: %s, name: %s}, spec: {replicas: 1, selector: {matchLabels: {app: %s}}, template: {metadata: {labels: {app: %s}}, spec: {containers: [{name: app, livenessProbe: %s}]}}}}`,
		namespace, name, name, name, probe)
}

const (
	asksDatabase = `{httpGet: {path: /health/db, port: 8080}, timeoutSeconds: 2}`
	asksItself   = `{httpGet: {path: /livez, port: 8080}, timeoutSeconds: 2}`
)

func TestReportsFollowTheWorkload(t *testing.T) {
	s := newScanner(t)
	s.serves(reportAPIs[0].Resource)
	s.serves(reportAPIs[1].Resource)
	s.labels.label("shop", "enforce")
	s.labels.label("lab", "off")
	s.labels.label("probity-system", "enforce")
	s.labels.label("kube-system", "enforce")
	for _, ns := range []string{"shop", "lab", "probity-system", "kube-system"} {
		s.add(probing(ns, "orders", asksDatabase))
	}
	s.add(probing("shop", "cart", asksItself))

	orders := reportName(workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "orders"})
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"a fault", func() {}, []string{"apply shop/" + orders}},
		{"nothing new", func() {}, nil},
		{"nothing new again", func() {}, nil},
		{"another fault", func() { s.add(probing("shop", "orders", `{exec: {command: [pg_isready, -h, db]}, timeoutSeconds: 5}`)) }, []string{"apply shop/" + orders}},
		{"mended", func() { s.add(probing("shop", "orders", asksItself)) }, []string{"delete shop/" + orders}},
		{"broken again", func() { s.add(probing("shop", "orders", asksDatabase)) }, []string{"apply shop/" + orders}},
		{"mode off", func() { s.labels.label("shop", "off") }, []string{"delete shop/" + orders}},
		{"mode audit", func() { s.labels.label("shop", "audit") }, []string{"apply shop/" + orders}},
		{"the kind cannot be read", func() { s.instead("/apis/apps/v1/namespaces/shop/deployments", http.StatusServiceUnavailable, `{}`) }, nil},
		{"the kind is forbidden", func() { s.instead("/apis/apps/v1/namespaces/shop/deployments", http.StatusForbidden, `{}`) }, []string{"delete shop/" + orders}},
		{"the kind is allowed", func() {}, []string{"apply shop/" + orders}},
		{"a kind may be hidden", func() { s.instead("/apis/argoproj.io", http.StatusServiceUnavailable, `{}`) }, nil},
		{"the namespace is gone", func() {
			s.labels.label("shop", "")
			s.remove("/apis/apps/v1/deployments", "shop/orders")
		}, []string{"delete shop/" + orders}},
	}
	for _, step := range steps {
		step.do()
		s.scanAll(t.Context())
		if diff := cmp.Diff(step.want, s.written()); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
	}
	if n := len(s.lists["/apis/wgpolicyk8s.io/v1alpha2/policyreports"]); n > 0 {
		t.Errorf("%d reports of the kind that is not preferred", n)
	}
}

func TestAReportIsWhole(t *testing.T) {
	s := newScanner(t)
	s.serves(reportAPIs[0].Resource)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.reporter.now = func() time.Time { return at }
	s.labels.label("shop", "warn")
	s.add(probing("shop", "orders", asksDatabase))
	s.add(`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: shop, name: orders}, spec: {maxUnavailable: 0, selector: {matchLabels: {app: orders}}}}`)
	s.scanAll(t.Context())
	got, err := json.MarshalIndent(s.lists[openReports], "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "reports.json", got)

	// A report says since when, whatever else changes.
	at = at.Add(time.Hour)
	s.add(probing("shop", "orders", `{httpGet: {path: /health/db, port: 8080}, timeoutSeconds: 20}`))
	s.scanAll(t.Context())
	var since []string
	for _, o := range s.lists[openReports] {
		if o["scope"].(object)["kind"] != "Deployment" {
			continue
		}
		for _, r := range o["results"].([]any) {
			since = append(since, fmt.Sprint(r.(object)["policy"], " ", time.Unix(int64(r.(object)["timestamp"].(object)["seconds"].(float64)), 0).UTC().Format(time.TimeOnly)))
		}
	}
	if diff := cmp.Diff([]string{"liveness-dependency-path 03:04:05", "probe-timeout-period 04:04:05"}, since); diff != "" {
		t.Error(diff)
	}
}

func TestReportsMoveToTheBetterKind(t *testing.T) {
	s := newScanner(t)
	s.labels.label("shop", "enforce")
	s.add(probing("shop", "orders", asksDatabase))
	s.scanAll(t.Context())
	if got := s.written(); got != nil {
		t.Errorf("without a kind of report, writes %v", got)
	}
	const policyReports = "/apis/wgpolicyk8s.io/v1alpha2/policyreports"
	s.serves(reportAPIs[1].Resource)
	s.scanAll(t.Context())
	if len(s.lists[policyReports]) != 1 || s.lists[policyReports][0]["source"] != nil {
		t.Errorf("has %v", s.lists[policyReports])
	}
	s.serves(reportAPIs[0].Resource)
	s.scanAll(t.Context())
	if len(s.lists[openReports]) != 1 || len(s.lists[policyReports]) != 0 {
		t.Errorf("has %v and %v", s.lists[openReports], s.lists[policyReports])
	}
}

func TestTheScannerFollowsWhatChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(t)
		s.labels.label("shop", "enforce")
		s.labels.label("lab", "off")
		s.add(probing("shop", "orders", asksDatabase))
		s.add(probing("lab", "orders", asksDatabase))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Start(ctx) }()
		orders := reportName(workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "orders"})
		// lists counts the lists of Deployments in each namespace since the last call.
		lists := func() (got []string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, r := range s.requests {
				if strings.Contains(r, "/deployments ") {
					got = append(got, strings.Split(r, "/")[5])
				}
			}
			s.requests = nil
			return got
		}
		steps := []struct {
			name   string
			do     func()
			after  time.Duration
			lists  []string
			writes []string
		}{
			{"at the start", func() {}, 0, []string{"shop"}, nil},
			{"reports appear in the cluster", func() { s.serves(reportAPIs[0].Resource) }, lookTime + settleTime, []string{"shop"}, []string{"apply shop/" + orders}},
			{"two labels at once", func() { s.labels.label("lab", "audit"); s.labels.label("lab", "enforce") }, settleTime, []string{"lab"}, []string{"apply lab/" + orders}},
			{"a label that says the same", func() { s.labels.label("lab", "enforce") }, settleTime, nil, nil},
			{"a new namespace", func() { s.labels.label("new", "enforce") }, settleTime, nil, nil},
			{"a namespace leaves", func() { s.labels.label("lab", "off") }, settleTime, nil, []string{"delete lab/" + orders}},
			{"a namespace is deleted", func() { s.labels.label("new", "") }, settleTime, nil, nil},
			{"a configuration", func() {
				r := ruling()
				r.Defaults.Mode = validate.ModeWarn
				s.Use(r)
			}, settleTime, []string{"lab", "shop"}[1:], nil},
			{"a namespace cannot be read", func() {
				s.instead("/apis/apps/v1/namespaces/shop/deployments", http.StatusServiceUnavailable, `{}`)
				s.Use(ruling())
			}, settleTime, []string{"shop"}, nil},
			{"it is tried again", func() {}, retryTime + settleTime, []string{"shop"}, nil},
			{"the interval", func() {}, 67 * time.Minute, []string{"shop"}, nil},
		}
		for _, step := range steps {
			step.do()
			time.Sleep(step.after + time.Second)
			synctest.Wait()
			if diff := cmp.Diff(step.lists, lists()); diff != "" {
				t.Errorf("%s: lists %s", step.name, diff)
			}
			if diff := cmp.Diff(step.writes, s.written()); diff != "" {
				t.Errorf("%s: writes %s", step.name, diff)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestMetricsTellOfTheLastScan(t *testing.T) {
	s := newScanner(t)
	if n := testutil.CollectAndCount(s.metrics, "probity_audit_objects", "probity_audit_findings", "probity_audit_last_run_timestamp_seconds"); n > 0 {
		t.Errorf("%d gauges before the first scan", n)
	}
	s.serves(reportAPIs[0].Resource)
	s.labels.label("shop", "enforce")
	s.labels.label("lab", "audit")
	s.labels.label("gone", "audit")
	s.add(probing("shop", "orders", asksDatabase))
	s.add(probing("shop", "cart", asksItself))
	s.add(probing("lab", "orders", asksDatabase))
	s.add(probing("gone", "orders", asksDatabase))
	s.scanAll(t.Context())
	s.labels.label("gone", "off")
	s.scanSome(t.Context(), []string{"gone"})
	s.instead("/api/v1/namespaces/shop/pods", http.StatusForbidden, `{}`)
	s.scanAll(t.Context())
	want := `
# HELP probity_audit_errors_total What the audit could not do, by stage: list (a kind in a namespace), judge (an object) or report (a namespace).
# TYPE probity_audit_errors_total counter
probity_audit_errors_total{stage="judge"} 0
probity_audit_errors_total{stage="list"} 1
probity_audit_errors_total{stage="report"} 0
# HELP probity_audit_findings Findings of the last audit, by rule, action (deny, warn, or exempt for what an exemption covers) and mode of the namespace.
# TYPE probity_audit_findings gauge
probity_audit_findings{action="deny",mode="audit",rule="liveness-dependency-path"} 1
probity_audit_findings{action="deny",mode="enforce",rule="liveness-dependency-path"} 1
# HELP probity_audit_objects Workloads and budgets that the last audit judged, by mode of the namespace.
# TYPE probity_audit_objects gauge
probity_audit_objects{mode="audit"} 1
probity_audit_objects{mode="enforce"} 2
probity_audit_objects{mode="warn"} 0
# HELP probity_audit_report_writes_total Reports written by the audit, by change: create, update or delete. It stands still while nothing changes.
# TYPE probity_audit_report_writes_total counter
probity_audit_report_writes_total{change="create"} 3
probity_audit_report_writes_total{change="delete"} 1
probity_audit_report_writes_total{change="update"} 0
# HELP probity_audit_reports Reports that the audit keeps in the cluster.
# TYPE probity_audit_reports gauge
probity_audit_reports 2
`
	err := testutil.CollectAndCompare(s.metrics, strings.NewReader(want), "probity_audit_errors_total", "probity_audit_findings",
		"probity_audit_objects", "probity_audit_report_writes_total", "probity_audit_reports")
	if err != nil {
		t.Error(err)
	}
}
