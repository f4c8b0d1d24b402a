package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzBlocks holds the fast reader to the general parser: what it reads at all,
// it reads to the same JSON and the same lines.
func FuzzBlocks(f *testing.F) {
	for _, text := range yamlSeeds {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for c := range Split("fuzz.yaml", text) {
			fast, ok := readBlocks(c.Data, c.Line)
			if !ok {
				continue
			}
			slow, err := readYAML(c.Data, c.Line)
			if err != nil {
				t.Fatalf("%q: read as %s, but: %v", c.Data, asJSON(fast), err)
			}
			if diff := cmp.Diff(asJSON(slow), asJSON(fast)); diff != "" {
				t.Fatalf("%q (-general +fast)\n%s", c.Data, diff)
			}
			if fast == nil {
				continue
			}
			for _, marks := range [][]mark{fast.marks, slow.marks} {
				for _, m := range marks {
					if s, f := slow.lineAt(int(m.offset)), fast.lineAt(int(m.offset)); s != f {
						t.Fatalf("%q: what stands at %d of %s is on line %d, fast says %d", c.Data, m.offset, fast.json, s, f)
					}
				}
			}
		}
	})
}

func asJSON(t *tree) string {
	if t == nil {
		return "null"
	}
	return string(t.json)
}

// yamlSeeds are documents with what manifests are made of.
var yamlSeeds = []string{
	"",
	"# only a comment\n",
	"---\n# nothing\n---\na: 1\n...\n---\nb: 2\n",
	"a: 1\nb:\n  c: [x, \"y\", 'z', {k: v, \"q\": 1}]\n  d: {}\n",
	"- a\n- - b\n  - c\n- d: 1\n  e:\n  - f\n  -\n    g: h\n-\n- null\n",
	"a: |\n  one\n   two\n\n  three\n\n\nb: |-\n  x\nc: |+\n  y\n\nd: |2\n   z\n",
	"a: >\n  folded\n  text\nb: 'it''s'\nc: \"tab\\t quote\\\" \\u00e9\"\n",
	"a: yes\nb: no\nc: on\nd: 0x1F\ne: 0777\nf: 1_000\ng: 1e3\nh: ~\ni: 2026-01-02\nj: .5\nk: -1\nl: +1\nm: 08\nn: 1.0\n",
	"base: &b\n  x: 1\nuse:\n  <<: *b\n  y: 2\nlist: [*b]\n",
	"a: 1\na: 2\n",
	"a: b # comment\n# comment\nc: http://x:80/#frag\n  # deeper comment\nd: x#y\n",
	"a:\n  b: 1\n c: 2\n",
	"a: b\n  c\nd: e\n",
	"? a\n: b\n",
	"1: a\ntrue: b\nnull: c\n",
	"a: !!binary aGk=\nb: !!str 1\nc: !x y\n",
	"\ta: 1\n",
	"a: {{ .Values.x }}\n",
	"a: \"b\" c\n",
	"key: - x\n",
	"\"quoted key\": 1\n'other': 2\n",
	"é: ü\nb: \"\u2028\"\n",
	"{\"a\": [1, 2.5, null, true, \"x\"]}\n",
	"--- |\n text\n",
	"%YAML 1.1\n---\na: 1\n",
	"a: [b\n c]\n",
	"a: -\nb: --\nc: -x\n",
	"a: 'x'\n  y: z\n",
}
