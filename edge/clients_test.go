package edge_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/probity-dev/probity/edge"
)

// authority signs certificates of clients.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	a.certificate = sign(t, template, template, &a.key.PublicKey, a.key)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t *testing.T, template, parent *x509.Certificate, public *ecdsa.PublicKey, key *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// client returns a certificate, which edit may make worse.
func (a *authority) client(t *testing.T, name string, edit func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if edit != nil {
		edit(template)
	}
	key := newKey(t)
	certificate := sign(t, template, a.certificate, &key.PublicKey, a.key)
	return tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key}
}

// write writes the certificates of authorities as --client-ca takes them.
func write(t *testing.T, file string, all ...*authority) {
	t.Helper()
	var text []byte
	for _, a := range all {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})...)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func newClients(t *testing.T, file string, names ...string) *edge.Clients {
	t.Helper()
	clients, err := edge.NewClients(file, names, logr.Discard(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	return clients
}

func TestOnlyKnownClientsPostReviews(t *testing.T) {
	known, other := newAuthority(t, "known"), newAuthority(t, "other")
	file := filepath.Join(t.TempDir(), "ca.crt")
	write(t, file, known)
	expired := func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }
	server := func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} }
	dns := func(c *x509.Certificate) { c.DNSNames = []string{"api-server"} }
	tests := []struct {
		name string
		own  []tls.Certificate
		code int
		want string
	}{
		{"an API server", []tls.Certificate{known.client(t, "api-server", nil)}, 200, allowed},
		{"one with the name among DNS names", []tls.Certificate{known.client(t, "x", dns)}, 200, allowed},
		{"nobody", nil, 403, "a client certificate is required, and none was presented: reviews are taken only from API servers, whose AdmissionConfiguration names a kubeConfigFile with the certificate"},
		{"another name", []tls.Certificate{known.client(t, "kubelet", nil)}, 403, `the client certificate is for "kubelet", which may not post reviews: must be for api-server or second`},
		{"another authority", []tls.Certificate{other.client(t, "api-server", nil)}, 403, `the client certificate of "api-server" is not accepted: x509: certificate signed by unknown authority`},
		{"an expired certificate", []tls.Certificate{known.client(t, "api-server", expired)}, 403, `the client certificate of "api-server" is not accepted: x509: certificate has expired`},
		{"a certificate for servers", []tls.Certificate{known.client(t, "api-server", server)}, 403, `the client certificate of "api-server" is not accepted: x509: certificate specifies an incompatible key usage`},
	}
	r := start(t, newClients(t, file, "api-server", "second"))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := r.client(t, tt.own...)
			for range 2 { // the second answer is from memory
				code, answer := r.post(t, client, []byte(review))
				if code != tt.code || !strings.HasPrefix(answer, tt.want) {
					t.Errorf("got %d %s\nwant %d %s", code, answer, tt.code, tt.want)
				}
			}
			// Who asks for health has no certificate.
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+r.addr+"/livez", nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if response.StatusCode != http.StatusOK {
				t.Errorf("/livez gives %s", response.Status)
			}
		})
	}
	if n := r.metric(t, "probity_http_refused_total"); n != 10 {
		t.Errorf("counted %v refusals, want 10", n)
	}
	told := r.told()
	if len(told) != 10 {
		t.Errorf("%d lines in the log, want 10: %q", len(told), told)
	}
	line := regexp.MustCompile(`^"level"=0 "msg"="client refused" "reason"="a client certificate is required, .*" "path"="/validate" "from"="127\.0\.0\.1:\d+"$`)
	if !slices.ContainsFunc(told, line.MatchString) {
		t.Errorf("no line matches %s: %q", line, told)
	}
}

// TestAuthorityIsReadAgain: for connections that are open already, too. A bad file
// changes nothing but the metric.
func TestAuthorityIsReadAgain(t *testing.T) {
	before, after := newAuthority(t, "before"), newAuthority(t, "after")
	file := filepath.Join(t.TempDir(), "ca.crt")
	write(t, file, before)
	registry := prometheus.NewRegistry()
	clients, err := edge.NewClients(file, nil, logr.Discard(), registry)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { _ = clients.Start(ctx) }()
	r := start(t, clients)
	old, renewed := r.client(t, before.client(t, "a", nil)), r.client(t, after.client(t, "a", nil))
	codes := func(want1, want2 int) func() bool {
		return func() bool {
			code1, _ := r.post(t, old, []byte(review))
			code2, _ := r.post(t, renewed, []byte(review))
			return code1 == want1 && code2 == want2
		}
	}
	eventually(t, codes(200, 403))
	write(t, file, before, after)
	eventually(t, codes(200, 200))
	if err := os.WriteFile(file, []byte("-----BEGIN CERTIFICATE-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const good = "probity_client_ca_last_reload_successful"
	eventually(t, func() bool { return metric(t, registry, good) == 0 })
	if !codes(200, 200)() {
		t.Error("a bad file took the last good one's place")
	}
	write(t, file, after)
	eventually(t, codes(403, 200))
	eventually(t, func() bool { return metric(t, registry, good) == 1 })
}

func TestAuthoritiesThatAreBad(t *testing.T) {
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")})
	whole := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: newAuthority(t, "a").certificate.Raw}))
	tests := []struct{ name, text, want string }{
		{"nothing", "", "holds no certificate in PEM"},
		{"text", "hello", "holds no certificate in PEM"},
		{"a key", string(key), "holds a PRIVATE KEY in PEM: must hold certificates only"},
		{"no certificate inside", strings.ReplaceAll(string(key), "PRIVATE KEY", "CERTIFICATE"), "certificate 1: x509: malformed certificate"},
		{"one that is half written after a whole one", whole + whole[:len(whole)/2], "holds 2 blocks of PEM of which 1 can be read: must hold whole certificates only"},
		{"one that is damaged before a whole one", strings.Replace(whole, "M", "!", 1) + whole, "holds 2 blocks of PEM of which 1 can be read: must hold whole certificates only"},
		{"too much", strings.Repeat(" ", 1<<20+1), "is over the limit of 1048576 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "ca.crt")
			if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := edge.NewClients(file, nil, logr.Discard(), prometheus.NewRegistry())
			if err == nil || !strings.HasSuffix(err.Error(), ": "+tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := edge.NewClients(filepath.Join(t.TempDir(), "gone"), nil, logr.Discard(), prometheus.NewRegistry()); err == nil {
		t.Error("a file that does not exist is taken")
	}
}

// TestManyConnectionsShutNobodyOut: idle connections beyond the limit make room, so
// whoever comes is answered.
func TestManyConnectionsShutNobodyOut(t *testing.T) {
	r := start(t, nil)
	for range 600 {
		r.peer(t) // says what it wants to speak, and then nothing
	}
	r.answers(t)
	if n := r.metric(t, "probity_http_refused_total"); n < 80 {
		t.Errorf("counted %v refusals, want one for each connection over 512", n)
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	r := start(t, nil)
	for version, works := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		config := &tls.Config{RootCAs: r.roots, MinVersion: version, MaxVersion: version}
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", r.addr)
		if (err == nil) != works {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
		if err == nil {
			conn.Close()
		}
	}
}
