package e2e

import (
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
			inner.t = t
			play(&inner)
		})
	}
	scene("the manifests' own Deployment is admitted and runs", func(c *certCluster) {
		c.kubectl("-n", "probity-system", "rollout", "status", "deployment/probity", "--timeout=60s")
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
	c.t.Helper()
	var all []*probityReplica
	for range count {
		all = append(all, c.startReplica())
	}
	c.settled(all...)
	return all
}

// settled waits until the replicas are ready with the certificate of the Secret.
func (c *certCluster) settled(replicas ...*probityReplica) {
	c.t.Helper()
	c.eventually("replicas serve the Secret's certificate", func() error {
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
	c.t.Helper()
	before, err := c.storedLeaf()
	if err != nil {
		c.t.Fatal(err)
	}
	do()
	c.eventually("the Secret holds a new certificate", func() error {
		now, err := c.storedLeaf()
		if err == nil && now.Equal(before) {
			err = errors.New("it is the old one")
		}
		return err
	})
}

func (c *certCluster) deleteSecret() {
	c.t.Helper()
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = servingCert.Namespace, servingCert.Name
	if err := c.admin.Delete(c.t.Context(), secret); client.IgnoreNotFound(err) != nil {
		c.t.Fatal(err)
	}
}

// touch makes an event, since a test's clock that jumps makes none.
func (c *certCluster) touch() {
	c.t.Helper()
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = servingCert.Namespace, servingCert.Name
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"touched":%q}}}`, time.Now())
	if err := c.admin.Patch(c.t.Context(), secret, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		c.t.Fatal(err)
	}
}

// oneMoreCall proves that calls are made and answered now.
func (c *certCluster) oneMoreCall() {
	c.t.Helper()
	if err := c.admin.Create(c.t.Context(), probedDeployment(), client.DryRunAll); err != nil {
		c.t.Error(err)
	}
}

func twoAtOnce(c *certCluster) {
	start := time.Now()
	c.replicas(2)
	c.t.Logf("ready %s after the start", time.Since(start).Round(time.Millisecond))
	c.oneMoreCall()
	if diff := cmp.Diff([]int{1}, c.authorities()); diff != "" {
		c.t.Errorf("authorities in each caBundle:\n%s", diff)
	}
}

func expiredWhileOff(c *certCluster) {
	c.deleteSecret()
	c.clock.offset.Store(int64(-400 * 24 * time.Hour))
	c.replicas(1)[0].stop()
	c.clock.offset.Store(0)
	if leaf, err := c.storedLeaf(); err != nil || time.Now().Before(leaf.NotAfter) {
		c.t.Fatalf("the scene is not set: the certificate counts until %v, %v", leaf.NotAfter, err)
	}
	c.replicas(2)
	c.oneMoreCall()
}

func secretDeleted(c *certCluster) {
	replicas := c.replicas(2)
	failed := c.failedCalls()
	load := c.startLoad()
	c.replaced(c.deleteSecret)
	c.settled(replicas...)
	load.stop(c.t)
	c.noFailedCallsSince(failed)
}

func (c *certCluster) noFailedCallsSince(before float64) {
	c.t.Helper()
	if after := c.failedCalls(); after != before {
		c.t.Errorf("%.0f calls of webhooks failed", after-before)
	}
}

func secretCorrupted(c *certCluster) {
	replicas := c.replicas(2)
	failed := c.failedCalls()
	load := c.startLoad()
	for _, key := range []string{"ca.key", "tls.crt"} {
		c.replaced(func() {
			secret := &corev1.Secret{}
			if err := c.admin.Get(c.t.Context(), servingCert, secret); err != nil {
				c.t.Fatal(err)
			}
			secret.Data[key] = []byte("garbage")
			if err := c.admin.Update(c.t.Context(), secret); err != nil {
				c.t.Fatal(err)
			}
		})
		c.settled(replicas...)
	}
	load.stop(c.t)
	c.noFailedCallsSince(failed)
}

func replicaReplaced(c *certCluster) {
	first := c.replicas(1)[0]
	load := c.startLoad()
	second := c.startReplica()
	c.settled(first, second)
	first.stop()
	c.oneMoreCall()
	load.stop(c.t)
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
	load := c.startLoad()
	start := time.Now()
	c.change(func(h hook) { h.client.CABundle = nil })
	c.eventually("the caBundle is back", func() error {
		if diff := cmp.Diff(want, c.authorities()); diff != "" {
			return errors.New(diff)
		}
		return nil
	})
	c.t.Logf("the caBundle was back after %s", time.Since(start).Round(time.Millisecond))
	load.stop(c.t)
}

func renewed(c *certCluster) {
	const day = 24 * time.Hour
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
	load := c.startLoad()
	failed := c.failedCalls()
	c.replaced(func() { // The leaf, of the same authority.
		c.clock.offset.Store(int64(-day))
		c.touch()
	})
	c.settled(replicas...)
	if diff := cmp.Diff([]int{1}, c.authorities()); diff != "" {
		c.t.Errorf("authorities after a new leaf:\n%s", diff)
	}
	c.replaced(func() { // The authority.
		c.clock.offset.Store(0)
		c.touch()
	})
	c.settled(replicas...)
	if diff := cmp.Diff([]int{2}, c.authorities()); diff != "" {
		c.t.Errorf("authorities during the overlap:\n%s", diff)
	}
	c.clock.offset.Store(int64(day + time.Hour))
	c.touch()
	c.eventually("the old authority is dropped", func() error {
		if diff := cmp.Diff([]int{1}, c.authorities()); diff != "" {
			return errors.New(diff)
		}
		return nil
	})
	c.settled(replicas...)
	load.stop(c.t)
	c.noFailedCallsSince(failed)
}
