package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheKubeletExpandsArgv(t *testing.T) {
	env := []EnvVar{
		{Name: "A", Value: "first"},
		{Name: "A", Value: "last"},
		{Name: "B", Value: "$(A)"},
		{Name: "S", From: "secretKeyRef"},
		{Name: "POD_IP", From: "fieldRef:status.podIP"},
	}
	tests := []struct{ name, in, want string }{
		{"no reference", "plain", "plain"},
		{"the last entry of a name wins", "$(A)", "last"},
		{"in the middle", "x-$(A)-y", "x-last-y"},
		{"nothing is expanded twice", "$(B)", "$(A)"},
		{"an unknown name stays", "$(nope)", "$(nope)"},
		{"a command stays", "$(hostname -i)", "$(hostname -i)"},
		{"two dollars are one", "$$(A)", "$(A)"},
		{"three dollars", "$$$(A)", "$last"},
		{"a shell's variable stays", "$A ${A}", "$A ${A}"},
		{"an open bracket stays", "$(A", "$(A"},
		{"a dollar at the end stays", "cost$", "cost$"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &run{req: &Request{Env: env}}
			if got := r.kubeletArgv([]string{tt.in})[0].val; got != tt.want {
				t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestTheKubeletLeavesUnknownNames(t *testing.T) {
	r := &run{req: &Request{}}
	got := r.kubeletArgv([]string{"x$(DB_HOST)y"})[0]
	if r.render(got.val) != "x$(DB_HOST)y" {
		t.Errorf("becomes %q", got.val)
	}
	if s := r.symbols[0]; s.kind != symUnexpanded || s.name != "DB_HOST" {
		t.Errorf("symbol %+v", s)
	}
}

func TestTheKubeletEmptiesValueFrom(t *testing.T) {
	r := &run{req: &Request{Env: []EnvVar{{Name: "S", From: "secretKeyRef"}}}}
	got := r.kubeletArgv([]string{"x$(S)y"})[0]
	if r.render(got.val) != "x$(S)y" || withoutSymbols(got.val) != "x y" {
		t.Errorf("becomes %q", got.val)
	}
	want := []symbol{{kind: symEmptied, origin: fromSource, name: "S", text: "$(S)"}}
	if diff := cmp.Diff(want, r.symbols, cmp.AllowUnexported(symbol{})); diff != "" {
		t.Errorf("symbols differ (-want +got):\n%s", diff)
	}
}

func TestEnvValuesReferToEarlierOnes(t *testing.T) {
	r := &run{req: &Request{Env: []EnvVar{
		{Name: "HOST", Value: "db"},
		{Name: "URL", Value: "redis://$(HOST):$(PORT)/$$(HOST)"},
		{Name: "PORT", Value: "6379"},
		{Name: "SELF", Value: "$(SELF)"},
	}}}
	for name, want := range map[string]string{
		"URL":  "redis://db:$(PORT)/$(HOST)", // PORT is defined later
		"SELF": "$(SELF)",
		"PORT": "6379",
	} {
		if got, ok := r.variable(name); !ok || got != want {
			t.Errorf("%s is %q, %t, want %q", name, got, ok, want)
		}
	}
	if _, ok := r.variable("NOPE"); ok {
		t.Error("a name that nothing sets is set")
	}
}

func TestPrivateRunesOfAManifestAreNoSymbols(t *testing.T) {
	a := Analyze(Request{Argv: []string{"pg_isready", "-h", "\uE000"}, Env: []EnvVar{{Name: "X", Value: "\uE001"}}})
	if got := verdictOf(a); got != "unknown" {
		t.Errorf("judged %q, want unknown", got)
	}
}
