package webhook

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// permissions allow users to exempt, and note what they are asked.
type permissions struct {
	allowed map[string]bool // by user
	err     error
	asked   []string
}

func (p *permissions) MayExempt(_ context.Context, user User, namespace, rule string) (bool, error) {
	p.asked = append(p.asked, user.Name+" "+namespace+" "+rule)
	return p.allowed[user.Name], p.err
}

// exempting returns a handler in enforce with exemptions.
func exempting(t *testing.T, e validate.Exemptions, p Permissions) *Handler {
	t.Helper()
	return New(Ruling{
		Kinds: workload.DefaultKinds(), Exemptions: &e,
		Policies: map[validate.Profile]*validate.Policy{validate.Baseline: validate.MustPolicy(validate.Baseline)},
	}, Options{
		Namespaces: enforce(), Permissions: p, Metrics: NewMetrics(prometheus.NewRegistry()), Log: logr.Discard(),
		Now: func() time.Time { return time.Date(2027, 1, 10, 12, 0, 0, 0, time.UTC) },
	})
}

// deployment is a Deployment whose container app asks a path, with annotations
// in JSON.
func deployment(path, annotations string) string {
	return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"orders","annotations":{` + annotations + `}},"spec":{"template":{"spec":{"containers":[` +
		`{"name":"app","livenessProbe":{"httpGet":{"path":"` + path + `","port":80},"failureThreshold":3,"periodSeconds":10,"timeoutSeconds":1}}]}}}}`
}

// reviewOf is a review by alice of the group devs; old is empty for a create.
func reviewOf(object, old string) []byte {
	operation := `"CREATE"`
	if old != "" {
		operation = `"UPDATE","oldObject":` + old
	}
	return []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","kind":{"group":"apps","version":"v1","kind":"Deployment"},` +
		`"operation":` + operation + `,"namespace":"shop","userInfo":{"username":"alice","uid":"7","groups":["devs"],"extra":{"scopes":["a","b"]}},"object":` + object + `}}`)
}

const (
	exemptPath = `"probity.dev/exempt":"liveness-dependency-path","probity.dev/exempt-reason":"next release"`
	denial0    = `container "app": livenessProbe.httpGet.path asks the database (/health/db); a restart cannot repair that, so its outage restarts every replica. Ask only whether this process works. Check the rest in readiness or in an alert. [liveness-dependency-path]`
	warning0   = `[liveness-dependency-path] spec.template.spec.containers[0].livenessProbe.httpGet.path: container "app": livenessProbe.httpGet.path asks the database (/health/db); a restart cannot repair that, so its outage restarts every replica. Ask only whether this process works. Check the rest in readiness or in an alert.`
)

// said is what a user is told.
type said struct {
	Message  string
	Warnings []string
}

func ask(t *testing.T, h http.Handler, review []byte) said {
	t.Helper()
	code, answer := send(t, h, "application/json", review)
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, answer)
	}
	var r struct {
		Response struct {
			Allowed  bool     `json:"allowed"`
			Status   status   `json:"status"`
			Warnings []string `json:"warnings"`
		} `json:"response"`
	}
	if err := json.Unmarshal([]byte(answer), &r); err != nil {
		t.Fatal(err)
	}
	if r.Response.Allowed != (r.Response.Status.Message == "") {
		t.Errorf("allowed is %v with message %q", r.Response.Allowed, r.Response.Status.Message)
	}
	return said{r.Response.Status.Message, r.Response.Warnings}
}

func TestExemptionsAtAdmission(t *testing.T) {
	asksDB := func(annotations string) string { return deployment("/health/db", annotations) }
	tests := []struct {
		name        string
		object, old string
		want        said
	}{
		{"a fault is refused", asksDB(""), "", said{Message: denial0}},
		{"an exempted one passes in silence", asksDB(exemptPath), "", said{}},
		{"so does an update that adds the exemption with it", asksDB(exemptPath), deployment("/livez", ""), said{}},
		{
			"the last days are warned about", asksDB(exemptPath + `,"probity.dev/exempt-until":"2027-01-12"`), "",
			said{Warnings: []string{"metadata.annotations: annotation probity.dev/exempt: the exemption from liveness-dependency-path ends after 2027-01-12 (UTC), in 2 days"}},
		},
		{
			"past them the fault is refused, and why it is not exempted is said", asksDB(exemptPath + `,"probity.dev/exempt-until":"2027-01-09"`), "",
			said{Message: denial0 + "\nNot exempted: metadata.annotations: annotation probity.dev/exempt: the exemption from liveness-dependency-path ended after 2027-01-09 (UTC) and exempts from nothing any more"},
		},
		{
			"a running workload whose exemption ran out is let through with a warning",
			asksDB(exemptPath + `,"probity.dev/exempt-until":"2027-01-09"`), asksDB(exemptPath + `,"probity.dev/exempt-until":"2027-01-09"`),
			said{Warnings: []string{warning0, "metadata.annotations: annotation probity.dev/exempt: the exemption from liveness-dependency-path ended after 2027-01-09 (UTC) and exempts from nothing any more"}},
		},
		{"an update that takes the exemption away passes with a warning", asksDB(""), asksDB(exemptPath), said{Warnings: []string{warning0}}},
		{
			"a mistake is told in the refusal", asksDB(`"probity.dev/exempt":"liveness-dependency-pth","probity.dev/exempt-reason":"x"`), "",
			said{Message: denial0 + "\nNot exempted: metadata.annotations: annotation probity.dev/exempt: rule \"liveness-dependency-pth\" does not exist: did you mean \"liveness-dependency-path\"?"},
		},
		{
			"a mistake without a fault is a warning", deployment("/livez", `"probity.dev/exempt":"probe-period"`), "",
			said{Warnings: []string{"metadata.annotations: annotation probity.dev/exempt: exempts from nothing without a reason: annotation probity.dev/exempt-reason must say why"}},
		},
		{
			"a misspelt exemption is told in the refusal", asksDB(`"probity.dev/exempts":"liveness-dependency-path"`), "",
			said{Message: denial0 + "\nNot exempted: metadata.annotations: annotation probity.dev/exempts on the Deployment does nothing; did you mean probity.dev/exempt?"},
		},
		{
			"so is one on the template", strings.Replace(asksDB(""), `"template":{`, `"template":{"metadata":{"annotations":{`+exemptPath+`}},`, 1), "",
			said{Message: denial0 + "\nNot exempted: spec.template.metadata.annotations: annotation probity.dev/exempt on the pod template does nothing; set it in metadata.annotations of the Deployment" +
				"\nNot exempted: spec.template.metadata.annotations: annotation probity.dev/exempt-reason on the pod template does nothing; set it in metadata.annotations of the Deployment"},
		},
		{
			"a reason without an exemption is told in the refusal", asksDB(`"probity.dev/exempt-reason":"next release"`), "",
			said{Message: denial0 + "\nNot exempted: metadata.annotations: annotation probity.dev/exempt-reason: says nothing without annotation probity.dev/exempt"},
		},
		{
			"another misspelt annotation is a warning", deployment("/livez", `"probity.dev/injekt":"none"`), "",
			said{Warnings: []string{"metadata.annotations: annotation probity.dev/injekt on the Deployment does nothing; did you mean probity.dev/inject?"}},
		},
		{"an exemption that covers nothing is nobody's concern here", deployment("/livez", exemptPath), "", said{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := exempting(t, *validate.DefaultExemptions(), nil)
			if diff := cmp.Diff(tt.want, ask(t, h.Validate(), reviewOf(tt.object, tt.old))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPermissionToExempt(t *testing.T) {
	asksDB := func(annotations string) string { return deployment("/health/db", annotations) }
	const (
		refused = "metadata.annotations: annotation probity.dev/exempt: user \"alice\" may not exempt from liveness-dependency-path: that takes the verb exempt on the resource rules of probity.dev, named liveness-dependency-path"
		unknown = "metadata.annotations: annotation probity.dev/exempt: does not exempt from liveness-dependency-path: whether user \"alice\" could do that"
		asked   = "alice shop liveness-dependency-path"
	)
	may, mayNot, nobody := &permissions{allowed: map[string]bool{"alice": true}}, &permissions{}, &permissions{err: errors.New("timeout")}
	tests := []struct {
		name        string
		permissions *permissions
		object, old string
		want        said
		asked       []string
	}{
		{"who may, exempts", may, asksDB(exemptPath), "", said{}, []string{asked}},
		{"who may not, is refused and told what it takes", mayNot, asksDB(exemptPath), "", said{Message: denial0 + "\nNot exempted: " + refused}, []string{asked}},
		{"an update that brings both is asked about", mayNot, asksDB(exemptPath), deployment("/livez", ""), said{Message: denial0 + "\nNot exempted: " + refused}, []string{asked}},
		{"an exemption that waited for its fault is asked about", mayNot, asksDB(exemptPath), deployment("/livez", exemptPath), said{Message: denial0 + "\nNot exempted: " + refused}, []string{asked}},
		{"what was exempted before stays so", mayNot, asksDB(exemptPath + `,"a":"b"`), asksDB(exemptPath), said{}, nil},
		{"an old fault passes with the exemption that is new", mayNot, asksDB(exemptPath), asksDB(""), said{}, nil},
		{"nothing is asked without a fault", mayNot, deployment("/livez", exemptPath), "", said{}, nil},
		{"nothing is asked without an exemption", mayNot, asksDB(""), "", said{Message: denial0}, nil},
		{
			"without an answer a new fault is not exempted", nobody, asksDB(exemptPath), "",
			said{Message: denial0 + "\nNot exempted: " + strings.Replace(unknown, " could do that", " may do that", 1) + " (the verb exempt on the resource rules of probity.dev, named liveness-dependency-path) could not be asked; try again"},
			[]string{asked},
		},
		{"without an answer what runs is safe", nobody, asksDB(exemptPath + `,"a":"b"`), asksDB(exemptPath), said{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.permissions.asked = nil
			e := validate.DefaultExemptions()
			e.ByAnnotation.RequirePermission = true
			h := exempting(t, *e, tt.permissions)
			if diff := cmp.Diff(tt.want, ask(t, h.Validate(), reviewOf(tt.object, tt.old))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.asked, tt.permissions.asked, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("no permission is asked for where the configuration does not want it", func(t *testing.T) {
		p := &permissions{}
		if got := ask(t, exempting(t, *validate.DefaultExemptions(), p).Validate(), reviewOf(asksDB(exemptPath), "")); got.Message != "" || p.asked != nil {
			t.Errorf("%+v, asked %v", got, p.asked)
		}
	})
	t.Run("standalone has nobody to ask", func(t *testing.T) {
		e := validate.DefaultExemptions()
		e.ByAnnotation.RequirePermission = true
		got := ask(t, exempting(t, *e, nil).Validate(), reviewOf(asksDB(exemptPath), ""))
		if !strings.HasSuffix(got.Message, "named liveness-dependency-path), and here is no API server to ask") {
			t.Errorf("got %q", got.Message)
		}
	})
}

func TestExemptUsersNamespacesAndRuntimeClasses(t *testing.T) {
	globs := func(g ...validate.Glob) []validate.Glob { return g }
	object := strings.Replace(deployment("/health/db", ""), `"spec":{"containers"`, `"spec":{"runtimeClassName":"kata","containers"`, 1)
	tests := map[string]struct {
		e  validate.Exemptions
		by string
	}{
		"user":         {validate.Exemptions{Users: globs("al*")}, "user"},
		"group":        {validate.Exemptions{Groups: globs("devs")}, "group"},
		"namespace":    {validate.Exemptions{Namespaces: globs("shop")}, "namespace"},
		"runtimeClass": {validate.Exemptions{RuntimeClasses: globs("kata")}, "runtimeClass"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h := exempting(t, tt.e, nil)
			if got := ask(t, h.Validate(), reviewOf(object, "")); got.Message != "" || got.Warnings != nil {
				t.Errorf("it is judged: %+v", got)
			}
			sound := strings.Replace(object, "/health/db", "/livez", 1)
			if _, answer := send(t, h.Mutate(), "application/json", reviewOf(sound, "")); strings.Contains(answer, "patch") {
				t.Errorf("it is given something: %s", answer)
			}
			if n := testutil.ToFloat64(h.Metrics.exempt.WithLabelValues(tt.by)); n != 2 {
				t.Errorf("counted %v times", n)
			}
		})
	}
}

func TestExemptedFindingsAreCountedLoggedAndAudited(t *testing.T) {
	var lines []string
	h := exempting(t, *validate.DefaultExemptions(), nil)
	h.Log = funcr.NewJSON(func(line string) { lines = append(lines, line) }, funcr.Options{})
	_, answer := send(t, h.Validate(), "application/json", reviewOf(deployment("/health/db", exemptPath), ""))
	want := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u-1","allowed":true,"auditAnnotations":{"findings":` +
		`"[{\"rule\":\"liveness-dependency-path\",\"action\":\"off\",\"path\":\"spec.template.spec.containers[0].livenessProbe.httpGet.path\",` +
		`\"message\":\"container \\\"app\\\": livenessProbe.httpGet.path asks the database (/health/db); a restart cannot repair that, so its outage restarts every replica\",` +
		`\"exempted\":\"next release\"}]"}}}`
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(lines) != 1 || !strings.Contains(lines[0], `"decision":"exempt"`) || !strings.Contains(lines[0], `"exempted":["liveness-dependency-path"]`) {
		t.Errorf("logged %q", lines)
	}
	if n := testutil.ToFloat64(h.Metrics.used.WithLabelValues("liveness-dependency-path", "annotation")); n != 1 {
		t.Errorf("counted %v", n)
	}
	dry := strings.Replace(string(reviewOf(deployment("/health/db", exemptPath+`,"probity.dev/exempt-until":"2027-01-09"`), "")), `"uid":"u-1"`, `"uid":"u-1","dryRun":true`, 1)
	for _, review := range []string{dry, strings.Replace(dry, `"dryRun":true`, `"dryRun":false`, 1)} {
		send(t, h.Validate(), "application/json", []byte(review))
	}
	if n := testutil.ToFloat64(h.Metrics.expired.WithLabelValues("liveness-dependency-path", "annotation")); n != 1 {
		t.Errorf("an expired one is counted %v times", n)
	}
}

// TestAnExemptedCheckIsNoModel: the exemption lets a liveness probe through, and
// spreads it no further.
func TestAnExemptedCheckIsNoModel(t *testing.T) {
	h := exempting(t, *validate.DefaultExemptions(), nil)
	_, answer := send(t, h.Mutate(), "application/json", reviewOf(deployment("/health/db", exemptPath), ""))
	if strings.Contains(answer, "patch") {
		t.Errorf("got %s", answer)
	}
}

func TestExtraFieldsOfAUserAreRead(t *testing.T) {
	req, err := decodeReview(reviewOf(deployment("/livez", ""), ""), exempting(t, validate.Exemptions{}, nil).ruling.Load())
	if err != nil {
		t.Fatal(err)
	}
	user, err := req.User.whole()
	want := User{Name: "alice", UID: "7", Groups: []string{"devs"}, Extra: map[string][]string{"scopes": {"a", "b"}}}
	if diff := cmp.Diff(want, user); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if !slices.Equal(req.User.Groups, user.Groups) {
		t.Error("groups differ")
	}
}
