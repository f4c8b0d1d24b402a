package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

func TestRewriteSetsTheVersionAndTheStagingModulesOfARelease(t *testing.T) {
	const ours = `module example.com/e2e

go 1.26.0

require (
	k8s.io/api v0.36.3
	k8s.io/kubernetes v1.36.3
)

// The product.
replace example.com/product => ../

// Kubernetes takes these from folders of its own tree; cmd/bump writes the lines.
replace (
	k8s.io/api => k8s.io/api v0.36.3
	k8s.io/gone => k8s.io/gone v0.36.3
)
`
	const theirs = `module k8s.io/kubernetes

require k8s.io/api v0.0.0

replace (
	example.com/pinned => example.com/pinned v1.0.0
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/new => ./staging/src/k8s.io/new
)
`
	const want = `module example.com/e2e

go 1.26.0

require (
	k8s.io/api v0.36.3
	k8s.io/kubernetes v1.37.2
)

// The product.
replace example.com/product => ../

// Kubernetes takes these from folders of its own tree; cmd/bump writes the lines.
replace (
	k8s.io/api => k8s.io/api v0.37.2
	k8s.io/new => k8s.io/new v0.37.2
)
`
	got, err := rewrite(parse(t, ours), parse(t, theirs), "v1.37.2", "v0.37.2")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("go.mod (-want +got):\n%s", diff)
	}
	again, err := rewrite(parse(t, string(got)), parse(t, theirs), "v1.37.2", "v0.37.2")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(again)); diff != "" {
		t.Errorf("go.mod after a second time (-want +got):\n%s", diff)
	}
}

func TestStagingVersion(t *testing.T) {
	for version, want := range map[string]string{
		"v1.37.2":        "v0.37.2",
		"v1.38.0-beta.1": "v0.38.0-beta.1",
		"1.37.2":         "",
		"v1.37":          "",
		"v2.0.0":         "",
		"latest":         "",
	} {
		got, err := stagingVersion(version)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("stagingVersion(%q) = %q, %v; want %q", version, got, err, want)
		}
	}
}

func parse(t *testing.T, text string) *modfile.File {
	t.Helper()
	file, err := modfile.Parse("go.mod", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
