package main

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/probity-dev/probity/workload"
)

// trim drops from what is cached what nobody reads. Clusters may have thousands of
// namespaces, and platforms write kilobytes of annotations on each.
func trim(obj any) (any, error) {
	if o, ok := obj.(*metav1.PartialObjectMetadata); ok && o.Kind == "Namespace" {
		o.Annotations = nil
		for key := range o.Labels {
			if !strings.HasPrefix(key, workload.Prefix) {
				delete(o.Labels, key)
			}
		}
	}
	return cache.TransformStripManagedFields()(obj)
}
