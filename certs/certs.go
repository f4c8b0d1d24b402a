package certs

import (
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Options say where the certificate comes from: Dir, or else the Secret.
type Options struct {
	// Dir is a folder with tls.crt and tls.key that something else keeps up to
	// date. Set, nothing is made or injected.
	Dir string

	// Secret keeps the certificate. Unless ReadOnly, it is made when it is missing.
	Secret types.NamespacedName
	// ReadOnly is for a Secret and configurations that something else, such as
	// cert-manager, writes: nothing is made or injected.
	ReadOnly bool
	// Service is what the API server calls: the certificate names it, and only
	// webhooks that call it, or a URL, get the authority.
	Service types.NamespacedName
	// ExtraHosts are further DNS names and IP addresses for the certificate.
	ExtraHosts []string
	// ValidatingConfiguration and MutatingConfiguration name the webhook
	// configurations that get the authority. Empty: there is none.
	ValidatingConfiguration string
	MutatingConfiguration   string

	// Clock is the real one when nil.
	Clock clock.PassiveClock
}

// hosts returns the names that the certificate must have. It checks the options
// that name the Secret too.
func (o Options) hosts() ([]string, error) {
	hosts := o.ExtraHosts
	if s := o.Service; s.Name != "" {
		called := s.Name + "." + s.Namespace + ".svc" // what the API server asks for
		names := []string{called}
		if !o.ReadOnly {
			names = append(names, called+".cluster.local") // for people
		}
		hosts = append(names, hosts...)
	}
	if len(hosts) == 0 {
		return nil, errors.New("certificate: a Service or at least one extra host is required, so that there is a name to certify")
	}
	if err := checkHosts(hosts); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	if o.Secret.Name == "" || o.Secret.Namespace == "" {
		return nil, fmt.Errorf("certificate: the Secret needs a name and a namespace, got %q", o.Secret)
	}
	return hosts, nil
}

// Manager serves a certificate and keeps it in force. Its methods, but for
// SetupWithManager, may be called from many goroutines.
type Manager struct{ keeper keeper }

// keeper is one of the three ways.
type keeper interface {
	setup(manager.Manager) error
	getCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error)
	ready() error
	notAfter() time.Time
}

// New checks the options. In mounted mode the files must be there already.
func New(o Options) (*Manager, error) {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Dir == "" && o.ReadOnly {
		f, err := newFollowed(o)
		if err != nil {
			return nil, err
		}
		return &Manager{keeper: f}, nil
	}
	if o.Dir == "" {
		s, err := newSelfManaged(o)
		if err != nil {
			return nil, err
		}
		return &Manager{keeper: s}, nil
	}
	if o.Secret.Name != "" {
		return nil, errors.New("certificate: a folder and a Secret are both set; name the folder when something else makes the certificate, or the Secret when Probity does")
	}
	s, err := newMounted(o)
	if err != nil {
		return nil, err
	}
	return &Manager{keeper: s}, nil
}

// SetupWithManager adds what keeps the certificate in force. It runs on every
// replica, leader or not.
func (m *Manager) SetupWithManager(mgr manager.Manager) error { return m.keeper.setup(mgr) }

// GetCertificate is for tls.Config. It fails until there is a certificate.
func (m *Manager) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	return m.keeper.getCertificate(hello)
}

// Ready is nil once a certificate in force is served and, unless it comes from a
// folder, the webhook configurations that exist trust it; else it says what is
// missing. It looks at what this process knows and asks nobody.
func (m *Manager) Ready() error { return m.keeper.ready() }

// NotAfter is when the certificate that is served expires; zero when there is
// none yet.
func (m *Manager) NotAfter() time.Time { return m.keeper.notAfter() }

// TLS sets up a server for this certificate; it fits controller-runtime's
// webhook.Options.TLSOpts.
func (m *Manager) TLS(c *tls.Config) {
	SecureTLS(c)
	c.GetCertificate = m.GetCertificate
}

// SecureTLS asks for TLS 1.2 at least, with 1.3 wherever the client has it, and
// offers HTTP/2. The cipher suites are Go's, which follow what is known.
func SecureTLS(c *tls.Config) {
	c.MinVersion = tls.VersionTLS12
	c.NextProtos = []string{"h2", "http/1.1"}
}
