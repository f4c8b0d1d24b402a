package budget

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"k8s.io/client-go/rest"

	"github.com/probity-dev/probity/workload"
)

// apiServer is as much of an API server as a State asks: lists, watches that
// begin with what there is, and discovery.
type apiServer struct {
	*httptest.Server
	// oldFashioned refuses to stream the first state, as before Kubernetes 1.32.
	oldFashioned bool

	mu      sync.Mutex
	version int
	groups  map[string]string         // path -> document of discovery
	objects map[string]map[string]any // path -> namespace/name -> object
	watches map[string][]chan string  // path -> events
	refused map[string]bool           // path -> forbidden
	asked   int
}

func newAPIServer(t testing.TB) *apiServer {
	a := &apiServer{groups: map[string]string{}, objects: map[string]map[string]any{}, watches: map[string][]chan string{}, refused: map[string]bool{}}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.CloseClientConnections)
	return a
}

func (a *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	a.mu.Lock()
	a.asked++
	document, known := a.groups[r.URL.Path]
	refused := a.refused[r.URL.Path]
	a.mu.Unlock()
	query := r.URL.Query()
	switch {
	case refused:
		status(w, http.StatusForbidden, "Forbidden")
	case known:
		fmt.Fprint(w, document)
	case strings.Count(r.URL.Path, "/") < 4:
		status(w, http.StatusNotFound, "NotFound")
	case query.Get("watch") == "" || query.Get("watch") == "false":
		a.list(w, r.URL.Path)
	case query.Get("sendInitialEvents") == "true" && a.oldFashioned:
		status(w, http.StatusUnprocessableEntity, "Invalid")
	default:
		a.watch(w, r, query.Get("sendInitialEvents") == "true")
	}
}

func status(w http.ResponseWriter, code int, reason string) {
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":%q,"code":%d}`, reason, code)
}

// list answers in the form of built-in kinds, whose items do not say theirs.
func (a *apiServer) list(w http.ResponseWriter, path string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	items := []any{}
	kind := ""
	for _, o := range a.objects[path] {
		item := map[string]any{}
		for k, v := range o.(map[string]any) {
			if k != "kind" && k != "apiVersion" {
				item[k] = v
			} else if k == "kind" {
				kind = v.(string)
			}
		}
		items = append(items, item)
	}
	if kind == "" {
		kind = kindOfPath(path)
	}
	text, _ := json.Marshal(items)
	fmt.Fprintf(w, `{"kind":"%sList","apiVersion":"x","metadata":{"resourceVersion":"%d"},"items":%s}`, kind, a.version, text)
}

func kindOfPath(path string) string {
	return map[string]string{
		"deployments": "Deployment", "statefulsets": "StatefulSet", "daemonsets": "DaemonSet", "poddisruptionbudgets": "PodDisruptionBudget",
		"horizontalpodautoscalers": "HorizontalPodAutoscaler", "scaledobjects": "ScaledObject", "rollouts": "Rollout",
	}[path[strings.LastIndex(path, "/")+1:]]
}

func (a *apiServer) watch(w http.ResponseWriter, r *http.Request, initial bool) {
	events := make(chan string, 100)
	a.mu.Lock()
	var first []string
	if initial {
		for _, o := range a.objects[r.URL.Path] {
			first = append(first, event("ADDED", o))
		}
		first = append(first, fmt.Sprintf(`{"type":"BOOKMARK","object":{"kind":%q,"apiVersion":"x","metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}}`,
			kindOfPath(r.URL.Path), a.version))
	}
	a.watches[r.URL.Path] = append(a.watches[r.URL.Path], events)
	a.mu.Unlock()
	for _, e := range first {
		fmt.Fprintln(w, e)
	}
	w.(http.Flusher).Flush()
	for {
		select {
		case e := <-events:
			fmt.Fprintln(w, e)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func event(kind string, o any) string {
	text, _ := json.Marshal(map[string]any{"type": kind, "object": o})
	return string(text)
}

// put makes or changes an object, given as YAML.
func (a *apiServer) put(t testing.TB, path, text string) {
	t.Helper()
	o := decodeYAML(t, text)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.version++
	meta := o["metadata"].(map[string]any)
	meta["resourceVersion"] = fmt.Sprint(a.version)
	if meta["uid"] == nil {
		meta["uid"] = fmt.Sprint("uid-", meta["name"])
	}
	key := fmt.Sprint(meta["namespace"], "/", meta["name"])
	kind := "MODIFIED"
	if a.objects[path] == nil {
		a.objects[path] = map[string]any{}
	}
	if a.objects[path][key] == nil {
		kind = "ADDED"
	}
	a.objects[path][key] = o
	a.send(path, event(kind, o))
}

func (a *apiServer) remove(path, key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := a.objects[path][key]
	delete(a.objects[path], key)
	a.version++
	a.send(path, event("DELETED", o))
}

func (a *apiServer) send(path, e string) {
	for _, w := range a.watches[path] {
		w <- e
	}
}

// newTestState returns a state of the server that runs until the test ends.
func newTestState(t testing.TB, a *apiServer) *State {
	t.Helper()
	s, err := NewState(StateOptions{Config: &rest.Config{Host: a.URL}, Kinds: workload.DefaultKinds(), Log: testLog(t)})
	if err != nil {
		t.Fatal(err)
	}
	s.Want()
	done := make(chan error, 1)
	go func() { done <- s.Start(t.Context()) }()
	t.Cleanup(func() {
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// testLog logs to the test until it ends.
func testLog(t testing.TB) logr.Logger {
	return funcr.New(func(prefix, args string) {
		if t.Context().Err() == nil {
			t.Log(prefix, args)
		}
	}, funcr.Options{})
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("waited a minute for ", what)
		}
	}
}
