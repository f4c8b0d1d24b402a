package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// shop is the root of a small module with a rule that its tests do not hold to all it says.
func shop(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("testdata/shop")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-golden +given; -update writes it):\n%s", diff)
	}
}

func TestWhatTheTestsLetPassIsTold(t *testing.T) {
	var out strings.Builder
	err := run(t.Context(), options{root: shop(t), survivors: "survivors.txt", patterns: []string{"price-high"}, jobs: 2, verbose: true}, &out)
	if !errors.Is(err, errUncaught) {
		t.Errorf("gives %v, want %v", err, errUncaught)
	}
	golden(t, "shop.golden", out.String())
}

func TestAllThatIsCaughtIsNoFault(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), options{root: shop(t), survivors: "none.txt", patterns: []string{"price-known"}, jobs: 1}, &out); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestEachFormIsBroken(t *testing.T) {
	pkgs, err := load(shop(t), []string{"forms"})
	if err != nil {
		t.Fatal(err)
	}
	all := find(pkgs[0], pkgs[0].files[0])
	compiling, err := pkgs[0].compiling(all)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, b := range all {
		note := ""
		if !contains(compiling, b) {
			note = ", does not compile"
		}
		fmt.Fprintf(&text, "%d %s%s\n%s\n", b.line, b.kind, note, b.key().diff())
	}
	golden(t, "forms.golden", text.String())
}

func contains(all []*breakage, b *breakage) bool {
	for _, other := range all {
		if other == b {
			return true
		}
	}
	return false
}

func TestUnitsAreChosenByName(t *testing.T) {
	for _, c := range []struct {
		name     string
		patterns []string
		want     []string
		err      bool
	}{
		{name: "without a pattern all", want: []string{"price-high", "price-known"}},
		{name: "a rule by its id", patterns: []string{"price-high"}, want: []string{"price-high"}},
		{name: "a pattern, and each once", patterns: []string{"price-*", "*"}, want: []string{"price-high", "price-known"}},
		{name: "a name that is nowhere", patterns: []string{"price-low"}, err: true},
		{name: "a pattern that is none", patterns: []string{"["}, err: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			units, err := findUnits(shop(t), c.patterns)
			if (err != nil) != c.err {
				t.Fatalf("gives error %v", err)
			}
			var got []string
			for _, u := range units {
				got = append(got, u.name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, args := range [][]string{{"-j", "0"}, {"-n", "-1"}, {"-unknown"}} {
		if o, err := parseOptions(args); err == nil {
			t.Errorf("%v gives %+v", args, o)
		}
	}
	o, err := parseOptions([]string{"-n", "3", "budget-*"})
	if err != nil || o.count != 3 || len(o.patterns) != 1 {
		t.Errorf("gives %+v, %v", o, err)
	}
}
