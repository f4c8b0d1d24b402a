package budget

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/probity-dev/probity/workload"
	"github.com/probity-dev/probity/workload/sample"
)

// codecs are those of all kinds that are watched, and of a custom one.
func codecs() []codec {
	kinds := &atomic.Pointer[workload.Kinds]{}
	kinds.Store(workload.DefaultKinds())
	var all []codec
	for _, r := range append(always(), resource{GroupVersionKind: schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Rollout"}}) {
		all = append(all, codec{kinds, r.GroupVersionKind, logr.Discard()})
	}
	return all
}

const autoscaler = `{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"h","namespace":"ns-1","uid":"u"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"x"},"minReplicas":2}}`

// small are objects that a fuzzer gets to know sooner than those of eight kilobytes.
var small = [...]string{
	`{"kind":"Deployment","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"5"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c"}]}}}}`,
	`{"kind":"PodDisruptionBudget","metadata":{"name":"b","ownerReferences":[{"uid":"u","controller":true}]},"spec":{"minAvailable":"50%","selector":{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]}}}`,
}

// strange are objects that the API server keeps out where it knows the kind.
var strange = [...]string{
	`{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"5","annotations":{"a":1},"ownerReferences":{}},"spec":[]}`,
	`{"metadata":{"name":"a","creationTimestamp":"yesterday","labels":null},"spec":{"replicas":"2","selector":{"app":"x"},"template":{"spec":{"containers":1}}}}`,
	`{"metadata":{"name":7,"generateName":"x-"}}`, `{"metadata":[]}`, `[]`, `null`, `"x"`,
}

// FuzzList holds the reading of lists to that of the API's own clients: both read the
// same lists, and in them the same names, versions, owners, replicas and selectors.
func FuzzList(f *testing.F) {
	list := func(kind string, items ...string) []byte {
		return []byte(`{"kind":"` + kind + `List","apiVersion":"x/v1","metadata":{"resourceVersion":"9","continue":"more","remainingItemCount":3},"items":[` + strings.Join(items, ",") + `]}`)
	}
	f.Add(list("Deployment", large(1), large(2)), uint(900))
	f.Add(list("PodDisruptionBudget", largeBudget(1), `{"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{"matchExpressions":[{"key":"a","operator":"NotIn","values":["b"]}]}}}`), uint(2))
	f.Add(list("Deployment", strange[:]...), uint(80))
	f.Add(list("Deployment", small[:]...), uint(80))
	f.Add([]byte(`{"items":null,"kind":"DeploymentList","metadata":null}`), uint(20))
	f.Add([]byte(`{"kind":"DeploymentList","items":{"metadata":{"resourceVersion":"1"}},"metadata":{"resourceVersion":"2"}} {}`), uint(20))
	all := codecs()
	f.Fuzz(func(t *testing.T, data []byte, cut uint) {
		for _, c := range all {
			got, err := c.list(data)
			if whole := bytes.TrimSpace(data); err == nil {
				if part, err := c.list(whole[:cut%uint(len(whole))]); err == nil {
					t.Fatalf("a part of %q is a list: %+v", whole, part)
				}
			}
			if !jsontext.Value(data).IsValid() || !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
				return // as with names that stand twice, which nobody reads for certain
			}
			var want struct {
				Metadata metav1.ListMeta   `json:"metadata"`
				Items    []json.RawMessage `json:"items"`
			}
			if wanted := kjson.Unmarshal(data, &want); wanted == nil && err != nil {
				t.Fatalf("%q: got %v", data, err)
			} else if wanted != nil {
				return
			}
			want.Metadata.SelfLink = "" //nolint:staticcheck // nobody sends or reads it
			if diff := cmp.Diff(want.Metadata, got.ListMeta); diff != "" {
				t.Fatalf("%q (-want +got)\n%s", data, diff)
			}
			agree(t, c, want.Items, got.Items)
		}
	})
}

// agree compares items with the typed objects of the API.
func agree(t *testing.T, c codec, raw []json.RawMessage, items []*item) {
	for _, one := range raw {
		var o struct {
			Metadata metav1.ObjectMeta `json:"metadata"`
		}
		readable := kjson.Unmarshal(one, &o) == nil
		name := o.Metadata.Name
		if !readable {
			name = decodeMetadata(one).Metadata.Name
		}
		if name == "" {
			continue // left out
		}
		if len(items) == 0 || items[0].Name != name {
			t.Fatalf("%s is not among the items", one)
		}
		i := items[0]
		items = items[1:]
		if readable {
			sameMetadata(t, i, &o.Metadata)
		}
		switch {
		case c.kind.Kind == "Deployment" && i.object.Workload != nil:
			var d appsv1.Deployment
			if w := i.object.Workload; kjson.Unmarshal(one, &d) == nil && len(w.Problems) == 0 && !plain(one) {
				sameFields(t, one, [][2]any{{w.Replicas, d.Spec.Replicas}, {w.Selector, selector(d.Spec.Selector)}, {filled(w.Pod.Labels), filled(d.Spec.Template.Labels)}})
			}
		case i.object.Budget != nil:
			var b policyv1.PodDisruptionBudget
			if own := i.object.Budget; kjson.Unmarshal(one, &b) == nil && len(own.Problems) == 0 && !plain(one) {
				sameFields(t, one, [][2]any{{own.Selector, selector(b.Spec.Selector)}, {own.MinAvailable == nil, b.Spec.MinAvailable == nil}, {own.MaxUnavailable == nil, b.Spec.MaxUnavailable == nil}})
			}
		}
	}
	if len(items) > 0 {
		t.Errorf("%d items too many", len(items))
	}
}

func sameMetadata(t *testing.T, i *item, m *metav1.ObjectMeta) {
	owner := types.UID("")
	for _, ref := range m.OwnerReferences {
		if ref.Controller != nil && *ref.Controller && i.object.Budget != nil {
			owner = ref.UID
		}
	}
	want := []any{m.Name, m.Namespace, m.UID, m.ResourceVersion, owner, m.Name, m.Namespace}
	got := []any{i.Name, i.Namespace, i.uid, i.ResourceVersion, i.owner, i.object.Ref.Name, i.object.Ref.Namespace}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func sameFields(t *testing.T, raw []byte, pairs [][2]any) {
	for _, p := range pairs {
		if !reflect.DeepEqual(p[0], p[1]) {
			t.Errorf("%s: got %+v, want %+v", raw, p[0], p[1])
		}
	}
}

// plain reports whether the selector has the form of a ReplicationController's, which
// other kinds do not have.
func plain(raw []byte) bool {
	value, err := workload.Raw(raw, "/spec/selector")
	var members map[string]jsontext.Value
	return err == nil && json.Unmarshal(value, &members) == nil && slices.ContainsFunc(slices.Collect(maps.Values(members)), func(v jsontext.Value) bool { return v.Kind() == '"' })
}

func filled(labels map[string]string) map[string]string {
	if labels == nil {
		return map[string]string{}
	}
	return labels
}

func selector(s *metav1.LabelSelector) *workload.Selector {
	if s == nil {
		return nil
	}
	own := &workload.Selector{}
	if len(s.MatchLabels) > 0 {
		own.MatchLabels = s.MatchLabels
	}
	for _, r := range s.MatchExpressions {
		own.MatchExpressions = append(own.MatchExpressions, workload.Requirement{Key: r.Key, Operator: string(r.Operator), Values: r.Values})
	}
	return own
}

// FuzzEvent holds the reading of watches to that of the API's own clients. Whatever
// object an event brings, it is an item, what the API server says in its place, or an
// error.
func FuzzEvent(f *testing.F) {
	for _, object := range append(slices.Concat(strange[:], small[:]), large(1), largeBudget(1), autoscaler,
		`{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}`,
		`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`) {
		f.Add([]byte(`{"type":"ADDED","object":` + object + "}\n"))
	}
	f.Add([]byte(`{"object":null,"x":[{"type":1}],"type":"ERROR"}`))
	all := codecs()
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want metav1.WatchEvent
		_, _, err := all[0].Decode(data, nil, &got)
		if jsontext.Value(data).IsValid() && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
			if wanted := kjson.Unmarshal(data, &want); (wanted == nil) != (err == nil) {
				t.Fatalf("%q: got %v, the API's clients %v", data, err, wanted)
			}
			if raw := bytes.TrimPrefix(got.Object.Raw, []byte("null")); got.Type != want.Type || !bytes.Equal(raw, want.Object.Raw) {
				t.Fatalf("%q: got %+v, want %+v", data, got, want)
			}
		}
		if err != nil {
			return
		}
		for _, c := range all {
			object, kind, err := c.Decode(got.Object.Raw, nil, nil)
			if i, ok := object.(*item); err == nil && ok && (kind.Kind != c.kind.Kind || i.Name != "" && (i.Name != i.object.Ref.Name || i.Namespace != i.object.Ref.Namespace)) {
				t.Fatalf("%q is a %s %+v", data, kind, i)
			}
			if err == nil && (object == nil || reflect.ValueOf(object).IsNil()) {
				t.Fatalf("%q is nothing, without an error", data)
			}
		}
	})
}

// FuzzItem puts an object of any content between two others, which are read as they
// are without it.
func FuzzItem(f *testing.F) {
	for _, object := range append(slices.Concat(strange[:], small[:]), large(3), largeBudget(3), autoscaler) {
		f.Add([]byte(object), uint(0), []byte{})
	}
	for at, value := range []string{"null", `[{}]`, `{"a":"b"}`, "-1", `"50%"`, "true", `[{"uid":"u","controller":"yes"}]`} {
		f.Add([]byte(small[at%2]), uint(2*at), []byte(value))
	}
	all := codecs()
	first, last := large(1), large(2)
	f.Fuzz(func(t *testing.T, raw []byte, at uint, value []byte) {
		raw = sample.Replaced(raw, at, value)
		if !jsontext.Value(raw).IsValid() {
			return // ends the list
		}
		for _, c := range all {
			got, err := c.list(slices.Concat([]byte(`{"items":[`+first+`,`), raw, []byte(`,`+last+`]}`)))
			if err != nil {
				t.Fatalf("beside %q: %v", raw, err)
			}
			items := got.Items
			if len(items) < 2 || !reflect.DeepEqual(items[0], c.item([]byte(first))) || !reflect.DeepEqual(items[len(items)-1], c.item([]byte(last))) {
				t.Errorf("others are not what they are without %q", raw)
			}
			var o struct {
				Metadata struct {
					Name string `json:"name"`
				} `json:"metadata"`
			}
			if kjson.Unmarshal(raw, &o) == nil && (len(items) == 3) != (o.Metadata.Name != "") {
				t.Errorf("%d items with %q", len(items), raw)
			}
			agree(t, c, []json.RawMessage{raw}, items[1:len(items)-1])
		}
	})
}
