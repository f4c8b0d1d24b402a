package command

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/probity-dev/probity/validate/dependency"
)

// check holds for every analysis: its texts can be printed anywhere, and a
// shared dependency says what it is.
func check(t *testing.T, a Analysis) {
	t.Helper()
	printable(t, "evidence", a.Answer.Evidence, maxEvidence)
	printable(t, "asks", a.Answer.Asks, 2*maxEvidence)
	printable(t, "heavy", a.Heavy, 2*maxEvidence)
	for _, f := range a.Faults {
		printable(t, "fault", f, 5*maxEvidence)
	}
	if a.Answer.Scope == dependency.Shared && a.Answer.Asks == "" {
		t.Errorf("a shared dependency without a name, evidence %q", a.Answer.Evidence)
	}
}

func printable(t *testing.T, what, s string, most int) {
	t.Helper()
	if len(s) > most {
		t.Errorf("%s is %d bytes long: %q", what, len(s), s)
	}
	if !utf8.ValidString(s) {
		t.Errorf("%s is no valid UTF-8: %q", what, s)
	}
	if strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) {
		t.Errorf("%s holds what cannot be printed: %q", what, s)
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, c := range Table() {
		f.Add(c.Remote, "db")
		f.Add(c.Local, "$(B)")
	}
	for _, script := range monsters() {
		if len(script) < 4096 {
			f.Add(script, "x")
		}
	}
	f.Add("a=${X:-$(hostname)}; nc -z ${a%%:*} 80 || exit 1", "db:5432")
	f.Add("f() { curl -f \"$@\"; }; f http://$X/readyz", "localhost")
	f.Add("\xff.ConneCt", "0")
	f.Add("\u0130 $ENV:X (New-Object Net.Sockets.TcpClient('X', 1))", "\u212a")
	f.Add("cat <<EOF | sh\nredis-cli -h $X ping\nEOF", "queue")
	f.Fuzz(func(t *testing.T, script, value string) {
		env := []EnvVar{{Name: "X", Value: value}, {Name: "B", Value: script}, {Name: "S", From: "secretKeyRef"}, {Name: "I", From: "fieldRef:status.podIP"}}
		for _, argv := range [][]string{
			{"bash", "-ec", script},
			{"sh", "-c", script, value},
			{"cmd", "/c", script},
			{"powershell", "-Command", script},
			append([]string{"env"}, strings.Fields(script)...),
			strings.Fields(script),
			{script},
		} {
			check(t, Analyze(Request{Argv: argv, Env: env, OwnNames: []string{"web", value}, Image: value, Container: script}))
		}
	})
}

func FuzzCode(f *testing.F) {
	f.Add("import redis; redis.Redis(host='queue').ping()", "x")
	f.Add("fetch(`http://${process.env.X}/x`)", "db")
	f.Add("new PDO('mysql:host='.getenv('X').';dbname=x');", "localhost")
	f.Add("x = f\"http://{os.environ['X']}:{y}/\" + z", "a b")
	f.Fuzz(func(t *testing.T, code, value string) {
		for _, argv := range [][]string{{"python", "-c", code}, {"node", "-e", code}, {"ruby", "-e", code}, {"php", "-r", code}, {"perl", "-e", code}} {
			check(t, Analyze(Request{Argv: argv, Env: []EnvVar{{Name: "X", Value: value}}}))
		}
	})
}

func FuzzAddresses(f *testing.F) {
	for _, s := range []string{
		"postgresql://u:p@db:5432/x?host=/run", "host=a,b port=1", "u:p@tcp(db:3306)/x", "jdbc:oracle:thin:@//db:1521/x",
		"mongodb+srv://a,b/x", "jdbc:oracle:thin:@\xff(HOST=a)(PORT=1)", "[::1]:80", "Server=tcp:db,1433;", "dns:///db:1", "http://a,http://b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n := len(addresses(s)); n > 4*maxTargets {
			t.Errorf("%d targets out of %q", n, s)
		}
		r := &run{Analyzer: standard(), req: &Request{}}
		for _, a := range addresses(plain(s)) {
			printable(t, "asks", r.locate(a.host, subject{}).asks, 2*maxEvidence)
		}
	})
}

func FuzzKubeletExpansion(f *testing.F) {
	f.Add("$(A)$$(B)$(C", "$(A)")
	f.Fuzz(func(t *testing.T, arg, value string) {
		r := &run{req: &Request{Env: []EnvVar{{Name: "A", Value: value}, {Name: "B", Value: "$(A)"}, {Name: "C", From: "secretKeyRef"}}}}
		if got := r.kubeletArgv([]string{arg})[0].val; len(got) > maxScript {
			t.Errorf("%q grows to %d bytes", arg, len(got))
		}
		r.variable("B")
	})
}
