package audit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload"
)

func deployment(namespace, name string) string {
	return fmt.Sprintf(`{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: %s, name: %s}, spec: {template: {spec: {containers: [{name: app}]}}}}`, namespace, name)
}

// owned is an object that a controller made.
func owned(apiVersion, kind, name, ownerVersion, owner string) string {
	spec := "{template: {spec: {containers: [{name: app}]}}}"
	if kind == "Pod" {
		spec = "{containers: [{name: app}]}"
	}
	return fmt.Sprintf(`{apiVersion: %s, kind: %s, metadata: {namespace: shop, name: %s, ownerReferences: [{apiVersion: %s, kind: %s, name: above, controller: true}]}, spec: %s}`,
		apiVersion, kind, name, ownerVersion, owner, spec)
}

func newLister(t *testing.T, chunk int) (*Lister, *cluster) {
	t.Helper()
	c, config := newCluster(t)
	l, err := NewLister(config)
	if err != nil {
		t.Fatal(err)
	}
	l.chunk = chunk
	return l, c
}

// names lists as a reader sees it: the objects, and what is said beside them.
func names(t *testing.T, l *Lister, q Query) (got []string, listing Listing, err error) {
	t.Helper()
	if q.Kinds == nil {
		q.Kinds = workload.DefaultKinds()
	}
	if q.Resources == nil {
		resources, failed := l.Resources(t.Context(), q.Kinds)
		for _, e := range failed {
			t.Error(e)
		}
		q.Resources = resources
	}
	listing, err = l.List(t.Context(), q, func(i Item) error {
		name := i.Ref.String()
		if i.Err != nil {
			name += ": " + i.Err.Error()
		}
		got = append(got, name)
		return nil
	})
	return got, listing, err
}

var deployments = []Resource{builtIn[0]}

func TestEveryKindIsListedAndNothingTwice(t *testing.T) {
	l, c := newLister(t, 2)
	for i := range 5 {
		c.add(deployment("shop", fmt.Sprint("web-", i)))
	}
	c.add(strings.Join([]string{
		deployment("other", "web"),
		owned("apps/v1", "ReplicaSet", "of-deployment", "apps/v1", "Deployment"),
		owned("apps/v1", "ReplicaSet", "of-rollout", "argoproj.io/v1alpha1", "Rollout"),
		owned("v1", "Pod", "of-replicaset", "apps/v1", "ReplicaSet"),
		owned("batch/v1", "Job", "of-cronjob", "batch/v1", "CronJob"),
		owned("v1", "Pod", "of-operator", "postgresql.cnpg.io/v1", "Cluster"),
		`{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: mirror, annotations: {kubernetes.io/config.mirror: x}}, spec: {containers: [{name: app}]}}`,
		`{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: leaving, deletionTimestamp: "2026-01-01T00:00:00Z"}, spec: {containers: [{name: app}]}}`,
		`{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {namespace: shop, name: canary}, spec: {template: {spec: {containers: [{name: app}]}}}}`,
		`{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {namespace: shop, name: scaled}, spec: {minReplicaCount: 2, scaleTargetRef: {name: web-0}}}`,
		`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: shop, name: budget}, spec: {maxUnavailable: 1}}`,
	}, "\n---\n"))

	got, listing, err := names(t, l, Query{Namespace: "shop"})
	want := []string{
		"Deployment shop/web-0", "Deployment shop/web-1", "Deployment shop/web-2", "Deployment shop/web-3", "Deployment shop/web-4",
		"PodDisruptionBudget shop/budget", "Rollout shop/canary", "ScaledObject shop/scaled", "Pod shop/of-operator",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if diff := cmp.Diff(Listing{Objects: 9}, listing); diff != "" {
		t.Error(diff)
	}
	requests := []string{
		"/apis/apps/v1/namespaces/shop/deployments 2 ",
		"/apis/apps/v1/namespaces/shop/deployments 2 shop/web-1",
		"/apis/apps/v1/namespaces/shop/deployments 2 shop/web-3",
	}
	if diff := cmp.Diff(requests, c.requests[:3]); diff != "" {
		t.Error("chunks:", diff)
	}

	if got, _, err = names(t, l, Query{Resources: deployments}); err != nil || len(got) != 6 || got[0] != "Deployment other/web" {
		t.Error("all namespaces:", got, err)
	}
}

// TestLargeObjectsAreReadFewAtATime: those of a namespace may be more than there is
// memory.
func TestLargeObjectsAreReadFewAtATime(t *testing.T) {
	l, c := newLister(t, 500)
	l.bytes = 10_000
	var want []string
	for i := range 9 {
		size := 10
		if i > 4 {
			size = 12_000 // each of these is too large for a chunk
		}
		name := fmt.Sprint("web-", i)
		c.add(strings.Replace(deployment("shop", name), "name: "+name, "name: "+name+", annotations: {notes: "+strings.Repeat("x", size)+"}", 1))
		want = append(want, "Deployment shop/"+name)
	}
	got, listing, err := names(t, l, Query{Resources: deployments})
	if diff := cmp.Diff(want, got); diff != "" || err != nil || listing.Objects != 9 || len(listing.Errors) > 0 {
		t.Error(err, listing, diff)
	}
	const path = "/apis/apps/v1/deployments "
	requests := []string{path + "500 ", path + "125 ", path + "31 ", path + "7 ", path + "1 ", path + "2 shop/web-0", path + "4 shop/web-2", path + "1 shop/web-2"}
	if diff := cmp.Diff(requests, c.requests[:min(len(requests), len(c.requests))]); diff != "" {
		t.Error(diff)
	}
}

func TestAListGoesOnWhenTheServerHasForgottenItsState(t *testing.T) {
	const path = "/apis/apps/v1/deployments"
	gone := func(token string) string {
		return `{"kind":"Status","apiVersion":"v1","status":"Failure","code":410,"reason":"Expired","message":"The provided continue parameter is too old","metadata":{"continue":"` + token + `"}}`
	}
	for name, token := range map[string]string{"with a token to go on": "shop/web-1", "from the beginning": ""} {
		t.Run(name, func(t *testing.T) {
			l, c := newLister(t, 2)
			var want []string
			for i := range 6 {
				c.add(deployment("shop", fmt.Sprint("web-", i)))
				want = append(want, fmt.Sprint("Deployment shop/web-", i))
			}
			c.instead(path, 0, "") // the first chunk comes
			c.instead(path, http.StatusGone, gone(token))
			got, listing, err := names(t, l, Query{Resources: deployments})
			if diff := cmp.Diff(want, got); diff != "" || err != nil || listing.Objects != 6 {
				t.Error(err, listing, diff)
			}
		})
	}
	t.Run("not without end", func(t *testing.T) {
		l, c := newLister(t, 2)
		for range maxRestarts + 1 {
			c.instead(path, http.StatusGone, gone(""))
		}
		_, listing, err := names(t, l, Query{Resources: deployments})
		if err != nil || len(listing.Errors) != 1 || listing.Errors[0].Forbidden() {
			t.Error(listing, err)
		}
	})
}

func TestOneFaultHidesNothingElse(t *testing.T) {
	l, c := newLister(t, 10)
	c.add(deployment("shop", "web"))
	c.add(`{apiVersion: apps/v1, kind: StatefulSet, metadata: {namespace: shop, name: cart}, spec: {template: {spec: {containers: [{name: app}]}}}}`)
	c.add(`{apiVersion: batch/v1, kind: CronJob, metadata: {namespace: shop, name: odd}, spec: "none"}`)
	c.instead("/apis/apps/v1/deployments", http.StatusForbidden,
		`{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"reason":"Forbidden","message":"deployments.apps is forbidden: User \"viewer\" cannot list resource \"deployments\""}`)
	c.instead("/apis/apps/v1/daemonsets", http.StatusInternalServerError, `no JSON`)
	c.instead("/apis/apps/v1/replicasets", http.StatusOK, `{"items":[{"metadata":`)
	got, listing, err := names(t, l, Query{})
	if diff := cmp.Diff([]string{"StatefulSet shop/cart", "CronJob shop/odd"}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	var failed []string
	for _, e := range listing.Errors {
		failed = append(failed, fmt.Sprint(e.Forbidden(), " ", e))
	}
	want := []string{
		`true deployments.apps is forbidden: User "viewer" cannot list resource "deployments"`,
		`false daemonsets.apps: an error on the server ("unknown") has prevented the request from succeeding`,
		`false replicasets.apps: the answer is no whole list: jsontext: unexpected EOF within "/items/0/metadata" after offset 22`,
	}
	if diff := cmp.Diff(want, failed); diff != "" {
		t.Error(diff)
	}
}

func TestAListEndsEarly(t *testing.T) {
	l, c := newLister(t, 2)
	for i := range 5 {
		c.add(deployment("shop", fmt.Sprint("web-", i)))
	}
	t.Run("at the bound", func(t *testing.T) {
		got, listing, err := names(t, l, Query{Bound: 3})
		if !errors.Is(err, ErrBound) || len(got) != 3 || listing.Objects != 3 {
			t.Error(got, listing, err)
		}
	})
	t.Run("not when the bound is all there is", func(t *testing.T) {
		if got, _, err := names(t, l, Query{Bound: 5}); err != nil || len(got) != 5 {
			t.Error(got, err)
		}
	})
	t.Run("at an error of the reader", func(t *testing.T) {
		enough := errors.New("enough")
		listing, err := l.List(t.Context(), Query{Kinds: workload.DefaultKinds(), Resources: deployments}, func(Item) error { return enough })
		if !errors.Is(err, enough) || listing.Objects != 1 {
			t.Error(listing, err)
		}
	})
	t.Run("at the deadline", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		listing, err := l.List(ctx, Query{Kinds: workload.DefaultKinds(), Resources: deployments}, func(Item) error { cancel(); return nil })
		if !errors.Is(err, context.Canceled) || listing.Objects != 2 {
			t.Error(listing, err)
		}
	})
	t.Run("when its turn would come after the deadline", func(t *testing.T) {
		c, config := newCluster(t)
		c.add(deployment("shop", "a") + "\n---\n" + deployment("shop", "b"))
		config.QPS, config.Burst = .001, 1
		slow, err := NewLister(config)
		if err != nil {
			t.Fatal(err)
		}
		slow.chunk = 1
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		listing, err := slow.List(ctx, Query{Kinds: workload.DefaultKinds(), Resources: deployments}, func(Item) error { return nil })
		if !errors.Is(err, context.DeadlineExceeded) || listing.Objects != 1 {
			t.Error(listing, err)
		}
	})
}

func TestItemsKnowTheirUID(t *testing.T) {
	l, c := newLister(t, 2)
	c.add(deployment("shop", "web"))
	_, err := l.List(t.Context(), Query{Kinds: workload.DefaultKinds(), Resources: deployments}, func(i Item) error {
		if got := i.UID; got != "uid-of-Deployment-shop/web" {
			t.Error(got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
