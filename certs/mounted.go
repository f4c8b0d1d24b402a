package certs

import (
	"crypto/tls"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// mounted serves files that something else keeps up to date. They are read
// again when they change, and every ten seconds for what notification misses.
type mounted struct {
	watcher *certwatcher.CertWatcher
	clock   clock.PassiveClock
}

func newMounted(o Options) (*mounted, error) {
	watcher, err := certwatcher.New(filepath.Join(o.Dir, keyCert), filepath.Join(o.Dir, keyKey))
	if err != nil {
		return nil, fmt.Errorf("certificate: read %s and %s in %s: %w", keyCert, keyKey, o.Dir, err)
	}
	return &mounted{watcher: watcher, clock: o.Clock}, nil
}

func (m *mounted) setup(mgr manager.Manager) error {
	if err := mgr.Add(m.watcher); err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	return nil
}

func (m *mounted) getCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	certificate, err := m.watcher.GetCertificate(hello)
	if err == nil && certificate == nil {
		return nil, errors.New("no serving certificate yet")
	}
	return certificate, err
}

func (m *mounted) ready() error {
	certificate, err := m.getCertificate(nil)
	if err != nil {
		return err
	}
	if err := inForce(certificate.Leaf, m.clock.Now()); err != nil {
		return fmt.Errorf("serving certificate: %w", err)
	}
	return nil
}

func (m *mounted) notAfter() time.Time {
	certificate, err := m.getCertificate(nil)
	if err != nil {
		return time.Time{}
	}
	return certificate.Leaf.NotAfter
}
