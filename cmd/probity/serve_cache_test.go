package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTrim(t *testing.T) {
	metadata := func() metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Name: "shop", ResourceVersion: "7",
			Labels:        map[string]string{"probity.dev/mode": "enforce", "kubernetes.io/metadata.name": "shop"},
			Annotations:   map[string]string{"platform.example/owner": "shop"},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
		}
	}
	namespace := metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}
	whole := metadata()
	whole.ManagedFields = nil
	for name, test := range map[string]struct{ obj, want any }{
		"of a namespace Probity's labels are kept": {
			&metav1.PartialObjectMetadata{TypeMeta: namespace, ObjectMeta: metadata()},
			&metav1.PartialObjectMetadata{TypeMeta: namespace, ObjectMeta: metav1.ObjectMeta{
				Name: "shop", ResourceVersion: "7", Labels: map[string]string{"probity.dev/mode": "enforce"},
			}},
		},
		"of anything else all but the managed fields is kept": {
			&corev1.Secret{ObjectMeta: metadata()}, &corev1.Secret{ObjectMeta: whole},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := trim(test.obj)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
