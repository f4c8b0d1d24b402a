package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/dependency"
	"github.com/probity-dev/probity/validate/dependency/command"
	"github.com/probity-dev/probity/validate/dependency/endpoint"
	"github.com/probity-dev/probity/workload"
)

func parse(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("config.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func pointer[T any](v T) *T { return &v }

const everything = header + `
defaults:
  mode: off
  profile: strict
  inject: startup
rules:
  liveness-window:
    action: warn
    parameters: {min: 20s, max: 1h30m}
  probe-timeout-period: {likely: off, parameters: {allowEqual: true}}
  liveness-failure-threshold: {parameters: {min: 4}}
dependencies:
  words: [payments, Price-List]
  endpoints:
  - product: Shop
    path: /internal/health
    query: [deep, "!fast"]
    headers: [x-mode=deep]
    images: [shop-api]
    ports: [8080, admin]
    scope: shared
    likely: true
    readiness: true
    asks: the order database
    instead: /internal/live
    source: https://wiki.example.com/health
  clients:
  - names: [shopctl]
    product: the shop
    images: [shop, shopd]
    port: 7000
    options: {--host: host, -h: host}
    arguments: [word, url]
    style: long
    environment: [SHOP_URL]
    default: likely
    asks: the shop
    protocol: grpc
    verbs: [{match: ping|ready, asks: this instance, local: true, output: true, likely: true, readiness: true, source: https://a.example}]
    heavy: a JVM
    source: https://b.example
kinds:
- {group: apps.kruise.io, kind: CloneSet, templatePath: spec.template}
startupProbes: {budget: 10m}
disruptionBudgets: {maxUnavailable: 2, unhealthyPodEvictionPolicy: IfHealthyBudget}
exemptions:
  byAnnotation: {allowed: true, rules: [liveness-window], requireUntil: true, requirePermission: true}
  namespaces: [legacy-*]
  runtimeClasses: [kata]
  users: ["system:serviceaccount:velero:*"]
  groups: [break-glass]
  workloads:
  - match:
      namespaces: [monitoring]
      kinds: [StatefulSet]
      names: [prometheus-*]
      labels: {app.kubernetes.io/managed-by: Helm}
      containers: [prometheus]
      images: [quay.io/prometheus/*]
    rules: [liveness-dependency-path, probe-period]
    reason: a chart of others
    until: 2027-01-31
`

func TestEveryFieldIsRead(t *testing.T) {
	want := &Config{
		Defaults: Defaults{Mode: pointer(validate.ModeOff), Profile: pointer(validate.Strict), Injection: &validate.Injection{Startup: true}},
		Rules: []validate.Override{
			{Rule: "liveness-window", Action: pointer(validate.Warn), Params: map[string]any{"min": 20 * time.Second, "max": 90 * time.Minute}},
			{Rule: "probe-timeout-period", Likely: pointer(validate.Off), Params: map[string]any{"allowEqual": true}},
			{Rule: "liveness-failure-threshold", Params: map[string]any{"min": 4}},
		},
		Words: []string{"payments", "Price-List"},
		Endpoints: []endpoint.Entry{{
			Product: "Shop", Path: "/internal/health", Query: []string{"deep", "!fast"}, Headers: []string{"x-mode=deep"},
			Images: []string{"shop-api"}, Ports: []string{"8080", "admin"}, Scope: dependency.Shared, Likely: true, Readiness: true,
			Asks: "the order database", Instead: "/internal/live", Source: "https://wiki.example.com/health",
		}},
		Clients: []command.Client{{
			Names: []string{"shopctl"}, Product: "the shop", Servers: "shop shopd", Port: 7000, Flags: "--host:host -h:host",
			Args: "word url", Style: command.LongDash, Env: "SHOP_URL", Default: command.DefaultLikely, Asks: "the shop", Protocol: command.GRPC,
			Verbs: []command.Verb{{Match: "ping|ready", Asks: "this instance", Local: true, Output: true, Likely: true, Readiness: true, Source: "https://a.example"}},
			Heavy: "a JVM", Source: "https://b.example",
		}},
		CustomKinds:   []workload.CustomKind{{Group: "apps.kruise.io", Kind: "CloneSet", TemplatePath: "spec.template"}},
		StartupBudget: 10 * time.Minute,
		Budget:        Budget{MaxUnavailable: workload.IntOrPercent{Text: "2", Value: 2}, UnhealthyPodEvictionPolicy: "IfHealthyBudget"},
		Exemptions: validate.Exemptions{
			ByAnnotation: validate.ByAnnotation{Rules: []string{"liveness-window"}, RequireUntil: true, RequirePermission: true},
			Namespaces:   []validate.Glob{"legacy-*"}, RuntimeClasses: []validate.Glob{"kata"}, Users: []validate.Glob{"system:serviceaccount:velero:*"}, Groups: []validate.Glob{"break-glass"},
			Workloads: []validate.Exemption{{
				Match: validate.Match{
					Namespaces: []validate.Glob{"monitoring"}, Kinds: []validate.Glob{"StatefulSet"}, Names: []validate.Glob{"prometheus-*"},
					Labels: map[string]validate.Glob{"app.kubernetes.io/managed-by": "Helm"}, Containers: []validate.Glob{"prometheus"}, Images: []validate.Glob{"quay.io/prometheus/*"},
				},
				Rules: []string{"liveness-dependency-path", "probe-period"}, Reason: "a chart of others",
				Until: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC), Line: 55,
			}},
		},
	}
	if diff := cmp.Diff(want, parse(t, everything), cmpopts.IgnoreUnexported(Config{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatIsNotSaidHasItsDefault(t *testing.T) {
	tests := map[string]string{
		"a file with its head only": header,
		"fields without content":    header + "defaults:\nrules:\n  liveness-window:\nkinds:\nexemptions:\n  byAnnotation:\n  workloads:\n",
		"JSON":                      `{"apiVersion": "probity.dev/v1alpha1", "kind": "Configuration"}`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			got := parse(t, text)
			got.Rules = nil // a rule of which nothing is said
			if diff := cmp.Diff(Default(), got, cmpopts.IgnoreUnexported(Config{})); diff != "" {
				t.Errorf("(-default +got):\n%s", diff)
			}
		})
	}
}

func TestSettingsOfANamespaceWithoutLabels(t *testing.T) {
	all := validate.Injection{Startup: true, Budget: true}
	tests := map[string]struct {
		text      string
		otherwise validate.Mode
		want      validate.Settings
	}{
		"nothing is said":                  {"", validate.ModeOff, validate.Settings{}},
		"the caller's mode":                {"defaults: {profile: strict}", validate.ModeEnforce, validate.Settings{Mode: validate.ModeEnforce, Profile: validate.Strict, Injection: all}},
		"a mode brings its injection":      {"defaults: {mode: enforce}", validate.ModeOff, validate.Settings{Mode: validate.ModeEnforce, Injection: all}},
		"off is a mode too":                {"defaults: {mode: off}", validate.ModeEnforce, validate.Settings{}},
		"injection wins over the mode's":   {"defaults: {mode: enforce, inject: none}", validate.ModeOff, validate.Settings{Mode: validate.ModeEnforce}},
		"injection in a mode without it":   {"defaults: {mode: warn, inject: all}", validate.ModeOff, validate.Settings{Mode: validate.ModeWarn, Injection: all}},
		"an alias stands for its original": {"defaults: &d {mode: warn}\nrules: {}\n", validate.ModeOff, validate.Settings{Mode: validate.ModeWarn}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, parse(t, header+tt.text).Defaults.Settings(tt.otherwise)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatTheFileSaysIsJudgedBy goes from the file to findings.
func TestWhatTheFileSaysIsJudgedBy(t *testing.T) {
	const text = header + `
rules:
  probe-period: {action: deny}
  liveness-failure-threshold: {parameters: {min: 5}}
dependencies:
  words: [payments]
  endpoints: [{product: Shop, path: /state, scope: shared, asks: the order database}]
  clients: [{names: [shopctl], product: Shop, default: shared, asks: the shop}]
kinds: [{group: apps.kruise.io, kind: CloneSet, templatePath: spec.template}]
`
	const usual = `"periodSeconds": 10, "timeoutSeconds": 6, "failureThreshold": 5`
	tests := map[string]struct {
		handler, timing string
		want            []string
	}{
		"nothing":            {`"httpGet": {"path": "/livez", "port": 80}`, usual, nil},
		"an action":          {`"httpGet": {"path": "/livez", "port": 80}`, `"periodSeconds": 4, "failureThreshold": 5`, []string{"deny probe-period"}},
		"a parameter":        {`"httpGet": {"path": "/livez", "port": 80}`, `"failureThreshold": 4`, []string{"deny liveness-failure-threshold"}},
		"a word in a path":   {`"httpGet": {"path": "/health/payments", "port": 80}`, usual, []string{"deny liveness-dependency-path"}},
		"a word of a host":   {`"exec": {"command": ["sh", "-c", "curl -f http://$PAYMENTS_HOST/"]}`, usual, []string{"deny liveness-dependency-exec"}},
		"an endpoint":        {`"httpGet": {"path": "/state", "port": 80}`, usual, []string{"deny liveness-dependency-path"}},
		"a client":           {`"exec": {"command": ["shopctl", "ping"]}`, usual, []string{"deny liveness-dependency-exec"}},
		"a URL of a command": {`"exec": {"command": ["curl", "-f", "http://localhost/state"]}`, usual, []string{"deny liveness-dependency-exec"}},
	}
	c := parse(t, text)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o, err := c.Kinds().Decode([]byte(`{"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "metadata": {"name": "app"}, "spec": {"template": {"spec": {
				"containers": [{"name": "app", "env": [{"name": "PAYMENTS_HOST", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}],
				"livenessProbe": {` + tt.handler + `, ` + tt.timing + `}}]}}}}`))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range validate.Evaluate(o.Workload, c.Policy(validate.Baseline)) {
				got = append(got, f.Action.String()+" "+f.Rule)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if p := Default().Policy(validate.Strict); p.Profile() != validate.Strict || p.ActionOf("probe-period") != validate.Warn {
		t.Errorf("another configuration has learnt of it: %s", p.ActionOf("probe-period"))
	}
}
