package budget

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
)

// changed is our budget of web with other content.
func changed(spec, labels, owner string) string {
	return fmt.Sprintf(`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: probity-deployment-web, namespace: shop, labels: {%s}, ownerReferences: [%s]}, spec: {%s}}`, labels, owner, spec)
}

const (
	ourLabel = "app.kubernetes.io/managed-by: probity"
	ourOwner = "{apiVersion: apps/v1, kind: Deployment, name: web, uid: uid-web, controller: true}"
	ourSpec  = "maxUnavailable: 10%, unhealthyPodEvictionPolicy: AlwaysAllow, selector: {matchLabels: {app: web}}"
)

func TestAnEditOfOursIsPutBack(t *testing.T) {
	const applied, merged = "apply shop/probity-deployment-web force=true", "merge shop/probity-deployment-web"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"as it was made", changed(ourSpec, ourLabel, ourOwner), nil},
		{"another share", changed(strings.Replace(ourSpec, "10%", "50%", 1), ourLabel, ourOwner), []string{applied}},
		{"minAvailable in its place", changed(strings.Replace(ourSpec, "maxUnavailable: 10%", "minAvailable: 1", 1), ourLabel, ourOwner), []string{merged}},
		{"another policy", changed(strings.Replace(ourSpec, "AlwaysAllow", "IfHealthyBudget", 1), ourLabel, ourOwner), []string{applied}},
		{"another selector", changed(strings.Replace(ourSpec, "app: web", "app: other", 1), ourLabel, ourOwner), []string{applied}},
		{"the owner of a former life", changed(ourSpec, ourLabel, strings.Replace(ourOwner, "uid-web", "uid-old", 1)), []string{applied}},
		{"no owner", changed(ourSpec, ourLabel, ""), []string{applied}},
		{"further labels are welcome", changed(ourSpec, ourLabel+", team: a", ourOwner), nil},
		{"without the label it is theirs", changed(ourSpec, "team: a", ourOwner), nil},
		{"theirs, with another selector, keeps the name", changed(strings.Replace(ourSpec, "app: web", "app: other", 1), "team: a", ourOwner), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCluster(t)
			c.put(deployment("web", "app: web", 3))
			c.put(tt.text)
			// Reconcile as the queue does, which knows the workload.
			c.written = nil
			id := validate.Identity{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
			if _, err := c.controller.Reconcile(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, c.written); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPuttingBackIsNoFight(t *testing.T) {
	c := newCluster(t)
	c.put(deployment("web", "app: web", 3))
	c.settle()
	edit := changed(strings.Replace(ourSpec, "10%", "50%", 1), ourLabel, ourOwner)
	writes := 0
	for range 600 { // a second each
		c.put(edit)
		writes += len(c.settle())
		c.clock.Step(time.Second)
	}
	if writes < 5 || writes > 10 {
		t.Errorf("%d writes in ten minutes of edits every second", writes)
	}
}
