package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "survivors.txt")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestSurvivorsAreRead(t *testing.T) {
	got, err := readSurvivors(write(t, `# About the list.

a.go f
- if a < b {
+ if true {
why: it only saves
  time.

# About this one.
b.go Pass.g #2
- p.note()
why: nobody reads it.
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []survivor{
		{key{"a.go", "f", "if a < b {", "if true {", 1}, "it only saves time."},
		{key{"b.go", "Pass.g", "p.note()", "", 2}, "nobody reads it."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAListThatIsWrongIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"without a reason":        "a.go f\n- a\n+ b\n",
		"without a line":          "a.go f\nwhy: so\n",
		"without a function":      "a.go\n- a\nwhy: so\n",
		"with too many words":     "a.go f g h\n- a\nwhy: so\n",
		"with a word for #2":      "a.go f g\n- a\nwhy: so\n",
		"with a line of no kind":  "a.go f\na\nwhy: so\n",
		"with an entry two times": "a.go f\n- a\nwhy: so\n\na.go f\n- a\nwhy: so\n",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := readSurvivors(write(t, text)); err == nil {
				t.Errorf("is read as %+v", got)
			}
		})
	}
}

func TestNoListIsAnEmptyOne(t *testing.T) {
	got, err := readSurvivors(filepath.Join(t.TempDir(), "none"))
	if got != nil || err != nil {
		t.Errorf("gives %+v, %v", got, err)
	}
}
