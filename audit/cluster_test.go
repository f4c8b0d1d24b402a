package audit

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// object is an API object as JSON has it.
type object = map[string]any

// cluster is an API server that knows as much of lists as the audit needs.
type cluster struct {
	t *testing.T

	mu sync.Mutex
	// lists hold the objects of each resource in the order of etcd's keys, by the
	// path of the resource for all namespaces.
	lists map[string][]object
	// answers stand in for the usual answer to a path, each once, in order.
	answers map[string][]answer
	// requests are the paths of lists, with limit and continue.
	requests []string
	// writes are those of reports, "create shop/name".
	writes  []string
	version int
}

type answer struct {
	code int
	body string
}

func newCluster(t *testing.T) (*cluster, *rest.Config) {
	t.Helper()
	c := &cluster{t: t, lists: map[string][]object{}, answers: map[string][]answer{}}
	return c, &rest.Config{Host: "http://cluster.test", QPS: -1, Transport: c}
}

// RoundTrip answers without a network, so that time can be made up.
func (c *cluster) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w.Result(), nil
}

// serves makes the cluster have a resource of which there are no objects yet.
func (c *cluster) serves(r Resource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists[r.path("")] == nil {
		c.lists[r.path("")] = []object{}
	}
}

// add puts the objects of a manifest into the cluster, and lets their resources be
// served.
func (c *cluster) add(manifest string) {
	c.t.Helper()
	for _, text := range strings.Split(manifest, "\n---\n") {
		var o object
		if err := yaml.Unmarshal([]byte(text), &o); err != nil {
			c.t.Fatal(err)
		}
		c.put(o)
	}
}

func (c *cluster) put(o object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store(o)
}

func (c *cluster) store(o object) {
	apiVersion, kind := o["apiVersion"].(string), o["kind"].(string)
	path := Resource{apiVersion, kind, strings.ToLower(kind) + "s"}.path("")
	meta := o["metadata"].(object)
	if meta["uid"] == nil {
		meta["uid"] = "uid-of-" + kind + "-" + key(o)
	}
	c.version++
	meta["resourceVersion"] = strconv.Itoa(c.version)
	list := slices.DeleteFunc(c.lists[path], func(other object) bool { return key(other) == key(o) })
	list = append(list, o)
	slices.SortFunc(list, func(a, b object) int { return strings.Compare(key(a), key(b)) })
	c.lists[path] = list
}

func (c *cluster) remove(path, gone string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lists[path] = slices.DeleteFunc(c.lists[path], func(o object) bool { return key(o) == gone })
}

// instead answers the next request for a path in another way.
func (c *cluster) instead(path string, code int, body string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers[path] = append(c.answers[path], answer{code, body})
}

// key is an object's place in etcd.
func key(o object) string {
	meta := o["metadata"].(object)
	ns, _ := meta["namespace"].(string)
	return ns + "/" + meta["name"].(string)
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet && r.URL.Query().Get("limit") != "" {
		c.requests = append(c.requests, r.URL.Path+" "+r.URL.Query().Get("limit")+" "+r.URL.Query().Get("continue"))
	}
	if a := c.answers[r.URL.Path]; len(a) > 0 {
		c.answers[r.URL.Path] = a[1:]
		if a[0].code != 0 {
			w.WriteHeader(a[0].code)
			fmt.Fprint(w, a[0].body)
			return
		}
	}
	if strings.HasPrefix(r.URL.Path, "/apis/") && strings.Count(r.URL.Path, "/") < 4 {
		c.discover(w, strings.TrimPrefix(r.URL.Path, "/apis/"))
		return
	}
	c.serve(w, r)
}

// discover answers /apis/GROUP and /apis/GROUP/VERSION.
func (c *cluster) discover(w http.ResponseWriter, name string) {
	var resources []object
	version := ""
	for path := range c.lists {
		rest, ok := strings.CutPrefix(path, "/apis/"+name+"/")
		if !ok {
			continue
		}
		if !strings.Contains(name, "/") {
			version, _, _ = strings.Cut(rest, "/")
			continue
		}
		kind := map[string]string{"reports": "Report", "policyreports": "PolicyReport"}[rest]
		if list := c.lists[path]; len(list) > 0 {
			kind = list[0]["kind"].(string)
		}
		resources = append(resources, object{"name": rest, "kind": kind, "namespaced": true}, object{"name": rest + "/status", "kind": kind, "namespaced": true})
	}
	switch {
	case strings.Contains(name, "/") && resources != nil:
		c.write(w, object{"kind": "APIResourceList", "groupVersion": name, "resources": resources})
	case version != "":
		c.write(w, object{"kind": "APIGroup", "name": name, "preferredVersion": object{"groupVersion": name + "/" + version}})
	default:
		w.WriteHeader(http.StatusNotFound)
		c.write(w, status(http.StatusNotFound, "NotFound", "the server could not find the requested resource"))
	}
}

func status(code int, reason, message string) object {
	return object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message}
}

func (c *cluster) write(w http.ResponseWriter, o object) {
	if err := json.NewEncoder(w).Encode(o); err != nil {
		c.t.Error(err)
	}
}

// serve answers a list.
func (c *cluster) serve(w http.ResponseWriter, r *http.Request) {
	path, namespace := r.URL.Path, ""
	if before, after, ok := strings.Cut(path, "/namespaces/"); ok {
		ns, rest, _ := strings.Cut(after, "/")
		path, namespace = before+"/"+rest, ns
	}
	if r.Method != http.MethodGet {
		c.change(w, r, path, namespace)
		return
	}
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		c.t.Errorf("%s %s is no list in chunks", r.Method, r.URL)
	}
	from := r.URL.Query().Get("continue")
	var items []object
	next := ""
	for _, o := range c.lists[path] {
		if namespace != "" && !strings.HasPrefix(key(o), namespace+"/") || key(o) <= from {
			continue
		}
		if len(items) == limit {
			next = key(items[limit-1])
			break
		}
		items = append(items, item(o))
	}
	c.write(w, object{"kind": "List", "metadata": object{"continue": next}, "items": items})
}

// change applies or deletes a report: the last part of the path is its name.
func (c *cluster) change(w http.ResponseWriter, r *http.Request, path, namespace string) {
	list, name := path[:strings.LastIndex(path, "/")], path[strings.LastIndex(path, "/")+1:]
	there := slices.IndexFunc(c.lists[list], func(o object) bool { return key(o) == namespace+"/"+name })
	verb := "delete"
	if r.Method == http.MethodPatch {
		verb = "apply"
	}
	c.writes = append(c.writes, verb+" "+namespace+"/"+name)
	if verb == "delete" {
		if there >= 0 {
			c.lists[list] = slices.Delete(c.lists[list], there, there+1)
		}
		c.write(w, object{"kind": "Status", "status": "Success"})
		return
	}
	var o object
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		c.t.Error(err)
	}
	if got := r.URL.Query().Get("fieldManager"); got != fieldManager {
		c.t.Errorf("field manager is %q", got)
	}
	c.store(o)
	c.write(w, o)
}

// item is an object as a list has it: without apiVersion and kind.
func item(o object) object {
	i := object{}
	for k, v := range o {
		if k != "apiVersion" && k != "kind" {
			i[k] = v
		}
	}
	return i
}
