package validate

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload"
)

// TestBundleFindsWhatAllObjectsTogetherGive compares a bundle, which unpacks few
// of its objects, with all of them as they are.
func TestBundleFindsWhatAllObjectsTogetherGive(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	met := map[string]int{}
	for _, profile := range Profiles {
		policy := MustPolicy(profile)
		for range 2_000 {
			objects := randomObjects(random)
			want := EvaluateBundle(objects, policy)
			if diff := cmp.Diff(want, bundled(objects, policy)); diff != "" {
				t.Fatalf("%s\n%s", diff, describe(objects))
			}
			for _, f := range want {
				met[f.Rule]++
				if !NewBundle(Judge{Policy: policy}).Reports(objects[f.Index]) {
					t.Errorf("%s is reported on a %s, of which no finding was to come", f.Rule, f.Object.Kind)
				}
			}
		}
	}
	for _, r := range Rules() {
		if r.CheckBundle != nil && met[r.ID] < 40 {
			t.Errorf("%s was met %d times; the bundles should meet it more often", r.ID, met[r.ID])
		}
	}
}

// bundled judges objects by a Bundle, with their own indexes.
func bundled(objects []*workload.Object, policy *Policy) []BundleFinding {
	b := NewBundle(Judge{Policy: policy})
	var indexes []int
	for i, o := range objects {
		if _, kept := b.Add(o); kept {
			indexes = append(indexes, i)
		}
	}
	found, _ := b.Findings()
	for i := range found {
		found[i].Index = indexes[found[i].Index]
	}
	return found
}

// randomObjects is a random bundle with autoscalers, pods of controllers, custom
// resources, hooks and variants among its objects.
func randomObjects(random *rand.Rand) []*workload.Object {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	objects := randomBundle(random)
	for i := range random.IntN(5) {
		ref := workload.Ref{Namespace: pick("a", "b"), Name: "w" + strconv.Itoa(random.IntN(4))}
		switch random.IntN(5) {
		case 0:
			ref.APIVersion, ref.Kind = "autoscaling/v2", "HorizontalPodAutoscaler"
			target := workload.Ref{APIVersion: "apps/v1", Kind: pick("Deployment", "StatefulSet"), Namespace: ref.Namespace, Name: "w" + strconv.Itoa(random.IntN(4))}
			objects = append(objects, &workload.Object{Ref: ref, Autoscaler: &workload.Autoscaler{Ref: ref, Target: target, MinReplicas: int32(random.IntN(4))}})
		case 1:
			ref.APIVersion, ref.Kind, ref.Name = "example.org/v1", pick("Web", "Db"), pick("x", "y")
			objects = append(objects, &workload.Object{Ref: ref})
		default:
			ref.APIVersion, ref.Kind = "v1", "Pod"
			w := &workload.Workload{Ref: ref, Pod: workload.Pod{Path: "spec", RestartPolicy: pick("", "Never", "Always"), Labels: map[string]string{"app": pick("x", "y"), "tier": pick("web", ref.Name)}}}
			switch random.IntN(4) {
			case 0:
				w.Controller = &workload.Owner{APIVersion: pick("example.org/v1", "apps/v1"), Kind: pick("Web", "ReplicaSet", "StatefulSet"), Name: pick("x", "w1"), Controller: true}
			case 1:
				w.Annotations = workload.Annotations{"helm.sh/hook": "test", "other": strconv.Itoa(i)}
			case 2:
				w.Deleting = true
			}
			objects = append(objects, &workload.Object{Ref: ref, Workload: w})
		}
	}
	random.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	return objects
}

func TestBundleKeepsAllThatTheExamplesNeed(t *testing.T) {
	for _, r := range Rules() {
		if r.CheckBundle == nil {
			continue
		}
		examples, err := r.Examples()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range examples {
			objects := decodeBundle(t, e.Manifest)
			policy := MustPolicy(Strict)
			if diff := cmp.Diff(EvaluateBundle(objects, policy), bundled(objects, policy)); diff != "" {
				t.Errorf("%s/%s: %s", r.ID, e.Name, diff)
			}
		}
	}
}

// BenchmarkBundle adds workloads of four labels each and tells how much memory one takes until the end of the input.
func BenchmarkBundle(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 50_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			policy := MustPolicy(Baseline)
			replicas := int32(3)
			for b.Loop() {
				bundle := NewBundle(Judge{Policy: policy})
				before := liveHeap()
				for i := range n {
					ref := workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: fmt.Sprintf("app-%d", i)}
					own := map[string]string{"app.kubernetes.io/name": ref.Name, "app.kubernetes.io/instance": "shop", "app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": ref.Name + "-1.2.3"}
					bundle.Add(&workload.Object{Ref: ref, Workload: &workload.Workload{Ref: ref, Replicas: &replicas, Pod: workload.Pod{Path: "spec.template.spec", Labels: own}}})
				}
				b.ReportMetric(float64(liveHeap()-before)/float64(n), "B/workload")
				if found, _ := bundle.Findings(); len(found) > 0 {
					b.Fatalf("%d findings, want none", len(found))
				}
			}
		})
	}
}

// liveHeap is how much memory is in use, without what is waste already.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
