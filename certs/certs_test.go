package certs

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestOptionsThatCannotWorkAreRefused(t *testing.T) {
	missing := t.TempDir()
	for name, test := range map[string]struct {
		options Options
		want    string
	}{
		"a folder and a Secret": {
			Options{Dir: missing, Secret: secretName},
			"certificate: a folder and a Secret are both set; name the folder when something else makes the certificate, or the Secret when Probity does",
		},
		"a folder without files": {
			Options{Dir: missing},
			"certificate: read tls.crt and tls.key in " + missing + ": open " + missing + "/tls.crt: no such file or directory",
		},
		"a Secret without namespace": {
			Options{Secret: types.NamespacedName{Name: "cert"}, Service: serviceName},
			`certificate: the Secret needs a name and a namespace, got "/cert"`,
		},
		"no name to certify": {
			Options{Secret: secretName},
			"certificate: a Service or at least one extra host is required, so that there is a name to certify",
		},
		"a URL as host": {
			Options{Secret: secretName, ExtraHosts: []string{"https://localhost:9443"}},
			`certificate: host "https://localhost:9443" must be an IP address or a DNS name in lower case, without scheme and port: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(test.options)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestASelfManagedCertificateNamesTheServiceAndExtraHosts(t *testing.T) {
	m, err := New(Options{Secret: secretName, Service: serviceName, ExtraHosts: []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"probity.probity-system.svc", "probity.probity-system.svc.cluster.local", "127.0.0.1"}
	if diff := cmp.Diff(want, m.keeper.(*selfManaged).hosts); diff != "" {
		t.Error(diff)
	}
	if _, err := m.GetCertificate(nil); err == nil || err.Error() != "no serving certificate yet" {
		t.Errorf("certificate before the start: %v", err)
	}
	if !m.NotAfter().IsZero() {
		t.Errorf("it expires at %s before there is one", m.NotAfter())
	}
}

func TestAHandshakeAsAnAPIServerMakesIt(t *testing.T) {
	c := newCluster(t, 1, bothConfigurations()...)
	c.settled()
	m := &Manager{keeper: c.replicas[0]}
	if want := start.Add(90 * day); !m.NotAfter().Equal(want) {
		t.Errorf("it expires at %s, want %s", m.NotAfter(), want)
	}
	server := newServer(t, m.TLS)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(c.configurations()[0].webhooks()[0].client.CABundle)
	for _, name := range m.keeper.(*selfManaged).hosts {
		got := get(t, server, &tls.Config{RootCAs: roots, ServerName: name, Time: c.clock.Now})
		if want := (answer{Protocol: "HTTP/2.0", Version: tls.VersionTLS13}); got != want {
			t.Errorf("host %s: %+v, want %+v", name, got, want)
		}
	}
}

func TestOldProtocols(t *testing.T) {
	certificate, err := SelfSigned(time.Now(), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(t, certificate.TLS)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certificate.CA())
	got := get(t, server, &tls.Config{RootCAs: roots, MaxVersion: tls.VersionTLS12})
	if want := (answer{Protocol: "HTTP/2.0", Version: tls.VersionTLS12}); got != want {
		t.Errorf("TLS 1.2: %+v, want %+v", got, want)
	}
	_, err = tls.Dial("tcp", server, &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
	if want := "remote error: tls: protocol version not supported"; err == nil || err.Error() != want {
		t.Errorf("TLS 1.1: %v, want %s", err, want)
	}
}

type answer struct {
	Protocol string
	Version  uint16
}

// newServer serves over TLS as controller-runtime sets it up.
func newServer(t *testing.T, setUp func(*tls.Config)) (address string) {
	t.Helper()
	config := &tls.Config{}
	setUp(config)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{
		Handler:  http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
		ErrorLog: log.New(io.Discard, "", 0), // Refused handshakes are meant.
	}}
	server.Start()
	t.Cleanup(server.Close)
	return listener.Addr().String()
}

func get(t *testing.T, address string, config *tls.Config) answer {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Get("https://" + address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return answer{response.Proto, response.TLS.Version}
}

func TestASelfSignedCertificateIsWrittenForClients(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	certificate, err := SelfSigned(start, "localhost", "127.0.0.1", "::1")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // The second time over the files of the first.
		if err := certificate.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]os.FileMode{}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		modes[entry.Name()] = info.Mode()
	}
	if diff := cmp.Diff(map[string]os.FileMode{"tls.crt": 0o644, "tls.key": 0o600, "ca.crt": 0o644}, modes); diff != "" {
		t.Error(diff)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
	if err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := signedBy(pair.Leaf, start.Add(364*day), parseAuthorities(ca)...); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]net.IP{net.IPv4(127, 0, 0, 1).To4(), net.IPv6loopback}, pair.Leaf.IPAddresses); diff != "" {
		t.Error(diff)
	}
}

func TestASelfSignedCertificateNeedsAHost(t *testing.T) {
	for want, hosts := range map[string][]string{
		"certificate: at least one host is required": nil,
		`certificate: host "Local Host" must be an IP address or a DNS name in lower case, without scheme and port: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`: {"Local Host"},
	} {
		if _, err := SelfSigned(start, hosts...); err == nil || err.Error() != want {
			t.Errorf("hosts %q: %v", hosts, err)
		}
	}
}

func TestMountedFilesAreReadAgainWhenTheyChange(t *testing.T) {
	dir := t.TempDir()
	mount := func(version string, made time.Time) {
		certificate, err := SelfSigned(made, "localhost")
		if err != nil {
			t.Fatal(err)
		}
		if err := certificate.Write(filepath.Join(dir, version)); err != nil {
			t.Fatal(err)
		}
		// The kubelet turns one link to a new folder, so that both files change at once.
		link := filepath.Join(dir, "next")
		if err := os.Symlink(version, link); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(link, filepath.Join(dir, "..data")); err != nil {
			t.Fatal(err)
		}
	}
	mount("1", start)
	clock := clocktesting.NewFakePassiveClock(start)
	m, err := New(Options{Dir: filepath.Join(dir, "..data"), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Ready(); err != nil {
		t.Error(err)
	}
	clock.SetTime(start.Add(366 * day))
	if err := m.Ready(); err == nil || err.Error() != "serving certificate: it expired at 2027-01-01T12:00:00Z" {
		t.Errorf("ready with an expired certificate: %v", err)
	}
	mount("2", start.Add(366*day))
	if err := m.keeper.(*mounted).watcher.ReadCertificate(); err != nil {
		t.Fatal(err)
	}
	if err := m.Ready(); err != nil {
		t.Error(err)
	}
	if want := start.Add((366 + 365) * day); !m.NotAfter().Equal(want) {
		t.Errorf("it expires at %s, want %s", m.NotAfter(), want)
	}
}
