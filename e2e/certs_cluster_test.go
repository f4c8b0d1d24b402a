package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/probity-dev/probity/certs"
	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

var servingCert = types.NamespacedName{Namespace: "probity-system", Name: "probity-serving-cert"}

// certCluster is a control plane with manifests/base, whose webhooks call
// replicas in this process through a balancer, as they would call a Service. The space
// is where requests are made.
type certCluster struct {
	*suite.Space
	control  *controlplane.ControlPlane
	admin    client.Client
	balancer *install.Balancer
	clock    *shiftedClock
}

func newCertCluster(t *testing.T) *certCluster {
	t.Helper()
	programs, err := controlplane.Build(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	control, err := controlplane.Start(t.Context(), controlplane.Options{Programs: programs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := control.Stop(); err != nil {
			t.Error(err)
		}
	})
	ctrllog.SetLogger(logr.Discard()) // Replicas in this process would talk at once.
	admin, err := client.New(control.Admin(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	space := suite.Named(t, control, "shop", "probity.dev/mode=warn")
	c := &certCluster{Space: space, control: control, admin: admin, balancer: suite.NewBalancer(t), clock: &shiftedClock{}}
	c.Admin("", "-n", servingCert.Namespace, "apply", "-k", "../manifests/base")
	c.callThisProcess()
	return c
}

// callThisProcess replaces the Service by a URL and makes every failed call a
// refusal, so that the load notices it.
func (c *certCluster) callThisProcess() {
	c.T.Helper()
	fail, patient := admissionregistrationv1.Fail, int32(10)
	c.change(func(h hook) {
		url := "https://" + c.balancer.Addr() + *h.client.Service.Path
		h.client.URL, h.client.Service = &url, nil
		*h.policy = &fail
		*h.timeout = &patient // How busy this machine is must not matter.
	})
}

// hook is what the scenes change of a webhook, of either configuration.
type hook struct {
	client  *admissionregistrationv1.WebhookClientConfig
	policy  **admissionregistrationv1.FailurePolicyType
	timeout **int32
}

// change edits every webhook of both configurations.
func (c *certCluster) change(edit func(hook)) {
	c.T.Helper()
	validating, mutating := c.configurations()
	for i := range validating.Webhooks {
		w := &validating.Webhooks[i]
		edit(hook{&w.ClientConfig, &w.FailurePolicy, &w.TimeoutSeconds})
	}
	for i := range mutating.Webhooks {
		w := &mutating.Webhooks[i]
		edit(hook{&w.ClientConfig, &w.FailurePolicy, &w.TimeoutSeconds})
	}
	if err := errors.Join(c.admin.Update(c.T.Context(), validating), c.admin.Update(c.T.Context(), mutating)); err != nil {
		c.T.Fatal(err)
	}
}

func (c *certCluster) configurations() (*admissionregistrationv1.ValidatingWebhookConfiguration, *admissionregistrationv1.MutatingWebhookConfiguration) {
	c.T.Helper()
	validating, mutating := &admissionregistrationv1.ValidatingWebhookConfiguration{}, &admissionregistrationv1.MutatingWebhookConfiguration{}
	name := types.NamespacedName{Name: "probity"}
	if err := errors.Join(c.admin.Get(c.T.Context(), name, validating), c.admin.Get(c.T.Context(), name, mutating)); err != nil {
		c.T.Fatal(err)
	}
	return validating, mutating
}

// authorities returns how many certificates the caBundles have: one number, when all
// have as many.
func (c *certCluster) authorities() []int {
	c.T.Helper()
	validating, mutating := c.configurations()
	var counts []int
	count := func(bundle []byte) {
		n := 0
		for block, rest := pem.Decode(bundle); block != nil; block, rest = pem.Decode(rest) {
			n++
		}
		counts = append(counts, n)
	}
	for _, w := range validating.Webhooks {
		count(w.ClientConfig.CABundle)
	}
	for _, w := range mutating.Webhooks {
		count(w.ClientConfig.CABundle)
	}
	slices.Sort(counts)
	return slices.Compact(counts)
}

// storedLeaf returns the serving certificate of the Secret.
func (c *certCluster) storedLeaf() (*x509.Certificate, error) {
	secret := &corev1.Secret{}
	if err := c.admin.Get(c.T.Context(), servingCert, secret); err != nil {
		return nil, err
	}
	block, _ := pem.Decode(secret.Data["tls.crt"])
	if block == nil {
		return nil, errors.New("tls.crt is not PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}

// probityReplica is a process of Probity, as far as certificates go. It acts
// with the permissions that manifests/base gives to its service account.
type probityReplica struct {
	certs *certs.Manager
	stop  func()
}

func (c *certCluster) startReplica() *probityReplica {
	c.T.Helper()
	user, groups := controlplane.ServiceAccount(servingCert.Namespace, "probity")
	config, err := c.control.User(user, groups...)
	if err != nil {
		c.T.Fatal(err)
	}
	mgr, err := manager.New(config, manager.Options{Logger: logr.Discard(), Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		c.T.Fatal(err)
	}
	m, err := certs.New(certs.Options{
		Secret:                  servingCert,
		Service:                 types.NamespacedName{Namespace: "probity-system", Name: "probity"},
		ExtraHosts:              []string{"127.0.0.1"},
		ValidatingConfiguration: "probity",
		MutatingConfiguration:   "probity",
		Clock:                   c.clock,
	})
	if err != nil {
		c.T.Fatal(err)
	}
	if err := m.SetupWithManager(mgr); err != nil {
		c.T.Fatal(err)
	}
	address, closeServer := serveReviews(c.T, m)
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.T.Context()))
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	remove := c.balancer.Add(address, func(context.Context) error { return m.Ready() })
	r := &probityReplica{certs: m, stop: sync.OnceFunc(func() {
		remove()
		closeServer()
		cancel()
		if err := <-done; err != nil {
			c.T.Error(err)
		}
	})}
	c.T.Cleanup(r.stop)
	return r
}

// serveReviews allows every review. It speaks HTTP/1.1 and ends each connection
// after an answer, so that every review is a handshake.
func serveReviews(t testing.TB, m *certs.Manager) (address string, stop func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{}
	m.TLS(config)
	config.NextProtos = []string{"http/1.1"}
	server := &http.Server{Handler: http.HandlerFunc(allow), ErrorLog: log.New(io.Discard, "", 0)}
	server.SetKeepAlivesEnabled(false)
	go func() {
		if err := server.Serve(tls.NewListener(listener, config)); !errors.Is(err, net.ErrClosed) && !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String(), func() {
		// What is connected is answered. The API server may keep a spare connection
		// on which it has sent nothing yet; closing it here would fail the request
		// that comes next, where HTTP/2, which serve speaks, announces its end.
		listener.Close()
	}
}

func allow(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	review.Request = nil
	_ = json.NewEncoder(w).Encode(review)
}

// shiftedClock runs as the real one does, at a distance from it.
type shiftedClock struct{ offset atomic.Int64 }

func (c *shiftedClock) Now() time.Time { return time.Now().Add(time.Duration(c.offset.Load())) }

func (c *shiftedClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }
