package command

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the tables give into the golden files")

// TestTheTablesGiveWhatTheyGave holds what each entry of a table says, word by
// word: the other tests go through the tables, and miss what is no longer in them.
func TestTheTablesGiveWhatTheyGave(t *testing.T) {
	for name, lines := range map[string]func(*strings.Builder){
		"clients": clientLines, "libraries": libraryLines, "programs": programLines, "names": nameLines,
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			lines(&got)
			file := "testdata/" + name + ".golden"
			if *update {
				if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
				t.Errorf("(-golden +given; -update writes it):\n%s", diff)
			}
		})
	}
}

// given is what a command is judged in a line.
func given(b *strings.Builder, r Request) {
	a := Analyze(r)
	fmt.Fprintf(b, "  %s", strings.Join(r.Argv, " "))
	for _, e := range r.Env {
		fmt.Fprintf(b, " [%s=%s%s]", e.Name, e.Value, e.From)
	}
	if r.Image != "" {
		fmt.Fprintf(b, " [image %s]", r.Image)
	}
	if r.Ports != nil {
		fmt.Fprintf(b, " [port %d]", r.Ports)
	}
	fmt.Fprintf(b, " -> %s", verdictOf(a))
	for _, said := range []string{a.Answer.Asks, a.Heavy, a.Answer.Instead} {
		if said != "" {
			b.WriteString("; " + said)
		}
	}
	b.WriteString("\n")
}

func clientLines(b *strings.Builder) {
	for _, c := range Table() {
		fmt.Fprintf(b, "%s: %s\n", strings.Join(c.Names, " "), c.Product)
		for _, name := range c.Names {
			line := func(arguments string, r Request) {
				command := strings.TrimSpace(name + " " + arguments)
				r.Argv = []string{"sh", "-c", command}
				if c.Style == Cmdlet {
					r.Argv = []string{"powershell", "-Command", command}
				}
				if r.Image == "" {
					r.Image = c.Images
				}
				given(b, r)
			}
			line("", Request{})
			if name == c.Names[0] {
				clientUses(c, line)
			}
		}
		for _, command := range []string{c.Remote, c.Local} {
			if command != "" {
				given(b, Request{Argv: []string{"sh", "-c", command}, Image: c.Images})
			}
		}
	}
}

// clientUses are what a client can be told, and where it can run.
func clientUses(c Client, line func(arguments string, r Request)) {
	if c.Scripts {
		line(".sh", Request{})
	}
	for flag := range strings.FieldsSeq(c.Flags) {
		name, _, _ := strings.Cut(flag, ":")
		line(name+" elsewhere", Request{})
	}
	for range 1 + len(strings.Fields(c.Args)) {
		line("elsewhere elsewhere.example:80", Request{})
	}
	for _, v := range c.Verbs {
		for match := range strings.SplitSeq(v.Match, "|") {
			phrase := strings.ReplaceAll(match, "*", "x")
			line(phrase, Request{})
			line(phrase+" | grep x", Request{})
		}
	}
	for word := range strings.FieldsSeq(c.Servers) {
		line("$HOST_OF_IT", Request{Image: word, Env: []EnvVar{{Name: "HOST_OF_IT", From: "secretKeyRef"}}})
	}
	for name := range strings.FieldsSeq(c.Env) {
		line("", Request{Env: []EnvVar{{Name: name, Value: "elsewhere"}}})
	}
	if c.Port != 0 {
		line("", Request{Ports: []int32{c.Port}, Image: "shop"})
		line("", Request{Ports: []int32{c.Port + 1}, Image: "shop"})
	}
	for _, relay := range c.Relays {
		for word := range strings.FieldsSeq(relay.Images) {
			line("", Request{Image: word})
		}
		line("", Request{Ports: []int32{relay.Port}, Image: "shop"})
		for own := range strings.FieldsSeq(relay.Own) {
			line(fmt.Sprintf("-p %d %s", relay.Port, own), Request{Image: relay.Images})
		}
	}
}

func libraryLines(b *strings.Builder) {
	snippets := librarySnippets()
	for _, l := range libraries() {
		s := snippets[l.language]
		for name := range strings.FieldsSeq(l.imports) {
			for call := range strings.FieldsSeq(l.calls) {
				for _, argument := range []string{"settings", ""} {
					code := fmt.Sprintf(s.code, name, call, argument)
					given(b, Request{Argv: append(slices.Clone(s.argv), strings.ReplaceAll(code, "\n", "; "))})
				}
			}
		}
	}
}

func programLines(b *strings.Builder) {
	for _, name := range slices.Sorted(maps.Keys(localPrograms())) {
		given(b, Request{Argv: []string{name, "/tmp/x"}})
	}
	for _, name := range slices.Sorted(maps.Keys(wrappers())) {
		w := wrappers()[name]
		argv := append([]string{name}, strings.Fields(w.word+strings.Repeat(" 1", w.skip))...)
		if option, _, _ := strings.Cut(w.script, " "); option != "" {
			given(b, Request{Argv: append(argv, option, "pg_isready -h db")})
			continue
		}
		given(b, Request{Argv: append(argv, "pg_isready", "-h", "db")})
	}
	for _, name := range slices.Sorted(maps.Keys(runtimes())) {
		r := runtimes()[name]
		for option := range strings.FieldsSeq(r.code) {
			given(b, Request{Argv: []string{name, option, "x('http://inventory/livez')"}})
		}
		for option := range strings.FieldsSeq(r.values) {
			given(b, Request{Argv: []string{name, option, "x", "/app/check_db"}})
		}
	}
}

func nameLines(b *strings.Builder) {
	v := newVocabulary(nil)
	for _, word := range slices.Sorted(maps.Keys(v.all)) {
		name := strings.ToUpper(word) + "_HOST"
		given(b, Request{Argv: []string{"sh", "-c", "nc -z $" + name + " 80"}, Env: []EnvVar{{Name: name, From: "secretKeyRef"}}})
		given(b, Request{Argv: []string{"/app/check_" + word + ".sh"}})
		given(b, Request{Argv: []string{"sh", "-c", "nc -z $" + name + " 80"}, Env: []EnvVar{{Name: name, From: "secretKeyRef"}}, Image: word})
	}
}
