package edge

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/probity-dev/probity/escape"
)

// caInterval is how often the file of the authority is looked at; it is in a
// volume that the kubelet brings up to date within a minute or so.
const caInterval = 5 * time.Second

// maxCASize bounds that file: some hundred certificates.
const maxCASize = 1 << 20

// Clients knows who may post reviews: holders of a certificate for TLS clients that
// an authority of a file has signed.
//
// The handshake asks for a certificate and takes any or none, and each request is
// checked by what the file says then. So a refusal has words, paths can differ, and
// a changed file holds for connections that are open already.
type Clients struct {
	path string
	// names, unless empty, are the common names and DNS names that may call.
	names []string
	now   func() time.Time
	log   logr.Logger
	good  prometheus.Gauge
	held  atomic.Pointer[authorities]
	seen  []byte
}

// authorities are those of the file at one time.
type authorities struct{ pool *x509.CertPool }

// NewClients reads the file for the first time. Start reads it again when it has
// changed. A metric in the registry says whether the file is good.
func NewClients(path string, names []string, log logr.Logger, registry prometheus.Registerer) (*Clients, error) {
	c := &Clients{path: path, names: names, now: time.Now, log: log, good: prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "probity_client_ca_last_reload_successful",
		Help: "1 when the file of --client-ca is what clients are checked by, 0 when it is bad or gone and the last good one stays.",
	})}
	if err := c.read(); err != nil {
		return nil, err
	}
	registry.MustRegister(c.good)
	return c, nil
}

// NeedLeaderElection is false: every replica is called.
func (c *Clients) NeedLeaderElection() bool { return false }

// Start looks at the file until ctx ends.
func (c *Clients) Start(ctx context.Context) error {
	tick := time.NewTicker(caInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			c.look()
		}
	}
}

// look reads the file again. A bad one is told of once.
func (c *Clients) look() {
	before := c.held.Load()
	err := c.read()
	switch {
	case err != nil && c.seen != nil:
		c.seen = nil // a good one, be it the old one, is news after this
		c.good.Set(0)
		c.log.Error(err, "certificate authority of clients is bad, the last good one stays")
	case err == nil && before != c.held.Load():
		c.log.Info("certificate authority of clients taken", "file", c.path)
	}
}

func (c *Clients) read() error {
	file, err := os.Open(c.path)
	if err != nil {
		return fmt.Errorf("certificate authority of clients: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxCASize+1))
	if err != nil {
		return fmt.Errorf("certificate authority of clients: %w", err)
	}
	if c.seen != nil && bytes.Equal(text, c.seen) {
		return nil
	}
	pool, err := parseAuthorities(text)
	if err != nil {
		return fmt.Errorf("certificate authority of clients: %s: %w", c.path, err)
	}
	c.seen = text
	c.held.Store(&authorities{pool})
	c.good.Set(1)
	return nil
}

// parseAuthorities reads certificates in PEM, and is strict: one that is left out by
// mistake, or as its file is only half written, would lock an API server out. Comments
// may stand between them.
func parseAuthorities(text []byte) (*x509.CertPool, error) {
	if len(text) > maxCASize {
		return nil, fmt.Errorf("is over the limit of %d bytes", maxCASize)
	}
	pool, n := x509.NewCertPool(), 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("holds a %s in PEM: must hold certificates only", block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d: %w", n+1, err)
		}
		pool.AddCert(certificate)
		n++
	}
	switch begun := bytes.Count(text, []byte("-----BEGIN ")); {
	case begun != n: // pem.Decode passes over what it cannot read
		return nil, fmt.Errorf("holds %d blocks of PEM of which %d can be read: must hold whole certificates only", begun, n)
	case n == 0:
		return nil, errors.New("holds no certificate in PEM")
	}
	return pool, nil
}

// verdictKey finds the verdict of a connection in the context of its requests.
type verdictKey struct{}

// verdict is what was found of the certificate of one connection.
type verdict struct{ last atomic.Pointer[checked] }

type checked struct {
	by    *authorities
	until time.Time
	err   error
}

// require lets through only requests of clients that may call.
func (c *Clients) require(next http.Handler, refused func(*http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.check(r); err != nil {
			refused(r, err)
			http.Error(w, escape.Text(err.Error()), http.StatusForbidden) // the name is the client's to choose
			return
		}
		next.ServeHTTP(w, r)
	})
}

// check verifies the certificate of a request's connection. That is done once for
// each connection, and again when the file has changed or a certificate has ended.
func (c *Clients) check(r *http.Request) error {
	by, now := c.held.Load(), c.now()
	known, _ := r.Context().Value(verdictKey{}).(*verdict)
	if known != nil {
		if last := known.last.Load(); last != nil && last.by == by && now.Before(last.until) {
			return last.err
		}
	}
	until, err := c.verify(r, by.pool, now)
	if known != nil {
		known.last.Store(&checked{by: by, until: until, err: err})
	}
	return err
}

// recheck is how long a refusal holds: a clock may be put right.
const recheck = time.Second

func (c *Clients) verify(r *http.Request, roots *x509.CertPool, now time.Time) (until time.Time, err error) {
	until = now.Add(recheck)
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return until, errors.New("a client certificate is required, and none was presented: " +
			"reviews are taken only from API servers, whose AdmissionConfiguration names a kubeConfigFile with the certificate")
	}
	leaf, intermediates := r.TLS.PeerCertificates[0], x509.NewCertPool()
	for _, further := range r.TLS.PeerCertificates[1:] {
		intermediates.AddCert(further)
	}
	chains, err := leaf.Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: intermediates, CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return until, fmt.Errorf("the client certificate of %q is not accepted: %w", leaf.Subject.CommonName, err)
	}
	if !c.named(leaf) {
		return until, fmt.Errorf("the client certificate is for %q, which may not post reviews: must be for %s", leaf.Subject.CommonName, strings.Join(c.names, " or "))
	}
	for i, chain := range chains {
		end := chain[0].NotAfter
		for _, certificate := range chain[1:] {
			if certificate.NotAfter.Before(end) {
				end = certificate.NotAfter
			}
		}
		if i == 0 || end.After(until) {
			until = end
		}
	}
	return until, nil
}

func (c *Clients) named(leaf *x509.Certificate) bool {
	return len(c.names) == 0 || slices.Contains(c.names, leaf.Subject.CommonName) ||
		slices.ContainsFunc(leaf.DNSNames, func(name string) bool { return slices.Contains(c.names, name) })
}
