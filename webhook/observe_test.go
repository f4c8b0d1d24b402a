package webhook

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

type judgements []Judgement

func (j *judgements) Judged(one Judgement) { *j = append(*j, one) }

func TestFindingsAreToldOf(t *testing.T) {
	const faulty = `{"name":"app","livenessProbe":{"tcpSocket":{"port":80},"periodSeconds":20,"failureThreshold":1}}`
	review := strings.Replace(podWith(faulty), `"name":"p"`, `"name":"p","uid":"p-1"`, 1)
	dry := strings.Replace(review, `"operation"`, `"dryRun":true,"operation"`, 1)
	controlled := strings.Replace(review, `"uid":"p-1"`, `"uid":"p-1","ownerReferences":[{"apiVersion":"a/v1","kind":"App","name":"a","uid":"a-1","controller":true}]`, 1)
	late := strings.Replace(strings.Replace(review, `"kind":{"group":"","version":"v1","kind":"Pod"},`, ``, 1), `"operation"`, `"kind":{"group":"","version":"v1","kind":"Pod"},"operation"`, 1)
	type told struct {
		Object  workload.Ref
		UID     string
		Mode    validate.Mode
		Actions []validate.Action
	}
	pod := workload.Ref{APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: "p"}
	tests := []struct {
		name   string
		mode   validate.Mode
		review string
		want   []told
	}{
		{"a refusal", validate.ModeEnforce, review, []told{{pod, "p-1", validate.ModeEnforce, []validate.Action{validate.Deny}}}},
		{"a warning", validate.ModeWarn, review, []told{{pod, "p-1", validate.ModeWarn, []validate.Action{validate.Deny}}}},
		{"an object before its kind", validate.ModeWarn, late, []told{{pod, "p-1", validate.ModeWarn, []validate.Action{validate.Deny}}}},
		{"an object without a uid", validate.ModeWarn, podWith(faulty), []told{{pod, "", validate.ModeWarn, []validate.Action{validate.Deny}}}},
		{"not in audit", validate.ModeAudit, review, nil},
		{"not of a dry run", validate.ModeEnforce, dry, nil},
		{"not of a pod that something controls", validate.ModeEnforce, controlled, nil},
		{"not without findings", validate.ModeEnforce, podWith(`{"name":"app"}`), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got judgements
			h := newHandler(t, Everywhere{Mode: tt.mode})
			h.Observer = &got
			send(t, h.Validate(), "application/json", []byte(tt.review))
			var all []told
			for _, j := range got {
				one := told{Object: j.Object, UID: j.UID, Mode: j.Mode}
				for _, f := range j.Findings {
					one.Actions = append(one.Actions, f.Action)
				}
				all = append(all, one)
			}
			if diff := cmp.Diff(tt.want, all); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUIDIsReadOffAnyObject(t *testing.T) {
	for object, want := range map[string]string{
		`{"kind":"Pod","metadata":{"labels":{"uid":"no"},"uid":"yes"}}`: "yes",
		`{"spec":{"metadata":{"uid":"no"}}}`:                            "",
		`{"metadata":{"uid":7}}`:                                        "",
		`{"metadata":[]}`:                                               "",
		`{"metadata":{`:                                                 "",
		``:                                                              "",
	} {
		if got := uidOf([]byte(object)); got != want {
			t.Errorf("%s: %q, want %q", object, got, want)
		}
	}
}
