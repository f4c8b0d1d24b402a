package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// freeAddress is one that nothing listened on a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestServeStopsWhileItStillWaitsForTheCluster, which answers nothing but errors.
func TestServeStopsWhileItStillWaitsForTheCluster(t *testing.T) {
	asked := make(chan struct{})
	var once sync.Once
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/namespaces") {
			once.Do(func() { close(asked) })
		}
		http.Error(w, "etcd is away", http.StatusServiceUnavailable)
	}))
	t.Cleanup(api.Close)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: test, clusters: [{name: test, cluster: {server: %q}}], contexts: [{name: test, context: {cluster: test}}]}`, api.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	health, metrics := freeAddress(t), freeAddress(t)
	var out, errOut bytes.Buffer
	root := newRoot(program{name: "probity", stdin: strings.NewReader(""), stdout: stream{&out, 0}, stderr: stream{&errOut, 0}, getenv: func(string) string { return "" }})
	root.SetArgs([]string{
		"serve", "--kubeconfig", kubeconfig, "--namespace", "probity-system",
		"--addr", freeAddress(t), "--health-addr", health, "--metrics-addr", metrics, "--shutdown-delay", "0",
	})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	await := func(what string, c <-chan struct{}) {
		select {
		case <-c:
		case err := <-ended:
			t.Fatalf("serve ended before %s: %v\n%s%s", what, err, &out, &errOut)
		case <-time.After(time.Minute):
			t.Fatalf("no %s within a minute", what)
		}
	}
	await("question for the namespaces", asked)
	for url, want := range map[string]int{
		health + "/livez":    http.StatusOK,
		health + "/readyz":   http.StatusServiceUnavailable,
		health + "/validate": http.StatusNotFound,
		metrics + "/metrics": http.StatusOK,
	} {
		if got := status(t, "http://"+url, ""); got != want {
			t.Errorf("%s: status %d, want %d", url, got, want)
		}
		if got := status(t, "http://"+url, strings.Repeat("x", 24<<10)); got != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("%s with 24 KiB of headers: status %d", url, got)
		}
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("stopped: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("serve was told to stop and runs still")
	}
}

// status asks with a header that has a value.
func status(t *testing.T, url, value string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Test", value)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}
