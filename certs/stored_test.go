package certs

import (
	"crypto/x509"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	hosts = []string{"probity.probity-system.svc", "127.0.0.1"}
)

const day = 24 * time.Hour

// fresh is what a first replica stores at the start.
func fresh(t testing.TB) *stored {
	t.Helper()
	s, err := (&stored{}).renewed(start, hosts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func dataOf(t testing.TB, s *stored) map[string][]byte {
	t.Helper()
	data, err := s.data()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFreshContentIsWhatAnAPIServerAccepts(t *testing.T) {
	s := fresh(t)
	leaf := s.leaf.Leaf
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(s.bundle())
	for _, host := range hosts {
		if _, err := leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: start}); err != nil {
			t.Errorf("host %s: %v", host, err)
		}
	}
	type facts struct {
		DNSNames       []string
		IPs            []net.IP
		From, To       time.Time
		CAFrom, CATo   time.Time
		LeafIsCA, IsCA bool
		Signature      x509.SignatureAlgorithm
	}
	got := facts{
		leaf.DNSNames, leaf.IPAddresses, leaf.NotBefore, leaf.NotAfter,
		s.authority.cert.NotBefore, s.authority.cert.NotAfter, leaf.IsCA, s.authority.cert.IsCA, leaf.SignatureAlgorithm,
	}
	want := facts{
		[]string{hosts[0]},
		[]net.IP{net.IPv4(127, 0, 0, 1).To4()},
		start.Add(-time.Hour), start.Add(90 * day),
		start.Add(-time.Hour), start.Add(365 * day), false, true, x509.ECDSAWithSHA256,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestStoredContentSurvivesTheSecret(t *testing.T) {
	s := fresh(t)
	s.previous = []*x509.Certificate{fresh(t).authority.cert, fresh(t).authority.cert}
	data := dataOf(t, s)
	got, err := open(data, start, hosts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(data, dataOf(t, got)); diff != "" {
		t.Error(diff)
	}
}

// outcome is what happens to content: which parts are replaced.
type outcome struct {
	Fault                         string // the start of the message, empty for sound content
	NewAuthority, NewLeaf         bool
	KeepsOldAuthority, KeepsOlder bool // in the bundle
}

func TestContentIsReplacedAsFarAsItIsUnsound(t *testing.T) {
	old, older, other := fresh(t), fresh(t), fresh(t)
	old.previous = []*x509.Certificate{older.authority.cert}
	with := func(changes map[string]string) map[string][]byte {
		data := dataOf(t, old)
		for key, value := range changes {
			data[key] = []byte(value)
		}
		return data
	}
	otherData := dataOf(t, other)
	from := func(keys ...string) map[string][]byte {
		data := dataOf(t, old)
		for _, key := range keys {
			data[key] = otherData[key]
		}
		return data
	}
	for name, test := range map[string]struct {
		data map[string][]byte
		at   time.Time
		want outcome
	}{
		"sound content stays": {
			data: with(nil),
			want: outcome{KeepsOldAuthority: true, KeepsOlder: true},
		},
		"no data at all": {
			want: outcome{Fault: "ca.crt and ca.key: ", NewAuthority: true, NewLeaf: true},
		},
		"the authority is garbage": {
			data: with(map[string]string{"ca.crt": "garbage"}),
			want: outcome{Fault: "ca.crt and ca.key: ", NewAuthority: true, NewLeaf: true, KeepsOlder: true},
		},
		"the authority's key is garbage: its certificate is still trusted": {
			data: with(map[string]string{"ca.key": "garbage"}),
			want: outcome{Fault: "ca.crt and ca.key: ", NewAuthority: true, NewLeaf: true, KeepsOldAuthority: true, KeepsOlder: true},
		},
		"the authority is a leaf": {
			data: with(map[string]string{"ca.crt": string(otherData["tls.crt"]), "ca.key": string(otherData["tls.key"])}),
			want: outcome{Fault: "ca.crt: it is not a certificate authority", NewAuthority: true, NewLeaf: true, KeepsOlder: true},
		},
		"the leaf is garbage": {
			data: with(map[string]string{"tls.crt": "garbage"}),
			want: outcome{Fault: "tls.crt and tls.key: ", NewLeaf: true, KeepsOldAuthority: true, KeepsOlder: true},
		},
		"the leaf's key belongs to another leaf": {
			data: from("tls.key"),
			want: outcome{Fault: "tls.crt and tls.key: ", NewLeaf: true, KeepsOldAuthority: true, KeepsOlder: true},
		},
		"another authority signed the leaf": {
			data: from("tls.crt", "tls.key"),
			want: outcome{Fault: "tls.crt: x509: certificate signed by unknown authority", NewLeaf: true, KeepsOldAuthority: true, KeepsOlder: true},
		},
		"garbage instead of previous authorities is dropped": {
			data: with(map[string]string{"previous-ca.crt": "garbage"}),
			want: outcome{KeepsOldAuthority: true},
		},
		"a day on, the previous authority goes": {
			data: with(nil), at: start.Add(day + time.Second),
			want: outcome{KeepsOldAuthority: true},
		},
		"before two thirds of the leaf's life": {
			data: with(nil), at: start.Add(60*day - time.Hour),
			want: outcome{KeepsOldAuthority: true},
		},
		"at two thirds of the leaf's life": {
			data: with(nil), at: start.Add(60 * day),
			want: outcome{NewLeaf: true, KeepsOldAuthority: true},
		},
		"the leaf has expired": {
			data: with(nil), at: start.Add(90*day + time.Second),
			want: outcome{Fault: "tls.crt: it expired at 2026-04-01T12:00:00Z", NewLeaf: true, KeepsOldAuthority: true},
		},
		"the clock is before the authority": {
			data: with(nil), at: start.Add(-2 * time.Hour),
			want: outcome{
				Fault:        "ca.crt: it counts only from 2026-01-01T11:00:00Z, and it is 2026-01-01T10:00:00Z",
				NewAuthority: true, NewLeaf: true, KeepsOldAuthority: true, KeepsOlder: true,
			},
		},
		"the authority has expired: nobody trusts it any more": {
			data: with(nil), at: start.Add(366 * day),
			want: outcome{Fault: "ca.crt: it expired at 2027-01-01T12:00:00Z", NewAuthority: true, NewLeaf: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if test.at.IsZero() {
				test.at = start
			}
			content, fault := open(test.data, test.at, hosts)
			next, err := content.renewed(test.at, hosts, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := outcome{
				NewAuthority:      !next.authority.cert.Equal(old.authority.cert),
				NewLeaf:           !next.leaf.Leaf.Equal(old.leaf.Leaf),
				KeepsOldAuthority: slices.ContainsFunc(parseAuthorities(next.bundle()), old.authority.cert.Equal),
				KeepsOlder:        slices.ContainsFunc(parseAuthorities(next.bundle()), older.authority.cert.Equal),
			}
			if fault != nil {
				got.Fault = fault.Error()
				if strings.HasPrefix(got.Fault, test.want.Fault) && test.want.Fault != "" {
					got.Fault = test.want.Fault
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if _, err := open(dataOf(t, next), test.at, hosts); err != nil {
				t.Errorf("what replaces it is unsound as well: %v", err)
			}
		})
	}
}

func TestReasonsToRenew(t *testing.T) {
	s := fresh(t)
	s.previous = []*x509.Certificate{fresh(t).authority.cert}
	got := map[string]string{}
	for name, at := range map[string]time.Time{
		"at once":        start,
		"after a day":    start.Add(day + time.Second),
		"after 60 days":  start.Add(60 * day),
		"after 243 days": start.Add(244 * day),
	} {
		got[name] = s.due(at)
	}
	want := map[string]string{
		"at once":        "",
		"after a day":    "no replica serves a certificate of the previous authority any more",
		"after 60 days":  "two thirds of the certificate's lifetime are over",
		"after 243 days": "two thirds of the authority's lifetime are over",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReplicasThatWantOtherNamesDoNotReplaceInTurns(t *testing.T) {
	names := map[string][]string{"old": {"old.svc", "10.0.0.1"}, "new": {"new.svc", "127.0.0.1"}}
	data := map[string][]byte{}
	written := 0
	for range 5 {
		for _, replica := range slices.Sorted(maps.Keys(names)) {
			content, fault := open(data, start, names[replica])
			if fault == nil {
				continue
			}
			next, err := content.renewed(start, names[replica], nil)
			if err != nil {
				t.Fatal(err)
			}
			data = dataOf(t, next)
			written++
		}
	}
	if written != 2 {
		t.Errorf("written %d times, want once for each replica", written)
	}
	content, _ := open(data, start.Add(60*day), names["new"])
	next, err := content.renewed(start.Add(60*day), names["new"], nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"new.svc"}, next.leaf.Leaf.DNSNames); diff != "" {
		t.Errorf("a renewal keeps names that nobody asks for:\n%s", diff)
	}
}

func TestTheBundleIsBounded(t *testing.T) {
	s := fresh(t)
	var known []*x509.Certificate
	for range 2 * maxPrevious {
		known = append(known, fresh(t).authority.cert)
	}
	next, err := s.renewed(start.Add(244*day), hosts, append(known, known...))
	if err != nil {
		t.Fatal(err)
	}
	got := parseAuthorities(next.bundle())
	want := append([]*x509.Certificate{next.authority.cert, s.authority.cert}, known[:maxPrevious-1]...)
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *x509.Certificate) bool { return a.Equal(b) })); diff != "" {
		t.Error(diff)
	}
}
