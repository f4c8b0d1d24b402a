package mutate

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// source finds the JSON of an object's containers. It reads each list once, so
// that the work grows with the object, not with its square.
type source struct {
	Object
	lists map[bool][]jsontext.Value // by whether they are init containers
}

func newSource(o Object) *source { return &source{Object: o, lists: map[bool][]jsontext.Value{}} }

// probe returns the JSON of a container's probe.
func (s *source) probe(c *workload.Container, field string) (jsontext.Value, error) {
	list, ok := s.lists[c.Sidecar]
	if !ok {
		name := "/containers"
		if c.Sidecar {
			name = "/initContainers"
		}
		var err error
		if list, err = workload.Items(s.Raw, workload.Pointer(s.Pod.Path)+name); err != nil {
			return nil, err
		}
		s.lists[c.Sidecar] = list
	}
	if c.Index >= len(list) {
		return nil, workload.ErrNotFound
	}
	return workload.Raw(list[c.Index], "/"+field)
}

// history holds the startup probes that an object was given before.
type history struct {
	*source
	asked      time.Duration                  // by the annotation, 0 for nothing
	containers map[string]*workload.Container // those with an injected probe
}

// newHistory returns an empty history on CREATE, and when the workload asks for no
// startup budget any more.
func newHistory(obj Object, old *Object) *history {
	if old == nil {
		return &history{}
	}
	asked, _ := validate.AskedStartup(obj.Workload) // what is not legal asks for nothing
	if before, _ := validate.AskedStartup(old.Workload); asked == 0 && before > 0 {
		return &history{}
	}
	h := &history{source: newSource(*old), asked: asked, containers: map[string]*workload.Container{}}
	names := validate.InjectedStartup(&old.Pod)
	for i := range old.Pod.Containers {
		if c := &old.Pod.Containers[i]; names[c.Name] {
			h.containers[c.Name] = c
		}
	}
	return h
}

// startup returns the startup probe that the container of that name was given
// beside the same liveness probe, unless the annotation asks for another.
func (h *history) startup(name string, liveness jsontext.Value) (jsontext.Value, bool) {
	c, ok := h.containers[name]
	if !ok || h.asked > 0 && (c.Startup == nil || !validate.GivesStartup(c.Startup, h.asked)) {
		return nil, false
	}
	before, err := h.probe(c, "livenessProbe")
	if err != nil || !bytes.Equal(before, liveness) {
		return nil, false
	}
	probe, err := h.probe(c, "startupProbe")
	return probe, err == nil
}

func set(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
