package certs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var oneEach = state{Ready: []bool{true, true}, Same: true, Bundles: []int{1, 1, 1}}

func TestANewClusterIsReadyAfterTwoEvents(t *testing.T) {
	c := newCluster(t, 2, bothConfigurations()...)
	for _, r := range c.replicas {
		if err := r.ready(); err == nil || err.Error() != "no serving certificate yet" {
			t.Errorf("ready before the start: %v", err)
		}
	}
	c.step() // The first makes the Secret, the second finds it, injects it and serves it.
	c.step()
	if diff := cmp.Diff(oneEach, c.state()); diff != "" {
		t.Error(diff)
	}
	secret := c.secret()
	if secret.Type != corev1.SecretTypeOpaque || secret.Labels["app.kubernetes.io/managed-by"] != "probity" {
		t.Errorf("Secret of type %q with labels %v", secret.Type, secret.Labels)
	}
}

func TestACalmClusterIsNotWrittenTo(t *testing.T) {
	c := newCluster(t, 2, bothConfigurations()...)
	c.settled()
	before := c.secret().ResourceVersion
	var versions []string
	for _, cfg := range c.configurations() {
		versions = append(versions, cfg.GetResourceVersion())
	}
	c.settled()
	var after []string
	for _, cfg := range c.configurations() {
		after = append(after, cfg.GetResourceVersion())
	}
	if diff := cmp.Diff(versions, after); diff != "" || c.secret().ResourceVersion != before {
		t.Errorf("written again: Secret %s to %s, configurations %s", before, c.secret().ResourceVersion, diff)
	}
}

func TestTheFirstReplicaWinsARace(t *testing.T) {
	for name, prepare := range map[string]func(*cluster){
		"to make the Secret":  func(*cluster) {},
		"to renew the Secret": func(c *cluster) { c.settled(); c.clock.SetTime(start.Add(61 * day)) },
		"to replace an authority": func(c *cluster) {
			c.settled()
			c.clock.SetTime(start.Add(250 * day)) // The leaf has expired as well.
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, 2, bothConfigurations()...)
			prepare(c)
			late, first := c.replicas[0], c.replicas[1]
			raced := 0
			// The other replica writes just before this one does.
			race := func() {
				if raced++; raced == 1 {
					if _, err := first.Reconcile(t.Context(), reconcile.Request{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			late.writer = interceptor.NewClient(c.api, interceptor.Funcs{
				Create: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.CreateOption) error {
					race()
					return w.Create(ctx, o, opts...)
				},
				Update: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
					race()
					return w.Update(ctx, o, opts...)
				},
			})
			if _, err := late.Reconcile(t.Context(), reconcile.Request{}); err != nil {
				t.Fatalf("a lost race is no error: %v", err)
			}
			winner := c.secret().ResourceVersion
			c.settled()
			if raced != 1 || c.secret().ResourceVersion != winner {
				t.Errorf("raced %d times; the Secret went from version %s to %s", raced, winner, c.secret().ResourceVersion)
			}
			if s := c.state(); !s.Same || !s.Ready[0] || !s.Ready[1] {
				t.Errorf("after the race: %+v", s)
			}
		})
	}
}

func TestWhatIsLostComesBackWithoutARefusedCall(t *testing.T) {
	both := state{Ready: []bool{true, true}, Same: true, Bundles: []int{2, 2, 2}}
	for name, test := range map[string]struct {
		harm func(*cluster) error
		// refused is set where calls are refused until the next event.
		refused bool
		want    state
	}{
		"the Secret is deleted: old and new authority are trusted": {
			harm: func(c *cluster) error { return c.api.Delete(t.Context(), c.secret()) },
			want: both,
		},
		"the Secret's authority is garbage": {
			harm: changeSecret("ca.crt", "garbage"),
			want: both,
		},
		"the Secret is emptied": {
			harm: func(c *cluster) error {
				secret := c.secret()
				secret.Data = nil
				return c.api.Update(t.Context(), secret)
			},
			want: both,
		},
		"the Secret's certificate is garbage: the authority stays": {
			harm: changeSecret("tls.crt", "garbage"),
			want: oneEach,
		},
		"a sync empties the caBundle": {
			harm: func(c *cluster) error {
				all := c.configurations()
				all[0].webhooks()[0].client.CABundle = nil
				return c.api.Update(t.Context(), all[0].Object)
			},
			refused: true,
			want:    oneEach,
		},
		"a configuration is made anew": {
			harm: func(c *cluster) error {
				all := c.configurations()
				if err := c.api.Delete(t.Context(), all[1].Object); err != nil {
					return err
				}
				return c.api.Create(t.Context(), bothConfigurations()[1])
			},
			refused: true,
			want:    oneEach,
		},
		"the Secret is deleted and the caBundle emptied": {
			harm: func(c *cluster) error {
				for _, cfg := range c.configurations() {
					for _, w := range cfg.webhooks() {
						w.client.CABundle = nil
					}
					if err := c.api.Update(t.Context(), cfg.Object); err != nil {
						return err
					}
				}
				return c.api.Delete(t.Context(), c.secret())
			},
			refused: true,
			want:    both,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, 2, bothConfigurations()...)
			c.settled()
			if err := test.harm(c); err != nil {
				t.Fatal(err)
			}
			for _, r := range c.replicas {
				if err := r.ready(); err != nil {
					t.Errorf("no longer ready, which repairs nothing: %v", err)
				}
			}
			for range 2 { // One pass to make what is missing, one to inject it.
				if _, err := c.replicas[0].Reconcile(t.Context(), reconcile.Request{}); err != nil {
					t.Fatal(err)
				}
				if !test.refused {
					c.checkTrust()
				}
			}
			c.settled()
			if diff := cmp.Diff(test.want, c.state()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func changeSecret(key, value string) func(*cluster) error {
	return func(c *cluster) error {
		secret := c.secret()
		secret.Data[key] = []byte(value)
		return c.api.Update(c.t.Context(), secret)
	}
}

func TestTheOldCertificateIsServedUntilTheNewAuthorityHasSettled(t *testing.T) {
	c := newCluster(t, 2, bothConfigurations()...)
	c.settled()
	c.clock.SetTime(start.Add(60 * day))
	c.settled() // The leaf is renewed, so that it lives when the authority is.
	c.clock.SetTime(start.Add(120 * day))
	c.settled()
	c.clock.SetTime(start.Add(180 * day))
	c.settled()
	c.clock.SetTime(start.Add(239 * day))
	c.settled()
	old := c.replicas[0].serving.leaf()

	c.clock.SetTime(start.Add(244 * day))
	for range 3 {
		c.step()
	}
	waiting := c.state()
	if diff := cmp.Diff(state{Ready: []bool{true, true}, Same: false, Bundles: []int{2, 2, 2}}, waiting); diff != "" {
		t.Errorf("before it has settled:\n%s", diff)
	}
	if !old.Equal(c.replicas[0].serving.leaf()) {
		t.Error("the old certificate was given up at once")
	}
	newcomer := c.addReplica() // It has no old certificate and must not wait.
	c.step()
	if err := newcomer.ready(); err != nil {
		t.Errorf("a replica that starts meanwhile: %v", err)
	}
	c.clock.SetTime(c.clock.Now().Add(settle))
	c.step()
	if diff := cmp.Diff(state{Ready: []bool{true, true, true}, Same: true, Bundles: []int{2, 2, 2}}, c.state()); diff != "" {
		t.Errorf("after it has settled:\n%s", diff)
	}
	c.clock.SetTime(c.clock.Now().Add(overlap))
	c.settled()
	if diff := cmp.Diff(state{Ready: []bool{true, true, true}, Same: true, Bundles: []int{1, 1, 1}}, c.state()); diff != "" {
		t.Errorf("a day later:\n%s", diff)
	}
}

func TestAClusterThatSleptPastExpiryHeals(t *testing.T) {
	c := newCluster(t, 2, bothConfigurations()...)
	c.settled()
	c.clock.SetTime(start.Add(2 * 365 * day))
	err := c.replicas[0].ready()
	if err == nil || err.Error() != "serving certificate: it expired at 2026-04-01T12:00:00Z" {
		t.Errorf("ready with an expired certificate: %v", err)
	}
	c.step()
	c.step()
	if diff := cmp.Diff(oneEach, c.state()); diff != "" {
		t.Error(diff)
	}
}

func TestNotReadyUntilTheConfigurationsTrustTheCertificate(t *testing.T) {
	c := newCluster(t, 1, bothConfigurations()...)
	r := c.replicas[0]
	forbidden := apierrors.NewForbidden(admissionregistrationv1.Resource("validatingwebhookconfigurations"), "probity", errors.New("no patch"))
	r.writer = interceptor.NewClient(c.api, interceptor.Funcs{
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return forbidden
		},
	})
	for range 3 {
		_, _ = r.Reconcile(t.Context(), reconcile.Request{})
	}
	_, err := r.Reconcile(t.Context(), reconcile.Request{})
	if !errors.Is(err, forbidden) || !strings.HasPrefix(err.Error(), "write caBundle of ValidatingWebhookConfiguration probity: ") {
		t.Errorf("error of the pass: %v", err)
	}
	if _, err := r.getCertificate(nil); err != nil {
		t.Errorf("the certificate is served meanwhile: %v", err)
	}
	want := `serving certificate: ValidatingWebhookConfiguration probity: caBundle of a.probity.dev does not trust it yet
ValidatingWebhookConfiguration probity: caBundle of b.probity.dev does not trust it yet
MutatingWebhookConfiguration probity: caBundle of c.probity.dev does not trust it yet`
	if err := r.ready(); err == nil || err.Error() != want {
		t.Errorf("ready: %v", err)
	}
	r.writer = c.api
	c.step()
	if err := r.ready(); err != nil {
		t.Errorf("still not ready: %v", err)
	}
}

func TestOnlyWhatIsOursIsInjectedAndNothingElseChanges(t *testing.T) {
	url := "https://127.0.0.1:9443/validate"
	entries := []admissionregistrationv1.ValidatingWebhook{
		{Name: "theirs.example.com", ClientConfig: toService("another")},
		{Name: "ours.probity.dev", ClientConfig: toService("probity"), AdmissionReviewVersions: []string{"v1"}},
		{Name: "url.probity.dev", ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: []byte("stale")}},
	}
	c := newCluster(t, 1, validating(entries...))
	c.settled() // There is no MutatingWebhookConfiguration: that is no fault.
	if err := c.replicas[0].ready(); err != nil {
		t.Error(err)
	}
	want := validating(entries...)
	content, err := open(c.secret().Data, c.clock.Now(), c.replicas[0].hosts)
	if err != nil {
		t.Fatal(err)
	}
	want.Webhooks[1].ClientConfig.CABundle = content.bundle()
	want.Webhooks[2].ClientConfig.CABundle = content.bundle()
	got := c.configurations()[0].Object.(*admissionregistrationv1.ValidatingWebhookConfiguration)
	if diff := cmp.Diff(want.Webhooks, got.Webhooks); diff != "" {
		t.Error(diff)
	}
}

func TestKeysOfOthersInTheSecretStay(t *testing.T) {
	secret := &corev1.Secret{Data: map[string][]byte{"note": []byte("keep me")}}
	secret.Namespace, secret.Name = secretName.Namespace, secretName.Name
	c := newCluster(t, 1, append(bothConfigurations(), secret)...)
	c.settled()
	if got := string(c.secret().Data["note"]); got != "keep me" {
		t.Errorf("note is %q", got)
	}
}

func TestASecondWriterMakesNoHotLoop(t *testing.T) {
	c := newCluster(t, 1, bothConfigurations()...)
	c.settled()
	writes := 0
	for range 100 {
		if err := changeSecret("ca.crt", "garbage")(c); err != nil {
			t.Fatal(err)
		}
		if _, err := c.replicas[0].Reconcile(t.Context(), reconcile.Request{}); err != nil {
			if want := "secret probity-system/probity-serving-cert: it was replaced too often"; !strings.HasPrefix(err.Error(), want) {
				t.Fatalf("error %v, want %s", err, want)
			}
			continue
		}
		writes++
	}
	if writes > writeBurst {
		t.Errorf("written %d times at one moment, want at most %d", writes, writeBurst)
	}
	c.clock.SetTime(c.clock.Now().Add(time.Minute))
	c.settled()
	if err := c.replicas[0].ready(); err != nil {
		t.Errorf("it does not recover: %v", err)
	}
}
