package budget

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/probity-dev/probity/workload"
)

// large is a Deployment of eight kilobytes, as the API server sends one with
// defaults, annotations and managed fields.
func large(i int) string {
	name := fmt.Sprintf("service-%05d", i)
	labels := fmt.Sprintf(`{"app.kubernetes.io/name":%q,"app.kubernetes.io/instance":%q,"app.kubernetes.io/managed-by":"Helm","team":"team-%d"}`, name, name, i%50)
	selector := fmt.Sprintf(`{"app.kubernetes.io/name":%q,"app.kubernetes.io/instance":%q}`, name, name)
	container := `{"name":"app","image":"registry.example/app:1","args":["` + strings.Repeat("--flag=value ", 60) + `"],"livenessProbe":{"httpGet":{"path":"/livez","port":8080,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"env":[{"name":"A","value":"` +
		strings.Repeat("x", 400) + `"}],"resources":{"requests":{"cpu":"100m","memory":"128Mi"}},"imagePullPolicy":"IfNotPresent"}`
	return fmt.Sprintf(`{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":%q,"namespace":"ns-%d","uid":"6f0a4b5c-0000-4000-8000-%012d","resourceVersion":"%d","generation":1,`+
		`"labels":%s,"annotations":{"deployment.kubernetes.io/revision":"1","kubectl.kubernetes.io/last-applied-configuration":"%s"},"managedFields":[{"manager":"helm","operation":"Update","apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{%s"z":{}}}}]},`+
		`"spec":{"replicas":3,"selector":{"matchLabels":%s},"template":{"metadata":{"labels":%s},"spec":{"containers":[%s,%s],"restartPolicy":"Always","terminationGracePeriodSeconds":30}},"strategy":{"type":"RollingUpdate"}},"status":{"replicas":3,"readyReplicas":3}}`,
		name, i%200, i, i+10, labels, strings.Repeat("y", 1500), strings.Repeat(`"f:someLongFieldName":{},`, 60), selector, labels, container, container)
}

func largeBudget(i int) string {
	name := fmt.Sprintf("service-%05d", i)
	return fmt.Sprintf(`{"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"probity-deployment-%s","namespace":"ns-%d","uid":"7f0a4b5c-0000-4000-8000-%012d","resourceVersion":"%d",`+
		`"labels":{"app.kubernetes.io/managed-by":"probity"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":%q,"uid":"6f0a4b5c-0000-4000-8000-%012d","controller":true}],"managedFields":[{"fieldsV1":{%s"z":{}}}]},`+
		`"spec":{"maxUnavailable":"10%%","unhealthyPodEvictionPolicy":"AlwaysAllow","selector":{"matchLabels":{"app.kubernetes.io/name":%q,"app.kubernetes.io/instance":%q}}},"status":{"currentHealthy":3}}`,
		name, i%200, i, i+10, name, i, strings.Repeat(`"f:someLongFieldName":{},`, 30), name, name)
}

// BenchmarkMemoryOfTenThousandDeployments measures what they cost, each with a
// budget of ours: bytes of live heap, and MiB of the process's memory beyond what
// it had before. Both halves of the conversation run in this process.
func BenchmarkMemoryOfTenThousandDeployments(b *testing.B) {
	const count = 10_000
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		kind := kindOfPath(r.URL.Path)
		if kind == "" {
			status(w, http.StatusNotFound, "NotFound")
			return
		}
		objects := map[string]func(int) string{"Deployment": large, "PodDisruptionBudget": largeBudget}[kind]
		for i := range count {
			if objects != nil {
				fmt.Fprintf(w, "{\"type\":\"ADDED\",\"object\":%s}\n", objects(i))
			}
		}
		fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":%q,"apiVersion":"x","metadata":{"resourceVersion":"100000","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", kind)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	for b.Loop() {
		debug.FreeOSMemory()
		before, rss := live(), resident(b)
		s, err := NewState(StateOptions{Config: &rest.Config{Host: server.URL}, Kinds: workload.DefaultKinds()})
		if err != nil {
			b.Fatal(err)
		}
		s.Want()
		ctx, stop := context.WithCancel(b.Context())
		done := make(chan error, 1)
		go func() { done <- s.Start(ctx) }()
		eventually(b, "sync", s.Synced)
		peak := resident(b) - rss
		b.ReportMetric(float64(live()-before)/count, "live-B/deployment")
		b.ReportMetric(float64(peak)/(1<<20), "RSS-MiB")
		runtime.KeepAlive(s)
		stop()
		if err := <-done; err != nil {
			b.Error(err)
		}
	}
	b.ReportMetric(float64(len(large(1))), "JSON-B/deployment")
}

func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// resident returns the process's memory in bytes, 0 where the system does not say.
func resident(t testing.TB) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
