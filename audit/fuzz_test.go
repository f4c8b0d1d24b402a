package audit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/probity-dev/probity/escape"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
	"github.com/probity-dev/probity/workload/sample"
)

// listed are Deployments as a list has them, without apiVersion and kind.
var listed = [...]string{
	`{"metadata":{"name":"orders","namespace":"shop","uid":"u-1","resourceVersion":"7"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"orders"}},"template":{"metadata":{"labels":{"app":"orders"}},"spec":{"containers":[{"name":"app","livenessProbe":{"httpGet":{"path":"/health/db","port":8080},"timeoutSeconds":2}}]}}}}`,
	`{"metadata":{"name":"cart","namespace":"shop","uid":"u-2","annotations":{"probity.dev/exempt":"x"}},"spec":{"replicas":1,"template":{"spec":{"containers":[{"name":"app","livenessProbe":{"exec":{"command":["sh","-c","pg_isready -h db"]}}}]}}}}`,
}

func listOf(items ...string) []byte {
	return []byte(`{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{"resourceVersion":"9","continue":"more","remainingItemCount":1},"items":[` + strings.Join(items, ",") + `]}`)
}

// FuzzChunk holds the reading of lists to that of the API's own clients: both read
// the same lists, to the same items with the same identities. A list that breaks off
// is none.
func FuzzChunk(f *testing.F) {
	f.Add(listOf(listed[:]...), uint(700))
	f.Add(append(listOf(), "\n"...), uint(3))
	f.Add([]byte(`{"items":null,"metadata":null}`), uint(10))
	f.Add([]byte(`{"items":{"metadata":{"continue":"x"}},"metadata":{"continue":""}}`), uint(5))
	f.Add([]byte(`{"items":[{"metadata":{"name":"a\u0062","uid":null}},null,1,[],{"metadata":[]}],"metadata":{"Continue":"x"}} {}`), uint(40))
	f.Add([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":410,"metadata":{"continue":"next"}}`), uint(60))
	f.Fuzz(func(t *testing.T, data []byte, cut uint) {
		got, err := splitChunk(data)
		if whole := bytes.TrimSpace(data); err == nil {
			if part, err := splitChunk(whole[:cut%uint(len(whole))]); err == nil {
				t.Fatalf("a part of %q is a list: %+v", whole, part)
			}
		}
		if !jsontext.Value(data).IsValid() || !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
			return // as with names that stand twice, which nobody reads for certain
		}
		var want struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []json.RawMessage `json:"items"`
		}
		if wanted := kjson.Unmarshal(data, &want); (wanted == nil) != (err == nil) {
			t.Fatalf("%q: got %v, the API's clients %v", data, err, wanted)
		}
		if err != nil {
			return
		}
		if got.next != want.Metadata.Continue || !slices.EqualFunc(got.items, want.Items, func(a []byte, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			t.Fatalf("%q: got %q with %q, want %q with %q", data, got.items, got.next, want.Items, want.Metadata.Continue)
		}
		for _, raw := range got.items {
			var o struct {
				Metadata struct {
					Namespace string `json:"namespace"`
					Name      string `json:"name"`
					UID       string `json:"uid"`
				} `json:"metadata"`
			}
			if kjson.Unmarshal(raw, &o) != nil {
				continue
			}
			if got, want := identify(raw), (identity{o.Metadata.Namespace, o.Metadata.Name, o.Metadata.UID}); got != want {
				t.Errorf("%q is %+v, want %+v", raw, got, want)
			}
		}
	})
}

// FuzzItem puts an object of any content between two others: they are judged as they
// are without it, and what is told of it acts on nobody's terminal and is bounded.
func FuzzItem(f *testing.F) {
	quoted, err := json.Marshal(attack)
	if err != nil {
		f.Fatal(err)
	}
	for kind := range builtIn {
		f.Add(uint8(kind), []byte(listed[0]), uint(kind), []byte{})
	}
	for kind, item := range map[uint8]string{
		0: strings.ReplaceAll(listed[0], `"/health/db"`, string(quoted)),
		4: `{"metadata":{"name":"b","annotations":{"probity.dev/exempt":` + string(quoted) + `}},"spec":{"maxUnavailable":` + string(quoted) + `,"selector":{"matchLabels":{"app":"orders"}}}}`,
		5: `{"metadata":{"name":"h","uid":"u-9"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"orders"},"minReplicas":"x"}}`,
		9: `{"metadata":{"name":"p","annotations":{"a":1},"ownerReferences":[{"controller":"yes"}]},"spec":{"containers":{"name":1},"initContainers":[null,7]}}`,
		1: `[]`, 2: `null`, 3: `"text"`,
	} {
		f.Add(kind, []byte(item), uint(0), []byte{})
	}
	for at, value := range []string{"null", `[{}]`, `{"port":"x"}`, "-1", attack, `"99999999999"`, "true"} {
		f.Add(uint8(0), []byte(listed[1]), uint(2*at), []byte(value))
	}
	judge := validate.Judge{Policy: validate.MustPolicy(validate.Strict), Now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	settings := validate.Settings{Mode: validate.ModeEnforce, Profile: validate.Strict}
	reader := &reader{query: Query{Kinds: workload.DefaultKinds()}}
	judged := func(t *testing.T, list []byte, at int, other Resource) *Pass {
		c, err := splitChunk(list)
		if err != nil {
			t.Fatalf("%v in %q", err, list)
		}
		p := NewPass(judge, settings)
		for i, raw := range c.items {
			resource := builtIn[0]
			if i == at {
				resource = other
			}
			p.Take(reader.item(raw, identify(raw), resource))
		}
		return p
	}
	var want []*Faulty
	f.Fuzz(func(t *testing.T, kind uint8, raw []byte, at uint, value []byte) {
		raw = sample.Replaced(raw, at, value)
		if !jsontext.Value(raw).IsValid() || slices.Contains([]string{"u-1", "u-2"}, identify(raw).uid) {
			return // the API server sends neither
		}
		if want == nil {
			want = judged(t, listOf(listed[:]...), -1, Resource{}).Faulty
		}
		p := judged(t, listOf(listed[0], string(raw), listed[1]), 1, builtIn[int(kind)%len(builtIn)])
		var got, its []*Faulty
		for _, found := range p.Faulty {
			if found.UID == "u-1" || found.UID == "u-2" {
				got = append(got, found)
			} else {
				its = append(its, found)
			}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Faulty{})); diff != "" {
			t.Errorf("beside %q (-alone +beside)\n%s", raw, diff)
		}
		p.Finish(true)
		for _, failure := range p.Failures {
			if strings.Contains(failure.Err.Error(), "please report") {
				t.Errorf("%q: %v", raw, failure.Err)
			}
		}
		for _, found := range its {
			results := newReport(reportAPIs[0], "shop", found).Results
			if text, err := json.Marshal(results); err != nil || len(text) > 250<<10 {
				t.Errorf("the report of %q has %d bytes, %v", raw, len(text), err)
			}
			for _, r := range results {
				for _, told := range append(slices.Collect(maps.Values(r.Properties)), r.Message) {
					if strings.ContainsFunc(told, escape.Hidden) {
						t.Errorf("%q: told as %q", raw, told)
					}
				}
			}
		}
	})
}
