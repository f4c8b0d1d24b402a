package validate

import (
	"strings"

	"github.com/probity-dev/probity/workload"
)

// customs are the custom resources of a bundle: an operator may make pods from
// them whose template is nowhere to be seen. They hold kinds by namespace and name.
type customs map[customKey][]string

type customKey struct{ namespace, name string }

func (c customs) add(ref workload.Ref) {
	key := customKey{ref.Namespace, ref.Name}
	c[key] = append(c[key], plain(ref.Kind))
}

// isCustom tells whether a resource's group is somebody's own; the groups of
// Kubernetes have no dot or end in k8s.io.
func isCustom(ref workload.Ref) bool {
	group, _, ok := strings.Cut(ref.APIVersion, "/")
	return ok && strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}

// makes reports whether a selector asks for the pods of a custom resource:
// operators label them with its kind and its name, as
// app.kubernetes.io/name=prometheus,prometheus=k8s or cnpg.io/cluster=orders.
func (c customs) makes(namespace string, selector *workload.Selector) bool {
	if selector == nil {
		return false
	}
	for _, value := range selector.MatchLabels {
		for _, kind := range c[customKey{namespace, value}] {
			if namesKind(selector, kind) {
				return true
			}
		}
	}
	return false
}

func namesKind(selector *workload.Selector, kind string) bool {
	for key, value := range selector.MatchLabels {
		if plain(value) == kind {
			return true
		}
		for part := range strings.FieldsFuncSeq(key, func(r rune) bool { return r == '.' || r == '/' }) {
			if plain(part) == kind {
				return true
			}
		}
	}
	return false
}

// plain takes case and dashes from a name: the kind ThanosRuler is thanos-ruler in
// labels.
func plain(s string) string { return strings.ToLower(strings.ReplaceAll(s, "-", "")) }
