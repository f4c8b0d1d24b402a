package report

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	// Imported for the schema, which it keeps to itself: officialSchema reads it
	// from the source.
	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"

	"github.com/probity-dev/probity/validate"
)

// TestSARIFFollowsItsSchema holds the bytes that are written against the schema of
// SARIF 2.1.0, with findings, errors and suppressions, and with none of them.
func TestSARIFFollowsItsSchema(t *testing.T) {
	schema := officialSchema(t)
	var empty bytes.Buffer
	h, err := New("sarif", Output{Writer: &empty})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Finish(Totals{}); err != nil {
		t.Fatal(err)
	}
	for name, log := range map[string][]byte{"with one of everything": render(t, "sarif"), "with no result": empty.Bytes()} {
		t.Run(name, func(t *testing.T) {
			for _, problem := range problemsOf(t, schema, log) {
				t.Error(problem)
			}
		})
	}
}

// TestSchemaSeesWhatIsWrong makes sure that the schema is one that can fail.
func TestSchemaSeesWhatIsWrong(t *testing.T) {
	schema := officialSchema(t)
	good := string(render(t, "sarif"))
	for name, change := range map[string][2]string{
		"an unknown level":              {`"level": "error"`, `"level": "deny"`},
		"a region on line 0":            {`"startLine": 7`, `"startLine": 0`},
		"a suppression of no kind":      {`"kind": "inSource"`, `"kind": "annotation"`},
		"a rule whose help has no text": {`"helpUri"`, `"help": {"markdown": "x"}, "helpUri"`},
		"a member that SARIF lacks":     {`"columnKind"`, `"columns": 1, "columnKind"`},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(good, change[0], change[1], 1)
			if bad == good {
				t.Fatalf("the log has no %s", change[0])
			}
			if len(problemsOf(t, schema, []byte(bad))) == 0 {
				t.Error("the schema has nothing against it")
			}
		})
	}
}

func TestSARIFDescribesEveryRule(t *testing.T) {
	var log sarifLog
	if err := json.Unmarshal(render(t, "sarif"), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Tool.Driver.Rules) != len(validate.Rules()) {
		t.Errorf("%d rules, want %d", len(run.Tool.Driver.Rules), len(validate.Rules()))
	}
	for _, r := range run.Tool.Driver.Rules {
		if r.Short.Text == "" || r.Full.Text == "" || r.Help.Text == "" || r.Help.Markdown == "" || r.HelpURI == "" {
			t.Errorf("%s lacks a description or help", r.ID)
		}
	}
	for _, r := range run.Results {
		if id := run.Tool.Driver.Rules[r.RuleIndex].ID; id != r.RuleID {
			t.Errorf("the index of %s is that of %s", r.RuleID, id)
		}
		if len(r.Locations) == 0 || r.Locations[0].Physical.Region == nil {
			t.Errorf("%s has no region", r.RuleID)
		}
	}
}

func problemsOf(t *testing.T, schema *gojsonschema.Schema, log []byte) []string {
	t.Helper()
	result, err := schema.Validate(gojsonschema.NewBytesLoader(log))
	if err != nil {
		t.Fatal(err)
	}
	var problems []string
	for _, e := range result.Errors() {
		problems = append(problems, e.String())
	}
	return problems
}

// officialSchema reads the schema out of the source of a module that carries it as
// a constant.
func officialSchema(t *testing.T) *gojsonschema.Schema {
	t.Helper()
	const carrier = "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	folder, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", carrier).Output()
	if err != nil {
		t.Fatal(err)
	}
	text := constantString(t, filepath.Join(strings.TrimSpace(string(folder)), "schema.go"), "schema")
	var head struct{ ID string }
	if err := json.Unmarshal([]byte(text), &head); err != nil {
		t.Fatal(err)
	}
	if head.ID != schemaURI {
		t.Fatalf("the schema is %s, and logs say that they follow %s", head.ID, schemaURI)
	}
	schema, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// constantString returns the value of a string constant of a Go file.
func constantString(t *testing.T, file, name string) string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	value := ""
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name != name {
			return true
		}
		evaluated, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(spec.Values[0]))
		if err != nil {
			t.Fatal(err)
		}
		value = constant.StringVal(evaluated.Value)
		return false
	})
	if value == "" {
		t.Fatalf("%s holds no constant %s", file, name)
	}
	return value
}
