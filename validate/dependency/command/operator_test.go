package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func stray(operator string) []string {
	return []string{`no shell reads "` + operator + `" here, so it and what follows are arguments of the program; run the command in ["sh", "-c", ...]`}
}

func TestOperatorsThatNoShellReads(t *testing.T) {
	tests := []struct {
		name     string
		argv     []string
		operator string
		want     string // the verdict on what stands in front
		asks     string
	}{
		{"exit behind or", []string{"pg_isready", "-h", "localhost", "||", "exit", "1"}, "||", "instance", "its own PostgreSQL"},
		{"exit is no host", []string{"curl", "-f", "http://localhost:8080/livez", "||", "exit", "1"}, "||", "process", ""},
		{"exit behind an option", []string{"redis-cli", "--no-auth-warning", "||", "exit", "1"}, "||", "instance", ""},
		{"a pipe into grep", []string{"cat", "/tmp/x", "|", "grep", "ok"}, "|", "process", ""},
		{"a pipe of a program alone", []string{"ps", "|", "grep", "app"}, "|", "process", ""},
		{"a second test", []string{"test", "-f", "/tmp/a", "&&", "test", "-f", "/tmp/b"}, "&&", "process", ""},
		{"a second client", []string{"test", "-f", "/tmp/a", "&&", "pg_isready", "-h", "db"}, "&&", "process", ""},
		{"another host stays one", []string{"pg_isready", "-h", "db", "||", "exit", "1"}, "||", "shared", `host "db"`},
		{"one command behind another", []string{"touch", "/tmp/a", ";", "true"}, ";", "process", ""},
		{"behind a wrapper", []string{"timeout", "5", "cat", "/tmp/a", "|", "wc", "-l"}, "|", "process", ""},
		{"output to nowhere", []string{"cat", "/tmp/a", ">", "/dev/null"}, ">", "process", ""},
		{"both outputs", []string{"cat", "/tmp/a", "2>&1"}, "2>&1", "process", ""},
		{"grep with its pattern", []string{"grep", "-q", "ok", "/tmp/a", "||", "exit", "1"}, "||", "process", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := Analyze(Request{Argv: tt.argv})
			if diff := cmp.Diff(stray(tt.operator), a.Faults); diff != "" {
				t.Error(diff)
			}
			if got := verdictOf(a); got != tt.want || tt.asks != "" && a.Answer.Asks != tt.asks {
				t.Errorf("judged %q, asks %q", got, a.Answer.Asks)
			}
		})
	}
}

func TestOperatorsThatTheProgramReads(t *testing.T) {
	for _, argv := range [][]string{
		{"grep", "|", "file"},
		{"grep", "|", "test"},
		{"grep", "-q", "||", "test"},
		{"grep", "-e", "2>&1", "/tmp/log"},
		{"grep", "2>&1", "/tmp/log"},
		{"find", "/x", "-exec", "test", "-f", "{}", ";"},
		{"find", "/x", "-exec", "test", "-f", "{}", ";", "true"},
		{"find", "/x", "-exec", "grep", "-q", "|", "{}", ";", "-exec", "echo", "{}", ";"},
		{"expr", "1", ">", "0"},
		{"expr", "a", "|", "true"},
		{"test", "a", ">", "b"},
		{"test", "a", "=", "|", "test"},
		{"[", "a", "]"},
		{"[", "a", ">", "b", "]"},
		{"awk", "-F", "|", "{ exit $1 > 0 }", "/tmp/x"},
		{"awk", "$1 > 0 && $2 || $3; END { exit }", "/tmp/x"},
		{"jq", "-e", ".a | .b", "/tmp/x"},
		{"jq", "|", "true"},
		{"yq", "|", "true"},
		{"ag", "|", "test"},
		{"tr", "|", "true"},
		{"cut", "-d", "|", "-f1", "/tmp/x"},
		{"sort", "-t", "|", "test"},
		{"echo", "|", "test"},
		{"psql", "-c", ";"},
		{"cat", "|"},
		{"cat", "a", ";", "b"},
		{"watch", "cat", "/tmp/x", "|", "grep", "a"},
		{"ssh", "localhost", "cat", "/tmp/x", "|", "grep", "a"},
		{"/docker-entrypoint.sh", "cat", "/tmp/x", "|", "grep", "a"},
		{"sh", "-c", "cat /tmp/x | grep -q ok || exit 1"},
	} {
		if a := Analyze(Request{Argv: argv}); len(a.Faults) > 0 {
			t.Errorf("%q has faults %q", argv, a.Faults)
		}
	}
	if a := Analyze(Request{Argv: []string{"check.exe", "a", "||", "exit"}, Windows: true}); len(a.Faults) > 0 {
		t.Errorf("on Windows: %q", a.Faults)
	}
}
