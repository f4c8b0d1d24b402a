package certs

import (
	"bytes"
	"crypto/x509"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// FuzzSecret: whatever the Secret holds, what is taken for sound serves every host, what
// replaces it is sound and stays as it is, and an authority that clients may know stays
// in the bundle until it expires.
func FuzzSecret(f *testing.F) {
	sound, other := fresh(f), fresh(f)
	sound.previous = []*x509.Certificate{other.authority.cert}
	data, foreign := dataOf(f, sound), dataOf(f, other)
	add := func(data map[string][]byte, hours uint32) {
		f.Add(data[keyCert], data[keyKey], data[keyAuthority], data[keyAuthorityKey], data[keyPrevious], hours)
	}
	for _, hours := range []uint32{0, 1, 24 * 30, 24 * 365, 24 * 3650} {
		add(data, hours)
	}
	add(nil, 0)
	add(map[string][]byte{keyCert: foreign[keyCert], keyKey: foreign[keyKey], keyAuthority: data[keyAuthority], keyAuthorityKey: data[keyAuthorityKey]}, 5)
	add(map[string][]byte{keyCert: data[keyAuthority], keyKey: data[keyAuthorityKey], keyAuthority: data[keyCert], keyAuthorityKey: data[keyKey], keyPrevious: bytes.Repeat(data[keyPrevious], 12)}, 5)
	add(map[string][]byte{keyAuthority: slices.Concat([]byte("text\n"), data[keyCert], data[keyAuthority]), keyAuthorityKey: data[keyAuthorityKey], keyPrevious: []byte("-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----\n")}, 5)
	f.Fuzz(func(t *testing.T, cert, key, authority, authorityKey, previous []byte, hours uint32) {
		now := start.Add(time.Duration(hours%(24*4000)) * time.Hour)
		data := map[string][]byte{keyCert: cert, keyKey: key, keyAuthority: authority, keyAuthorityKey: authorityKey, keyPrevious: previous}
		s, err := open(data, now, hosts)
		if err == nil {
			serves(t, s, now)
		}
		next, err := s.renewed(now, hosts, nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := open(dataOf(t, next), now, hosts)
		if err != nil {
			t.Fatalf("what was renewed is not sound: %v", err)
		}
		serves(t, again, now)
		if why := again.due(now); why != "" {
			t.Errorf("what was renewed is due: %s", why)
		}
		if diff := cmp.Diff(next.bundle(), again.bundle()); diff != "" {
			t.Error(diff)
		}
		trusted := append([]*x509.Certificate{again.authority.cert}, again.previous...)
		if len(trusted) > maxPrevious {
			return // an old one may have made way
		}
		for _, known := range parseAuthorities(authority) {
			if !now.After(known.NotAfter) && !slices.ContainsFunc(trusted, known.Equal) && s.authority == nil {
				t.Errorf("clients that know %s are left alone", known.Subject)
			}
		}
	})
}

// serves fails unless an API server that knows the bundle takes the certificate for every
// host.
func serves(t *testing.T, s *stored, now time.Time) {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(s.bundle()) {
		t.Fatal("the bundle holds nothing")
	}
	for _, host := range hosts {
		if _, err := s.leaf.Leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now, DNSName: host}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}
