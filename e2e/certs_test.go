package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestCertificates runs replicas of the certificate manager against one control
// plane, one scene after the other. Wherever there is load, every failed call
// would be a refused request.
func TestCertificates(t *testing.T) {
	c := newCertCluster(t)
	scene := func(name string, play func(c *certCluster)) {
		t.Run(name, func(t *testing.T) {
			inner := *c
			inner.Space = c.In(t)
			play(&inner)
		})
	}
	scene("the manifests' own Deployment is admitted and runs", func(c *certCluster) {
		c.Admin("", "-n", "probity-system", "rollout", "status", "deployment/probity", "--timeout=60s")
	})
	scene("two replicas that start at once make one certificate", twoAtOnce)
	scene("certificates that expired while nothing ran are replaced", expiredWhileOff)
	scene("the Secret is deleted under load", secretDeleted)
	scene("the Secret is corrupted under load", secretCorrupted)
	scene("a replica comes and another goes under load", replicaReplaced)
	scene("a sync empties the caBundle under load", caBundleEmptied)
	scene("certificate and authority are renewed under load", renewed)
}

// replicas starts replicas that end with the scene, and waits until they serve
// what the Secret holds.
func (c *certCluster) replicas(count int) []*probityReplica {
	c.T.Helper()
	var all []*probityReplica
	for range count {
		all = append(all, c.startReplica())
	}
	c.settled(all...)
	return all
}

// settled waits until the replicas are ready with the certificate of the Secret.
func (c *certCluster) settled(replicas ...*probityReplica) {
	c.T.Helper()
	c.Await("replicas serve the Secret's certificate", func(context.Context) error {
		stored, err := c.storedLeaf()
		if err != nil {
			return err
		}
		for i, r := range replicas {
			if err := r.certs.Ready(); err != nil {
				return fmt.Errorf("replica %d: %w", i, err)
			}
			served, err := r.certs.GetCertificate(nil)
			if err != nil {
				return err
			}
			if !served.Leaf.Equal(stored) {
				return fmt.Errorf("replica %d serves another certificate", i)
			}
		}
		return nil
	})
}

// replaced waits until the Secret holds another certificate than before.
func (c *certCluster) replaced(do func()) {
	c.T.Helper()
	before, err := c.storedLeaf()
	if err != nil {
		c.T.Fatal(err)
	}
	do()
	c.Await("the Secret holds a new certificate", func(context.Context) error {
		now, err := c.storedLeaf()
		if err == nil && now.Equal(before) {
			err = errors.New("it is the old one")
		}
		return err
	})
}

func (c *certCluster) deleteSecret() {
	c.T.Helper()
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = servingCert.Namespace, servingCert.Name
	if err := c.admin.Delete(c.T.Context(), secret); client.IgnoreNotFound(err) != nil {
		c.T.Fatal(err)
	}
}

// touch makes an event, since a test's clock that jumps makes none.
func (c *certCluster) touch() {
	c.T.Helper()
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = servingCert.Namespace, servingCert.Name
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"touched":%q}}}`, time.Now())
	if err := c.admin.Patch(c.T.Context(), secret, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		c.T.Fatal(err)
	}
}

// moreCalls proves that calls are made and answered now.
func (c *certCluster) moreCalls() {
	c.T.Helper()
	load := c.StartLoad()
	load.More()
	load.Stop()
}

func twoAtOnce(c *certCluster) {
	start := time.Now()
	c.replicas(2)
	c.T.Logf("ready %s after the start", time.Since(start).Round(time.Millisecond))
	c.moreCalls()
	if diff := cmp.Diff([]int{1}, c.authorities()); diff != "" {
		c.T.Errorf("authorities in each caBundle:\n%s", diff)
	}
}

func expiredWhileOff(c *certCluster) {
	c.deleteSecret()
	c.clock.offset.Store(int64(-400 * 24 * time.Hour))
	c.replicas(1)[0].stop()
	c.clock.offset.Store(0)
	if leaf, err := c.storedLeaf(); err != nil || time.Now().Before(leaf.NotAfter) {
		c.T.Fatalf("the scene is not set: the certificate counts until %v, %v", leaf.NotAfter, err)
	}
	c.replicas(2)
	c.moreCalls()
}

func secretDeleted(c *certCluster) {
	replicas := c.replicas(2)
	c.UnderLoad("the end of the Secret", func() {
		c.replaced(c.deleteSecret)
		c.settled(replicas...)
	})
}

func secretCorrupted(c *certCluster) {
	replicas := c.replicas(2)
	c.UnderLoad("a corrupted Secret", func() {
		for _, key := range []string{"ca.key", "tls.crt"} {
			c.replaced(func() { c.corrupt(key) })
			c.settled(replicas...)
		}
	})
}

func (c *certCluster) corrupt(key string) {
	c.T.Helper()
	secret := &corev1.Secret{}
	if err := c.admin.Get(c.T.Context(), servingCert, secret); err != nil {
		c.T.Fatal(err)
	}
	secret.Data[key] = []byte("garbage")
	if err := c.admin.Update(c.T.Context(), secret); err != nil {
		c.T.Fatal(err)
	}
}

func replicaReplaced(c *certCluster) {
	first := c.replicas(1)[0]
	load := c.StartLoad()
	load.More()
	second := c.startReplica()
	c.settled(first, second)
	first.stop()
	c.moreCalls()
	load.Stop()
}

// An API server that has no caBundle trusts nobody, so with failurePolicy Fail
// it would refuse until the bundle is back. This is the default policy.
func caBundleEmptied(c *certCluster) {
	c.replicas(2)
	set := func(policy admissionregistrationv1.FailurePolicyType) {
		c.change(func(h hook) { *h.policy = &policy })
	}
	set(admissionregistrationv1.Ignore)
	defer set(admissionregistrationv1.Fail)
	want := c.authorities()
	load := c.StartLoad()
	load.More()
	start := time.Now()
	c.change(func(h hook) { h.client.CABundle = nil })
	c.Await("the caBundle is back", func(context.Context) error {
		if diff := cmp.Diff(want, c.authorities()); diff != "" {
			return errors.New(diff)
		}
		return nil
	})
	c.T.Logf("the caBundle was back after %s", time.Since(start).Round(time.Millisecond))
	load.More()
	load.Stop()
}

const day = 24 * time.Hour

func renewed(c *certCluster) {
	c.deleteSecret()
	// The authority is made 244 days ago; it is due now. The API server has the
	// real clock, so there is no load before the leaf has got there.
	c.clock.offset.Store(int64(-244 * day))
	replicas := c.replicas(2)
	for _, ago := range []time.Duration{183, 122, 61} {
		c.replaced(func() {
			c.clock.offset.Store(-int64(ago * day))
			c.touch()
		})
		c.settled(replicas...)
	}
	c.UnderLoad("a renewal", func() { c.renewUnderLoad(replicas) })
}

func (c *certCluster) renewUnderLoad(replicas []*probityReplica) {
	c.T.Helper()
	c.replaced(func() { // The leaf, of the same authority.
		c.clock.offset.Store(int64(-day))
		c.touch()
	})
	c.settled(replicas...)
	if diff := cmp.Diff([]int{1}, c.authorities()); diff != "" {
		c.T.Errorf("authorities after a new leaf:\n%s", diff)
	}
	c.replaced(func() { // The authority.
		c.clock.offset.Store(0)
		c.touch()
	})
	c.settled(replicas...)
	if diff := cmp.Diff([]int{2}, c.authorities()); diff != "" {
		c.T.Errorf("authorities during the overlap:\n%s", diff)
	}
	c.clock.offset.Store(int64(day + time.Hour))
	c.touch()
	c.Await("the old authority is dropped", func(context.Context) error {
		if diff := cmp.Diff([]int{1}, c.authorities()); diff != "" {
			return errors.New(diff)
		}
		return nil
	})
	c.settled(replicas...)
}
