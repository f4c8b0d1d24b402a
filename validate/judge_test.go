package validate

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/probity-dev/probity/workload"
)

// faulty is a Deployment whose container app breaks liveness-dependency-path and
// liveness-failure-threshold, and whose container side only the latter.
func faulty(t *testing.T, annotations string) *workload.Workload {
	t.Helper()
	text := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"shop","name":"orders","labels":{"team":"a"},"annotations":{` + annotations + `}},
"spec":{"template":{"spec":{"runtimeClassName":"kata","containers":[
{"name":"app","image":"r.io/orders:1","livenessProbe":{"httpGet":{"path":"/health/db","port":80},"failureThreshold":1,"periodSeconds":20}},
{"name":"side","image":"r.io/side:1","livenessProbe":{"tcpSocket":{"port":81},"failureThreshold":1,"periodSeconds":20}}]}}}}`
	o, err := workload.DefaultKinds().Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o.Workload
}

const (
	asksOthers = "liveness-dependency-path"
	tooSoon    = "liveness-failure-threshold"
)

func day(t *testing.T, s string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// exemptedOf gives "container rule source" of each exempted finding.
func exemptedOf(found []Finding) (all []string) {
	for _, f := range found {
		if f.Exempted {
			all = append(all, f.Container+" "+f.Rule+" "+f.Exemption.Source.String())
		}
	}
	return all
}

func messages(notices []Notice) (all []string) {
	for _, n := range notices {
		all = append(all, n.String())
	}
	return all
}

func TestExemptionsByAnnotation(t *testing.T) {
	const reason = `"probity.dev/exempt-reason":"next release"`
	tests := []struct {
		name, annotations string
		by                ByAnnotation // the default when it is empty
		now               string       // 2027-01-10 when it is empty
		exempted, notices []string
	}{
		{name: "nothing is exempted without an annotation"},
		{
			name: "a rule is exempted wherever the workload breaks it", annotations: `"probity.dev/exempt":"liveness-failure-threshold",` + reason,
			exempted: []string{"app " + tooSoon + " annotation", "side " + tooSoon + " annotation"},
		},
		{
			name: "blanks and repetitions do not matter", annotations: `"probity.dev/exempt":" liveness-dependency-path ,,liveness-dependency-path",` + reason,
			exempted: []string{"app " + asksOthers + " annotation"},
		},
		{
			name: "an id that does not exist leaves the others alone", annotations: `"probity.dev/exempt":"liveness-dependency-pth, no-such, liveness-failure-threshold",` + reason,
			exempted: []string{"app " + tooSoon + " annotation", "side " + tooSoon + " annotation"},
			notices: []string{
				`metadata.annotations: annotation probity.dev/exempt: rule "liveness-dependency-pth" does not exist: did you mean "liveness-dependency-path"?`,
				"metadata.annotations: annotation probity.dev/exempt: rule \"no-such\" does not exist: `probity explain` lists all",
			},
		},
		{
			name: "ids are not separated by blanks", annotations: `"probity.dev/exempt":"liveness-dependency-path liveness-failure-threshold",` + reason,
			notices: []string{`metadata.annotations: annotation probity.dev/exempt: rule "liveness-dependency-path liveness-failure-threshold" does not exist: rules are separated by commas`},
		},
		{
			name: "a list without an id is a mistake", annotations: `"probity.dev/exempt":" , ",` + reason,
			notices: []string{"metadata.annotations: annotation probity.dev/exempt: is empty: must be the ids of rules, separated by commas"},
		},
		{
			name: "without a reason nothing is exempted", annotations: `"probity.dev/exempt":"liveness-dependency-path","probity.dev/exempt-reason":"  "`,
			notices: []string{"metadata.annotations: annotation probity.dev/exempt: exempts from nothing without a reason: annotation probity.dev/exempt-reason must say why"},
		},
		{
			name: "with a wrong date nothing is exempted", annotations: `"probity.dev/exempt":"liveness-dependency-path","probity.dev/exempt-until":"31.1.2027",` + reason,
			notices: []string{`metadata.annotations: annotation probity.dev/exempt-until: is "31.1.2027", so nothing is exempted: must be a date such as 2027-01-31`},
		},
		{
			name: "without a date where one is required nothing is exempted", annotations: `"probity.dev/exempt":"liveness-dependency-path",` + reason,
			by:      ByAnnotation{Rules: []string{asksOthers}, RequireUntil: true},
			notices: []string{"metadata.annotations: annotation probity.dev/exempt: exempts from nothing without an end, which the configuration requires: annotation probity.dev/exempt-until must be a date such as 2027-01-31"},
		},
		{
			name: "a rule that may not be named is not exempted", annotations: `"probity.dev/exempt":"liveness-dependency-path,liveness-failure-threshold",` + reason,
			by:       ByAnnotation{Rules: []string{tooSoon, "probe-period"}},
			exempted: []string{"app " + tooSoon + " annotation", "side " + tooSoon + " annotation"},
			notices:  []string{"metadata.annotations: annotation probity.dev/exempt: must not name liveness-dependency-path: the configuration allows only liveness-failure-threshold, probe-period"},
		},
		{
			name: "an end far away says nothing", annotations: `"probity.dev/exempt":"liveness-dependency-path","probity.dev/exempt-until":"2027-01-24",` + reason,
			exempted: []string{"app " + asksOthers + " annotation"},
		},
		{
			name: "the last 14 days are warned about", annotations: `"probity.dev/exempt":"liveness-dependency-path","probity.dev/exempt-until":"2027-01-23",` + reason,
			exempted: []string{"app " + asksOthers + " annotation"},
			notices:  []string{"metadata.annotations: annotation probity.dev/exempt: the exemption from liveness-dependency-path ends after 2027-01-23 (UTC), in 13 days"},
		},
		{
			name: "the last day counts whole", annotations: `"probity.dev/exempt":"liveness-dependency-path","probity.dev/exempt-until":"2027-01-10",` + reason, now: "2027-01-10T23:59:59Z",
			exempted: []string{"app " + asksOthers + " annotation"},
			notices:  []string{"metadata.annotations: annotation probity.dev/exempt: the exemption from liveness-dependency-path ends after 2027-01-10 (UTC), today"},
		},
		{
			name: "the day ends in UTC, wherever the clock is", annotations: `"probity.dev/exempt":"liveness-dependency-path","probity.dev/exempt-until":"2027-01-10",` + reason, now: "2027-01-10T23:00:00-02:00",
			notices: []string{"metadata.annotations: annotation probity.dev/exempt: the exemption from liveness-dependency-path ended after 2027-01-10 (UTC) and exempts from nothing any more"},
		},
		{
			name: "what nothing breaks is told", annotations: `"probity.dev/exempt":"probe-timeout-period",` + reason,
			notices: []string{"metadata.annotations: annotation probity.dev/exempt: nothing breaks probe-timeout-period here; take it out"},
		},
		{name: "a rule that is off is not", annotations: `"probity.dev/exempt":"liveness-missing",` + reason},
		{name: "a rule about budgets is Bundle's to tell", annotations: `"probity.dev/exempt":"budget-overlap",` + reason},
		{
			name: "a reason for nothing is told", annotations: reason,
			notices: []string{"metadata.annotations: annotation probity.dev/exempt-reason: says nothing without annotation probity.dev/exempt"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := DefaultExemptions()
			if tt.by.Rules != nil {
				e.ByAnnotation = tt.by
			}
			now := day(t, "2027-01-10")
			if tt.now != "" {
				var err error
				if now, err = time.Parse(time.RFC3339, tt.now); err != nil {
					t.Fatal(err)
				}
			}
			got := Judge{Policy: MustPolicy(Baseline), Exemptions: e, Now: now}.Workload(faulty(t, tt.annotations))
			if diff := cmp.Diff(tt.exempted, exemptedOf(got.Findings)); diff != "" {
				t.Errorf("exempted (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.notices, messages(got.Notices)); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnnotationsThatAreNotAllowed(t *testing.T) {
	got := Judge{Policy: MustPolicy(Baseline), Exemptions: &Exemptions{}}.Workload(faulty(t, `"probity.dev/exempt":"liveness-dependency-path","probity.dev/exempt-reason":"x"`))
	want := []string{"metadata.annotations: annotation probity.dev/exempt: is not heeded: the configuration allows no exemptions by annotation"}
	if diff := cmp.Diff(want, messages(got.Notices)); diff != "" || exemptedOf(got.Findings) != nil {
		t.Errorf("%v\n%s", exemptedOf(got.Findings), diff)
	}
}

func TestAnExemptedFindingKeepsWhatItWas(t *testing.T) {
	w := faulty(t, `"probity.dev/exempt":"liveness-dependency-path","probity.dev/exempt-reason":"next release","probity.dev/exempt-until":"2027-01-31"`)
	got := Judge{Policy: MustPolicy(Baseline), Now: day(t, "2027-01-01")}.Workload(w).Findings
	want := Evaluate(w, MustPolicy(Baseline))
	want[0].Action, want[0].Exempted = Off, true
	want[0].Exemption = &AppliedExemption{Source: ByOwnAnnotation, Reason: "next release", Until: day(t, "2027-01-31"), Action: Deny}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if refused := RefusedLiveness(got); !refused["app"] {
		t.Error("an exempted check is a model for a startup probe")
	}
	got[0].Reinstate()
	if diff := cmp.Diff(Evaluate(w, MustPolicy(Baseline)), got); diff != "" {
		t.Errorf("reinstated (-want +got):\n%s", diff)
	}
}

func TestExemptionsByConfiguration(t *testing.T) {
	globs := func(g ...Glob) []Glob { return g }
	both := []string{"app " + tooSoon + " configuration", "side " + tooSoon + " configuration"}
	tests := []struct {
		name  string
		match Match
		want  []string
	}{
		{"a namespace", Match{Namespaces: globs("other", "sh*")}, both},
		{"another namespace", Match{Namespaces: globs("other")}, nil},
		{"a kind", Match{Kinds: globs("Deployment")}, both},
		{"another kind", Match{Kinds: globs("deployment")}, nil},
		{"a name", Match{Names: globs("orders*")}, both},
		{"another name", Match{Namespaces: globs("shop"), Names: globs("order")}, nil},
		{"a label", Match{Labels: map[string]Glob{"team": "*"}}, both},
		{"a label with another value", Match{Labels: map[string]Glob{"team": "b"}}, nil},
		{"a label that is not there", Match{Labels: map[string]Glob{"owner": "*"}}, nil},
		{"a container", Match{Containers: globs("side")}, both[1:]},
		{"an image", Match{Images: globs("*/orders:*")}, both[:1]},
		{"a container with another image", Match{Containers: globs("side"), Images: globs("*/orders:*")}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := &Exemptions{Workloads: []Exemption{{Match: tt.match, Rules: []string{tooSoon}, Reason: "x", Line: 7}}}
			got := Judge{Policy: MustPolicy(Baseline), Exemptions: e}.Workload(faulty(t, ""))
			if diff := cmp.Diff(tt.want, exemptedOf(got.Findings)); diff != "" || got.Notices != nil {
				t.Errorf("%v\n%s", got.Notices, diff)
			}
		})
	}
}

func TestEndsOfTheConfigurationsExemptions(t *testing.T) {
	entry := func(until string, line int, rules ...string) Exemption {
		return Exemption{Match: Match{Names: []Glob{"orders"}}, Rules: rules, Reason: "x", Until: day(t, until), Line: line}
	}
	e := &Exemptions{Workloads: []Exemption{entry("2027-01-09", 3, asksOthers, tooSoon), entry("2027-01-11", 5, tooSoon), entry("2027-01-01", 7, "probe-period")}}
	got := Judge{Policy: MustPolicy(Baseline), Exemptions: e, Now: day(t, "2027-01-10")}.Workload(faulty(t, ""))
	want := []string{
		"the configuration's exemption on line 3 from liveness-dependency-path ended after 2027-01-09 (UTC) and exempts from nothing any more",
		"the configuration's exemption on line 5 from liveness-failure-threshold ends after 2027-01-11 (UTC), tomorrow",
	}
	if diff := cmp.Diff(want, messages(got.Notices)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTheConfigurationGoesBeforeTheAnnotation, which may need a permission.
func TestTheConfigurationGoesBeforeTheAnnotation(t *testing.T) {
	e := DefaultExemptions()
	e.Workloads = []Exemption{{Match: Match{Containers: []Glob{"side"}}, Rules: []string{tooSoon}, Reason: "x"}}
	w := faulty(t, `"probity.dev/exempt":"liveness-failure-threshold","probity.dev/exempt-reason":"y"`)
	got := Judge{Policy: MustPolicy(Baseline), Exemptions: e}.Workload(w)
	want := []string{"app " + tooSoon + " annotation", "side " + tooSoon + " configuration"}
	if diff := cmp.Diff(want, exemptedOf(got.Findings)); diff != "" || got.Notices != nil {
		t.Errorf("%v\n%s", got.Notices, diff)
	}
}

func TestWhatIsExemptAsAWhole(t *testing.T) {
	globs := func(g ...Glob) []Glob { return g }
	alice := &Writer{Name: "alice", Groups: []string{"devs", "system:authenticated"}}
	tests := []struct {
		name   string
		e      Exemptions
		writer *Writer
		want   string
	}{
		{"a namespace", Exemptions{Namespaces: globs("s*")}, nil, `namespace "shop"`},
		{"another namespace", Exemptions{Namespaces: globs("s")}, alice, ""},
		{"a runtime class", Exemptions{RuntimeClasses: globs("kata")}, nil, `runtimeClass "kata"`},
		{"a user", Exemptions{Users: globs("ali*")}, alice, `user "alice"`},
		{"another user", Exemptions{Users: globs("bob")}, alice, ""},
		{"nobody", Exemptions{Users: globs("*"), Groups: globs("*")}, nil, ""},
		{"a group", Exemptions{Groups: globs("ops", "devs")}, alice, `group "devs"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Judge{Policy: MustPolicy(Baseline), Exemptions: &tt.e, Writer: tt.writer}.Workload(faulty(t, ""))
			switch {
			case tt.want == "" && (got.Exempt.By != "" || len(got.Findings) != 3):
				t.Errorf("exempt by %s, %d findings", got.Exempt, len(got.Findings))
			case tt.want != "" && (got.Exempt.String() != tt.want || len(got.Findings) != 0):
				t.Errorf("exempt by %s, %d findings", got.Exempt, len(got.Findings))
			}
		})
	}
}

func TestBundleHasTheSameExemptions(t *testing.T) {
	const exempt = `,"annotations":{"probity.dev/exempt":"budget-blocks-drain,budget-overlap","probity.dev/exempt-reason":"one node"}`
	budget := func(name, metadata string) string {
		return `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"` + name + `"` + metadata + `},"spec":{"maxUnavailable":0,"selector":{"matchLabels":{"app":"` + name + `"}}}}`
	}
	pods := func(name, metadata string) string {
		return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"` + name + `"` + metadata + `},"spec":{"replicas":2,"template":{"metadata":{"labels":{"app":"` + name + `"}},"spec":{"containers":[{"name":"app"}]}}}}`
	}
	objects := func(texts ...string) (all []*workload.Object) {
		for _, text := range texts {
			o, err := workload.DefaultKinds().Decode([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, o)
		}
		return all
	}
	byName := &Exemptions{Workloads: []Exemption{{Match: Match{Kinds: []Glob{"PodDisruptionBudget"}, Names: []Glob{"web"}}, Rules: []string{"budget-blocks-drain"}, Reason: "x"}}}
	tests := []struct {
		name     string
		e        *Exemptions
		objects  []*workload.Object
		findings string // "name action", joined
		notices  []string
	}{
		{"nothing is exempted by itself", nil, objects(budget("web", ""), pods("web", "")), "web warn", nil},
		{
			"the budget's annotation exempts it", nil, objects(budget("web", exempt), pods("web", ""), budget("db", ""), pods("db", "")), "db warn, web off",
			[]string{"0: metadata.annotations: annotation probity.dev/exempt: nothing breaks budget-overlap here; take it out"},
		},
		{"the configuration's list exempts it", byName, objects(budget("web", ""), pods("web", ""), budget("db", ""), pods("db", "")), "db warn, web off", nil},
		{"an exempt namespace has no findings", &Exemptions{Namespaces: []Glob{"shop"}}, objects(budget("web", `,"namespace":"shop"`), pods("web", `,"namespace":"shop"`)), "", nil},
		{"what exempts the workload exempts its budget", nil, objects(budget("web", ""), pods("web", strings.Replace(exempt, ",budget-overlap", "", 1))), "web off", nil},
		{
			"what is exempted of a workload and needs no exemption is told", nil, objects(budget("web", ""), pods("web", exempt)), "web off",
			[]string{"1: metadata.annotations: annotation probity.dev/exempt: nothing breaks budget-overlap here; take it out"},
		},
		{"an exempt runtime class takes its workload's budget along", &Exemptions{RuntimeClasses: []Glob{"kata"}}, objects(budget("web", ""), strings.Replace(pods("web", ""), `"containers"`, `"runtimeClassName":"kata","containers"`, 1)), "", nil},
		{
			"a wrong annotation of a budget is told here, one of a workload there", nil,
			objects(budget("web", `,"annotations":{"probity.dev/exempt":"x-y"}`), pods("web", `,"annotations":{"probity.dev/exempt":"x-y"}`)), "web warn",
			[]string{
				"0: metadata.annotations: annotation probity.dev/exempt: rule \"x-y\" does not exist: `probity explain` lists all",
				"0: metadata.annotations: annotation probity.dev/exempt: exempts from nothing without a reason: annotation probity.dev/exempt-reason must say why",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBundle(Judge{Policy: MustPolicy(Baseline), Exemptions: tt.e})
			for _, o := range tt.objects {
				b.Add(o)
			}
			found, notices := b.Findings()
			var got []string
			for _, f := range found {
				got = append(got, f.Object.Name+" "+f.Action.String())
			}
			if s := strings.Join(got, ", "); s != tt.findings {
				t.Errorf("findings: got %q, want %q", s, tt.findings)
			}
			var said []string
			for _, n := range notices {
				said = append(said, string(rune('0'+n.Index))+": "+n.String())
			}
			if diff := cmp.Diff(tt.notices, said, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
		})
	}
}
