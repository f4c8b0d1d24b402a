package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// serveObjects plays the API server of a cluster with these objects and writes the
// file kubeconfig. A document "forbid: PATH" makes a list forbidden.
func serveObjects(t *testing.T, manifests string) {
	t.Helper()
	c := servedCluster{t: t, lists: map[string][]map[string]any{}, forbidden: map[string]bool{}}
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(manifests), 4096)
	for {
		var o unstructured.Unstructured
		if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if path, ok := o.Object["forbid"].(string); ok {
			c.forbidden[path] = true
			continue
		}
		c.add(&o)
	}
	s := httptest.NewServer(&c)
	t.Cleanup(s.Close)
	kubeconfig := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: here, clusters: [{name: c, cluster: {server: %q}}],
contexts: [{name: here, context: {cluster: c, namespace: shop}}]}`, s.URL)
	if err := os.WriteFile("kubeconfig", []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
}

type servedCluster struct {
	t         *testing.T
	lists     map[string][]map[string]any
	forbidden map[string]bool
}

func (c *servedCluster) add(o *unstructured.Unstructured) {
	root := "/apis/"
	if !strings.Contains(o.GetAPIVersion(), "/") {
		root = "/api/"
	}
	root += o.GetAPIVersion()
	plural := strings.ToLower(o.GetKind()) + "s"
	o.SetUID(types.UID(plural + "/" + o.GetNamespace() + "/" + o.GetName()))
	delete(o.Object, "apiVersion") // as in a list
	delete(o.Object, "kind")
	paths := []string{root + "/" + plural}
	if o.GetNamespace() != "" {
		paths = append(paths, root+"/namespaces/"+o.GetNamespace()+"/"+plural)
	}
	for _, path := range paths {
		c.lists[path] = append(c.lists[path], o.Object)
	}
}

func (c *servedCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var answer any
	switch name, single := strings.CutPrefix(r.URL.Path, "/api/v1/namespaces/"); {
	case c.forbidden[r.URL.Path]:
		answer = refusal(w, http.StatusForbidden, "Forbidden", "User \"viewer\" may not read "+r.URL.Path)
	case single && !strings.Contains(name, "/"):
		if answer = c.namespace(name); answer == nil {
			answer = refusal(w, http.StatusNotFound, "NotFound", fmt.Sprintf("namespaces %q not found", name))
		}
	case strings.Count(r.URL.Path, "/") < 4 && strings.HasPrefix(r.URL.Path, "/apis/"):
		answer = refusal(w, http.StatusNotFound, "NotFound", "the server could not find the requested resource")
	default:
		answer = map[string]any{"kind": "List", "metadata": map[string]any{}, "items": c.lists[r.URL.Path]}
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		c.t.Error(err)
	}
}

// namespace returns nil for one that is not there.
func (c *servedCluster) namespace(name string) any {
	for _, ns := range c.lists["/api/v1/namespaces"] {
		if (&unstructured.Unstructured{Object: ns}).GetName() == name {
			return ns
		}
	}
	return nil
}

func refusal(w http.ResponseWriter, code int, reason, message string) any {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	return map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message}
}

func TestWithoutAKubeconfigItIsSaidWhereOneWasLookedFor(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	for _, args := range [][]string{{"audit"}, {"inventory", "-A"}, {"uninstall"}} {
		_, stderr, status := run(t, "probity", args...)
		if want := "probity: find the cluster: neither --kubeconfig nor $KUBECONFIG nor ~/.kube/config names one\n"; stderr != want || status != exitUnusable {
			t.Errorf("%v: status %d, %q", args, status, stderr)
		}
	}
}

func TestAClusterThatDoesNotAnswerIsOneError(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: c, clusters: [{name: c, cluster: {server: %q}}], contexts: [{name: c, context: {cluster: c}}]}`, s.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"audit"}, {"audit", "-A"}, {"inventory", "-n", "shop"}, {"uninstall", "--all"}} {
		_, stderr, status := run(t, "probity", append(args, "--kubeconfig", kubeconfig)...)
		if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "connection refused") || status != exitUnusable {
			t.Errorf("%v: status %d, %q", args, status, stderr)
		}
	}
}
