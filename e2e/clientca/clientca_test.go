// Package clientca tests on a real API server that, with --client-ca, only one that
// presents a certificate gets its reviews answered, by the instructions of
// docs/operations.md.
package clientca

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probity-dev/probity/docs/markdown"
	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

// clientName is the common name of the API server's certificate, which the cluster's
// own authority signs, as that of every user and kubelet.
const clientName = "admission-client"

func TestOnlyAnAPIServerWithACertificateIsAnswered(t *testing.T) {
	local := start(t)
	s := suite.New(t, local.ControlPlane, "clients", "probity.dev/mode=enforce")
	fine := suite.Deployment("fine", 1, suite.AsksItself)

	// The API server presents nothing yet, and no workload goes unjudged.
	s.Await("a refusal with its reason", func(context.Context) error {
		_, stderr, err := s.Kubectl(fine, "create", "-f", "-")
		const want = `failed calling webhook "workloads.validate.probity.dev"`
		const why = "a client certificate is required, and none was presented: reviews are taken only from API servers, " +
			"whose AdmissionConfiguration names a kubeConfigFile with the certificate"
		switch {
		case err == nil:
			t.Fatal("a Deployment was made without a review")
		case !strings.Contains(stderr, want) || !strings.Contains(stderr, why):
			return errors.New(stderr)
		}
		t.Log(stderr)
		return nil
	})

	before := refused(t, local)
	if before == 0 {
		t.Error("no refusal is counted")
	}
	restart(t, local, writeAdmission(t, local, clientName))
	s.Await("a review that passes", func(context.Context) error { return said(s.Kubectl(fine, "create", "-f", "-")) })
	if stdout, _ := s.Must("", "get", "deployment", "fine", "-o", "jsonpath={.spec.template.spec.containers[0].startupProbe}"); stdout == "" {
		t.Error("the webhook that injects was not called, or was refused")
	}
	_, stderr, err := s.Kubectl(suite.Deployment("faulty", 1, suite.AsksDatabase), "create", "-f", "-")
	if err == nil || !strings.Contains(stderr, "denied the request") {
		t.Errorf("a faulty Deployment gave %v: %s", err, stderr)
	}
	if after := refused(t, local); after != before {
		t.Errorf("%v requests with the certificate were refused", after-before)
	}

	// A kubelet's or a user's certificate is of the same authority.
	restart(t, local, writeAdmission(t, local, "some-user"))
	s.Await("a refusal of another name", func(context.Context) error {
		_, stderr, err := s.Kubectl("", "scale", "deployment", "fine", "--replicas=2")
		if err != nil {
			t.Errorf("to scale is not reviewed, and yet: %s", stderr)
		}
		_, stderr, err = s.Kubectl(suite.Deployment("other", 1, suite.AsksItself), "create", "-f", "-")
		const want = `the client certificate is for "some-user", which may not post reviews: must be for ` + clientName
		if err == nil || !strings.Contains(stderr, want) {
			return fmt.Errorf("created: %t, kubectl said: %s", err == nil, stderr)
		}
		return nil
	})
}

// start starts a control plane with a Probity that asks for certificates, and that
// refuses what it cannot judge, so that nothing passes by its silence.
func start(t *testing.T) *install.Local {
	t.Helper()
	local, err := install.StartEmpty(t.Context(), 1, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Stop(); err != nil {
			t.Error(err)
		}
	})
	local.Probity, err = local.Install(t.Context(), install.Options{
		Manifests: filepath.Join(local.Repository, "manifests", "fail-closed"),
		Args:      []string{"--shutdown-delay=0s", "--client-ca=" + local.AuthorityPath(), "--client-name=" + clientName},
	})
	if err != nil {
		t.Fatal(err)
	}
	return local
}

// restart has the API server take a file of admission.
func restart(t *testing.T, local *install.Local, file string) {
	t.Helper()
	if err := local.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	if err := local.StartAPIServer(t.Context(), "--admission-control-config-file="+file); err != nil {
		t.Fatal(err)
	}
}

// writeAdmission writes the two files of the page, with a certificate of the name.
// Their paths are other ones here, and a program on this machine, which a URL names,
// is called in place of the Service.
func writeAdmission(t *testing.T, local *install.Local, name string) (file string) {
	t.Helper()
	dir := t.TempDir()
	access, err := local.User(name)
	if err != nil {
		t.Fatal(err)
	}
	paths := strings.NewReplacer(
		"/etc/kubernetes/pki", dir,
		"/etc/kubernetes", dir,
		"probity.probity-system.svc", local.Probity.Addr(),
	)
	page := operations(t, local)
	for file, content := range map[string][]byte{
		"admission.crt":        access.CertData,
		"admission.key":        access.KeyData,
		"admission.kubeconfig": []byte(paths.Replace(block(t, page, "client-certificate:"))),
		"admission.yaml":       []byte(paths.Replace(block(t, page, "kind: AdmissionConfiguration"))),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "admission.yaml")
}

func operations(t *testing.T, local *install.Local) []markdown.Block {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(local.Repository, "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	return markdown.Parse(string(text)).Blocks
}

// block is the only block of YAML that holds the text.
func block(t *testing.T, page []markdown.Block, text string) (found string) {
	t.Helper()
	for _, b := range page {
		if b.Language != "yaml" || !strings.Contains(b.Text, text) {
			continue
		}
		if found != "" {
			t.Fatalf("the page has two blocks with %q", text)
		}
		found = b.Text
	}
	if found == "" {
		t.Fatalf("the page has no block with %q", text)
	}
	return found
}

// refused is how many requests Probity turned away for their certificate.
func refused(t *testing.T, local *install.Local) float64 {
	t.Helper()
	all, err := local.Probity.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum, _ := all.Sum("probity_http_refused_total", map[string]string{"reason": "certificate"})
	return sum
}

// said is the error of kubectl with what it wrote.
func said(_, stderr string, err error) error {
	if err != nil {
		return fmt.Errorf("%w: %s", err, stderr)
	}
	return nil
}
