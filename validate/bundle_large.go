package validate

import (
	"github.com/probity-dev/probity/workload"
)

// maxKept bounds the labels, selectors and annotations of one object that are kept to
// judge it beside others, in bytes. Objects in use have a kilobyte of them; the API server
// takes as many as fit into etcd, and some hundred such objects would take all memory of
// each replica, again at every start. Of a larger one no more than the name is kept: no
// budget is judged by it, or made for it.
const maxKept = 32 << 10

func tooLargeForBundle(o *workload.Object) bool {
	kept := 0
	switch {
	case o.Workload != nil:
		w := o.Workload
		kept = sizeOf(w.Labels) + sizeOf(w.Pod.Labels) + sizeOfRead(w.Annotations) + sizeOfSelector(w.Selector)
	case o.Budget != nil:
		b := o.Budget
		kept = sizeOf(b.Labels) + sizeOfRead(b.Annotations) + sizeOfSelector(b.Selector)
	}
	return kept > maxKept
}

func sizeOf[M ~map[string]string](texts M) (size int) {
	for key, value := range texts {
		size += len(key) + len(value)
	}
	return size
}

// sizeOfRead is sizeOf the annotations that readAnnotations keeps.
func sizeOfRead(annotations workload.Annotations) (size int) {
	for key, value := range annotations {
		if isRead(key) {
			size += len(key) + len(value)
		}
	}
	return size
}

func sizeOfSelector(s *workload.Selector) (size int) {
	if s == nil {
		return 0
	}
	size = sizeOf(s.MatchLabels)
	for i := range s.MatchExpressions {
		r := &s.MatchExpressions[i]
		size += len(r.Key) + len(r.Operator)
		for _, value := range r.Values {
			size += len(value)
		}
	}
	return size
}
