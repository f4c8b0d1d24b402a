package validate

import (
	"testing"

	"github.com/probity-dev/probity/workload"
)

func TestCustomResourcesWhosePodsABudgetSelects(t *testing.T) {
	tests := []struct {
		name     string
		resource workload.Ref
		labels   map[string]string
		want     bool
	}{
		{"the kind and the name as values", workload.Ref{APIVersion: "monitoring.coreos.com/v1", Kind: "Alertmanager", Name: "main"}, map[string]string{"app.kubernetes.io/name": "alertmanager", "app.kubernetes.io/instance": "main"}, true},
		{"a kind of two words", workload.Ref{APIVersion: "monitoring.coreos.com/v1", Kind: "ThanosRuler", Name: "user"}, map[string]string{"app.kubernetes.io/name": "thanos-ruler", "thanos-ruler": "user"}, true},
		{"the kind as the key of the name", workload.Ref{APIVersion: "postgresql.cnpg.io/v1", Kind: "Cluster", Name: "orders"}, map[string]string{"cnpg.io/cluster": "orders"}, true},
		{"the kind as the domain of the key", workload.Ref{APIVersion: "elasticsearch.k8s.elastic.co/v1", Kind: "Elasticsearch", Name: "logs"}, map[string]string{"elasticsearch.k8s.elastic.co/cluster-name": "logs"}, true},
		{"the name alone", workload.Ref{APIVersion: "monitoring.coreos.com/v1", Kind: "ServiceMonitor", Name: "shop"}, map[string]string{"app": "shop"}, false},
		{"the kind alone", workload.Ref{APIVersion: "monitoring.coreos.com/v1", Kind: "Prometheus", Name: "shop"}, map[string]string{"app": "prometheus"}, false},
		{"another namespace", workload.Ref{APIVersion: "postgresql.cnpg.io/v1", Kind: "Cluster", Namespace: "b", Name: "orders"}, map[string]string{"cnpg.io/cluster": "orders"}, false},
		{"a resource of Kubernetes", workload.Ref{APIVersion: "networking.k8s.io/v1", Kind: "Ingress", Name: "shop"}, map[string]string{"ingress": "shop"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := customs{}
			if isCustom(tt.resource) {
				c.add(tt.resource)
			}
			if got := c.makes("", &workload.Selector{MatchLabels: tt.labels}); got != tt.want {
				t.Errorf("says %v", got)
			}
		})
	}
}
