package operations

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/probity-dev/probity/e2e/suite"
)

// commands returns the shell blocks below a heading of docs/operations.md.
func commands(t *testing.T, heading string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(local.Repository, "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n### "+heading+"\n")
	if !found {
		t.Fatalf("docs/operations.md has no %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n#")
	var blocks []string
	for _, b := range regexp.MustCompile("(?s)\n```sh\n(.*?)```\n").FindAllStringSubmatch(section, -1) {
		blocks = append(blocks, b[1])
	}
	return blocks
}

// desk is a folder as an operator has it: the manifest of a Deployment, and the
// overlay that Probity was installed from.
type desk struct{ dir string }

func newDesk(t *testing.T) desk {
	t.Helper()
	d := desk{t.TempDir()}
	d.write(t, "orders.yaml", deployment("orders", asksDatabase))
	return d
}

func (d desk) write(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs a block of the document as it stands there, with an administrator's
// kubeconfig, and returns all that it printed.
func (d desk) run(t *testing.T, block string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", block)
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), "KUBECONFIG="+local.Admin, "HOME="+d.dir,
		"PATH="+filepath.Dir(local.KubectlPath())+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v:\n%s", block, err, out)
	}
	return string(out)
}

// blocks are the commands below a heading, of which there must be so many.
func blocks(t *testing.T, heading string, count int) []string {
	t.Helper()
	all := commands(t, heading)
	if len(all) != count {
		t.Fatalf("%q has %d blocks of commands, want %d", heading, len(all), count)
	}
	return all
}

func TestBreakGlassForOneDeployment(t *testing.T) {
	block := blocks(t, "One deployment", 1)[0]
	s := newSpace(t, "shop", "probity.dev/mode=enforce")
	s.enforced()
	d := newDesk(t)
	if _, err := s.try(deployment("orders", asksDatabase), "apply", "-f", "-"); err == nil {
		t.Fatal("it was not refused")
	}
	if out := d.run(t, block); !strings.Contains(out, "deployment.apps/orders created") {
		t.Errorf("got %s", out)
	}
	if !s.refused() {
		t.Error("another Deployment is not refused any more")
	}
	// The next release, without the annotations and with the fault that runs.
	s.Admin(deployment("orders", asksDatabase), "apply", "-f", "-")
	if left := exemptions(s.orders().Annotations); len(left) > 0 {
		t.Errorf("the exemption stays: %q", left)
	}
}

func TestBreakGlassForOneNamespace(t *testing.T) {
	steps := blocks(t, "One namespace", 2)
	s, other := newSpace(t, "shop", "probity.dev/mode=enforce"), newSpace(t, "other", "probity.dev/mode=enforce")
	s.enforced()
	other.enforced()
	budget := s.budget("kept")
	d := newDesk(t)
	out := d.run(t, steps[0])
	for _, want := range []string{"nothing is refused any more", "namespace/shop labeled"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q: %s", want, out)
		}
	}
	if strings.Contains(out, "no longer") {
		t.Errorf("it ends more than refusals: %s", out)
	}
	d.run(t, steps[0]) // again, as for a namespace with its own label
	s.Eventually("the end of refusals", func(context.Context) bool { return !s.refused() })
	if !other.refused() {
		t.Error("the other namespace is not enforced any more")
	}
	s.Admin(deployment("orders", asksDatabase), "apply", "-f", "-")
	s.budget("meanwhile") // the controller has seen the labels by then
	if out := d.run(t, steps[1]); !strings.Contains(out, "Deployment orders would be refused") {
		t.Errorf("going back does not tell of what came in: %s", out)
	}
	s.enforced()
	if now := s.budget("kept"); now != budget {
		t.Errorf("the budget was withdrawn and made anew: %s is now %s", budget, now)
	}
	if labels := s.labels(); labels["probity.dev/inject"] != "" {
		t.Errorf("the labels are now %v", labels)
	}
}

func TestBreakGlassForTheCluster(t *testing.T) {
	steps := blocks(t, "The whole cluster", 2)
	s, other := newSpace(t, "shop", "probity.dev/mode=enforce"), newSpace(t, "other", "probity.dev/mode=enforce")
	watched := newSpace(t, "watched", "probity.dev/mode=audit")
	bare := newSpace(t, "bare", "probity.dev/mode=enforce", "probity.dev/inject=none")
	s.enforced()
	other.enforced()
	budget := s.budget("kept")
	d := newDesk(t)
	d.run(t, steps[0])
	s.Eventually("the end of refusals", func(context.Context) bool { return !s.refused() && !other.refused() })
	s.budget("meanwhile") // the controller has seen the labels by then
	d.run(t, steps[1])
	s.enforced()
	other.enforced()
	if now := s.budget("kept"); now != budget {
		t.Errorf("the budget was withdrawn and made anew: %s is now %s", budget, now)
	}
	if labels := watched.labels(); labels["probity.dev/mode"] != "audit" || labels["probity.dev/inject"] != "" {
		t.Errorf("a namespace that was not enforced: %v", labels)
	}
	if labels := bare.labels(); labels["probity.dev/mode"] != "enforce" || labels["probity.dev/inject"] != "none" {
		t.Errorf("a namespace that says itself what is injected: %v", labels)
	}
	if labels := s.labels(); labels["probity.dev/inject"] != "" {
		t.Errorf("the labels are now %v", labels)
	}
}

func TestBreakGlassWhenNothingElseWorks(t *testing.T) {
	steps := blocks(t, "When nothing else works", 2)
	s := newSpace(t, "shop", "probity.dev/mode=enforce")
	s.enforced()
	d := newDesk(t)
	if err := local.Probity.WriteOverlay(t.Context(), filepath.Join(d.dir, "overlay")); err != nil {
		t.Fatal(err)
	}
	if err := local.Probity.Kill(); err != nil {
		t.Fatal(err)
	}
	s.failClosed() // the worst case: nobody answers, and everything is refused
	if _, err := s.try(deployment("orders", asksDatabase), "apply", "-f", "-"); err == nil {
		t.Fatal("with failurePolicy Fail and no Probity it was not refused")
	}
	d.run(t, steps[0])
	s.Eventually("the API server calls nobody", func(context.Context) bool {
		_, err := s.try(deployment("orders", asksDatabase), "apply", "-f", "-")
		return err == nil
	})
	if err := local.Probity.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.run(t, steps[1])
	s.enforced()
}

// labels are those of the namespace.
func (s space) labels() map[string]string {
	s.T.Helper()
	ns, err := s.Client.CoreV1().Namespaces().Get(s.T.Context(), s.Name, metav1.GetOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	return ns.Labels
}

// budget returns the UID of the budget that Probity makes for a Deployment of two, and
// applies that first.
func (s space) budget(deployment string) (uid types.UID) {
	s.T.Helper()
	s.Admin(suite.Deployment(deployment, 2, asksItself), "apply", "-f", "-")
	s.Await("the budget of "+deployment, func(ctx context.Context) error {
		b, err := s.Client.PolicyV1().PodDisruptionBudgets(s.Name).Get(ctx, "probity-deployment-"+deployment, metav1.GetOptions{})
		if err == nil {
			uid = b.UID
		}
		return err
	})
	return uid
}

// failClosed sets failurePolicy: Fail.
func (s space) failClosed() {
	s.T.Helper()
	s.Admin("", "patch", "validatingwebhookconfiguration", "probity", "--type=json",
		"-p", `[{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Fail"}]`)
	s.Eventually("failurePolicy Fail", func(context.Context) bool {
		stderr, err := s.try(deployment("asked-by-the-test", asksItself), "create", "--dry-run=server", "-f", "-")
		return err != nil && strings.Contains(stderr, "failed calling webhook")
	})
}
