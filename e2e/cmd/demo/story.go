package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/probity-dev/probity/e2e/install"
)

//go:embed manifests
var manifests embed.FS

// story tells what Probity does, with real commands and their real output.
type story struct {
	out      io.Writer
	colour   bool
	cluster  *install.Local
	chapters int
	user     string // kubeconfig of the person who deploys
}

// play runs the commands. Each step checks that what it shows did happen.
func (s *story) play(ctx context.Context) (err error) {
	s.chapter("Two namespaces opt in, each in its own mode")
	for _, ns := range [...]struct{ name, mode string }{{"shop", "enforce"}, {"staging", "warn"}} {
		if err := s.succeed(ctx, s.cluster.Admin, "", "create", "namespace", ns.name); err != nil {
			return err
		}
		if err := s.succeed(ctx, s.cluster.Admin, "", "label", "namespace", ns.name, "probity.dev/mode="+ns.mode); err != nil {
			return err
		}
	}
	if s.user, err = s.cluster.Editor(ctx, "developer", nil, "shop", "staging"); err != nil {
		return err
	}
	for _, chapter := range []func(context.Context) error{s.refusal, s.warning, s.acceptance, s.injection, s.budget} {
		if err := chapter(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) refusal(ctx context.Context) error {
	s.chapter("A refusal")
	s.tell("A developer deploys three replicas of orders, whose liveness probe asks the database:")
	s.show("orders.yaml", "env:")
	out, err := s.kubectl(ctx, s.user, "orders.yaml", "-n", "shop", "apply", "-f", "orders.yaml")
	if err == nil {
		return fmt.Errorf("the faulty Deployment was accepted: %s", out)
	}
	if !strings.Contains(out, "liveness-dependency-exec") {
		return fmt.Errorf("kubectl failed for another reason: %w: %s", err, out)
	}
	s.tell("Nothing was created. docs/rules/liveness-dependency-exec.md says more.")
	return nil
}

func (s *story) warning(ctx context.Context) error {
	s.chapter("A warning")
	s.tell("Where a namespace only warns, the same manifest goes through, and says why it should not:")
	return s.succeed(ctx, s.user, "orders.yaml", "-n", "staging", "apply", "-f", "orders.yaml")
}

func (s *story) acceptance(ctx context.Context) error {
	s.chapter("The fix is accepted")
	s.tell("Liveness now asks only this process, and has time left before the next check:")
	s.show("orders-fixed.yaml", "env:")
	if err := s.succeed(ctx, s.user, "orders-fixed.yaml", "-n", "shop", "apply", "-f", "orders-fixed.yaml"); err != nil {
		return err
	}
	return s.succeed(ctx, s.user, "", "-n", "shop", "rollout", "status", "deployment/orders", "--timeout=60s")
}

func (s *story) injection(ctx context.Context) error {
	s.chapter("An injected startup probe")
	s.tell("By default liveness asks every ten seconds and gives up after three failures, so it would have killed a start that takes longer than 20 seconds. Probity added the startup probe that holds it off for five minutes:")
	out, err := s.kubectl(ctx, s.user, "", "-n", "shop", "get", "deployment", "orders", "-o", "jsonpath={.spec.template.spec.containers[0].startupProbe}{'\\n'}")
	if err != nil {
		return err
	}
	if !strings.Contains(out, "/livez") {
		return fmt.Errorf("no startup probe was injected: %s", out)
	}
	s.tell("\nApplying the manifest again changes nothing and starts no rollout:")
	return s.succeed(ctx, s.user, "orders-fixed.yaml", "-n", "shop", "apply", "-f", "orders-fixed.yaml")
}

func (s *story) budget(ctx context.Context) error {
	s.chapter("A made budget")
	s.tell("The drain of a node could take all three replicas at once: no disruption budget came with the Deployment. Five seconds after it Probity makes one, which goes again when the workload gets one of its own:")
	const name = "poddisruptionbudget/probity-deployment-orders"
	for _, condition := range [...]string{"create", "jsonpath={.status.disruptionsAllowed}=1"} {
		stdout, stderr, err := s.cluster.Kubectl(ctx, s.user, "", "-n", "shop", "wait", "--for="+condition, "--timeout=60s", name)
		if err != nil {
			return fmt.Errorf("no budget was made: %w: %s%s", err, stdout, stderr)
		}
	}
	return s.succeed(ctx, s.user, "", "-n", "shop", "get", "poddisruptionbudgets")
}

// succeed is kubectl that may not fail.
func (s *story) succeed(ctx context.Context, kubeconfig, file string, args ...string) error {
	out, err := s.kubectl(ctx, kubeconfig, file, args...)
	if err != nil {
		return fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// kubectl shows a command and its output, and runs it. A file is given on
// standard input, so that the demo writes nothing where it is started.
func (s *story) kubectl(ctx context.Context, kubeconfig, file string, args ...string) (string, error) {
	s.print("\n"+bold, "$ kubectl "+shellWords(args))
	var stdin string
	if file != "" {
		text, err := manifests.ReadFile("manifests/" + file)
		if err != nil {
			return "", err
		}
		stdin = string(text)
	}
	run := make([]string, len(args))
	for i, a := range args {
		if run[i] = a; a == file && file != "" {
			run[i] = "-"
		}
	}
	stdout, stderr, err := s.cluster.Kubectl(ctx, kubeconfig, stdin, run...)
	stderr = strings.ReplaceAll(stderr, `"STDIN"`, `"`+file+`"`)
	style := yellow // warnings, which come before what was done
	if errors.As(err, new(*exec.ExitError)) {
		style = red
	}
	for line := range strings.Lines(stderr) {
		s.print(style, strings.TrimSuffix(line, "\n"))
	}
	for line := range strings.Lines(stdout) {
		s.print("", strings.TrimSuffix(line, "\n"))
	}
	return stdout + stderr, err
}

// show prints a manifest from the line with a word to its end.
func (s *story) show(file, from string) {
	text, err := manifests.ReadFile("manifests/" + file)
	if err != nil {
		panic(err) // unreachable: the files are embedded
	}
	s.print("\n"+dim, "  # "+file)
	at := strings.Index(string(text), from)
	at = strings.LastIndexByte(string(text)[:at], '\n') + 1
	for line := range strings.Lines(string(text)[at:]) {
		s.print(dim, "  "+strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "          "))
	}
}

func shellWords(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		if words[i] = a; strings.ContainsAny(a, "{}' ") {
			words[i] = `"` + a + `"`
		}
	}
	return strings.Join(words, " ")
}
