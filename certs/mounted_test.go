package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestABrokenFolderKeepsTheLastGoodCertificate breaks a folder under a server that
// watches it, and mends it again.
func TestABrokenFolderKeepsTheLastGoodCertificate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "certs")
	write := func() *SelfSignedCertificate {
		t.Helper()
		certificate, err := SelfSigned(time.Now(), "127.0.0.1")
		if err == nil {
			err = certificate.Write(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		return certificate
	}
	if _, err := New(Options{Dir: dir}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there at the start: %v", err)
	}
	good := write()
	m, err := New(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- m.keeper.(*mounted).watcher.Start(ctx) }()
	address := newServer(t, m.TLS)
	served := func() []byte {
		t.Helper()
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}) // what it serves is compared
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		return conn.ConnectionState().PeerCertificates[0].Raw
	}
	crt, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	tests := []struct {
		name   string
		breaks func() error
	}{
		{"half of the certificate is written", func() error { return os.Truncate(crt, 300) }},
		{"the disk was full", func() error { return errors.Join(os.Truncate(crt, 0), os.Truncate(key, 0)) }},
		{"a key of another certificate", func() error {
			other, err := SelfSigned(time.Now(), "127.0.0.1")
			if err != nil {
				return err
			}
			before, err := os.ReadFile(crt)
			if err != nil {
				return err
			}
			return errors.Join(other.Write(dir), os.WriteFile(crt, before, 0o600))
		}},
		{"the key cannot be read", func() error { return errors.Join(os.Remove(key), os.Mkdir(key, 0o700)) }},
		{"the folder goes", func() error { return os.RemoveAll(dir) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.breaks(); err != nil {
				t.Fatal(err)
			}
			if err := m.keeper.(*mounted).watcher.ReadCertificate(); err == nil {
				t.Error("it was read")
			}
			if err := m.Ready(); err != nil {
				t.Errorf("not ready: %v", err)
			}
			if string(served()) != string(good.certificate.Leaf.Raw) {
				t.Error("another certificate is served")
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			good = write()
			if err := m.keeper.(*mounted).watcher.ReadCertificate(); err != nil {
				t.Fatal(err)
			}
			if string(served()) != string(good.certificate.Leaf.Raw) {
				t.Error("the new certificate is not served")
			}
		})
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
