package endpoint

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate/dependency"
)

var update = flag.Bool("update", false, "write what the tables give into the golden files")

// TestTheTablesGiveWhatTheyGave holds what each entry of a table says: the other
// tests go through the tables, and miss what is no longer in them.
func TestTheTablesGiveWhatTheyGave(t *testing.T) {
	for name, lines := range map[string]func(*strings.Builder){"endpoints": endpointLines, "words": wordLines} {
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

func verdictOf(a dependency.Answer) string {
	text := a.Scope.String()
	for _, said := range []struct {
		set  bool
		word string
	}{{a.Likely, "likely"}, {a.Readiness, "readiness"}, {a.Generic, "generic"}} {
		if said.set {
			text += ", " + said.word
		}
	}
	for _, said := range []string{a.Asks, a.Instead} {
		if said != "" {
			text += "; " + said
		}
	}
	return text
}

func endpointLines(b *strings.Builder) {
	for _, e := range Table() {
		for _, r := range examples(e) {
			image, _, _ := strings.Cut(strings.TrimPrefix(r.Image, "registry.example/team/"), ":")
			fmt.Fprintf(b, "%s: %s", e.Product, r.Path)
			for _, part := range []string{image, r.Port} {
				if part != "" {
					b.WriteString(" " + part)
				}
			}
			for _, h := range r.Headers {
				fmt.Fprintf(b, " %s: %s", h.Name, h.Value)
			}
			fmt.Fprintf(b, " -> %s\n", verdictOf(HTTP(r)))
		}
	}
}

func wordLines(b *strings.Builder) {
	for _, word := range slices.Sorted(maps.Keys(standard().words)) {
		for _, path := range []string{"/" + word, "/health/" + word, "/" + word + "/health"} {
			fmt.Fprintf(b, "%s -> %s\n", path, verdictOf(HTTP(Request{Path: path})))
		}
		for _, service := range []string{word, "health." + word} {
			fmt.Fprintf(b, "grpc %s -> %s\n", service, verdictOf(GRPC(service)))
		}
	}
}
