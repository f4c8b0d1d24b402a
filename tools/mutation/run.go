package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// options are what the command line says.
type options struct {
	root      string
	survivors string
	patterns  []string
	// count is how many breakages a unit gets, 0 for all.
	count   int
	jobs    int
	verbose bool
}

// least is how many breakages of a rule must be caught.
const least = 5

// errUncaught is returned when the tests let pass what they should not.
var errUncaught = errors.New("the tests do not catch all breakages")

// outcome is what came of a breakage.
type outcome struct {
	*breakage
	// by names the test that fails with it; it is empty when none does.
	by string
}

// run breaks the units and tells which tests see it.
func run(ctx context.Context, o options, out io.Writer) error {
	units, err := findUnits(o.root, o.patterns)
	if err != nil {
		return err
	}
	listed, err := readSurvivors(filepath.Join(o.root, filepath.FromSlash(o.survivors)))
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	p := &plan{units: units, listed: listed, count: o.count}
	if err := p.make(o.root); err != nil {
		return err
	}
	fmt.Fprintf(out, "Building the tests of %d packages with %d breakages in them.\n", len(dirsOf(units)), len(p.chosen))
	t, err := buildTests(o.root, work, dirsOf(units), p.files)
	if err != nil {
		return err
	}
	if err := t.settle(ctx, dirsOf(units)); err != nil {
		return err
	}
	return p.judge(ctx, o, t, out)
}

// plan is what gets broken.
type plan struct {
	units  []unit
	listed []survivor
	count  int

	byUnit map[unit][]*breakage
	chosen []*breakage
	files  map[string]switched
	// known are the keys of all breakages there are, chosen or not.
	known map[key]bool
}

// make finds breakages that compile and chooses among them.
func (p *plan) make(root string) error {
	dirs := make([]string, len(p.units))
	for i, u := range p.units {
		dirs[i] = u.dir()
	}
	slices.Sort(dirs)
	pkgs, err := load(root, slices.Compact(dirs))
	if err != nil {
		return err
	}
	always := map[key]bool{}
	for _, s := range p.listed {
		always[s.Key] = true
	}
	p.byUnit, p.files, p.known = map[unit][]*breakage{}, map[string]switched{}, map[key]bool{}
	for _, pkg := range pkgs {
		all, err := pkg.compiling(p.findIn(pkg))
		if err != nil {
			return err
		}
		first := len(p.chosen)
		for _, u := range p.units {
			mine := slices.DeleteFunc(slices.Clone(all), func(b *breakage) bool { return b.file != u.file })
			if len(mine) == 0 {
				continue
			}
			for _, b := range mine {
				p.known[b.key()] = true
			}
			p.byUnit[u] = choose(mine, p.count, always)
			p.chosen = append(p.chosen, p.byUnit[u]...)
		}
		for i, b := range p.chosen[first:] {
			b.id = first + i + 1
		}
		for name, s := range pkg.switched(p.chosen[first:]) {
			p.files[name] = s
		}
	}
	return nil
}

// findIn gives the breakages of the units in a package.
func (p *plan) findIn(of *pkg) []*breakage {
	var all []*breakage
	for _, f := range of.files {
		if slices.ContainsFunc(p.units, func(u unit) bool { return u.file == f.name }) {
			all = append(all, find(of, f)...)
		}
	}
	return all
}

// judge runs the tests with each breakage and reports unit after unit.
func (p *plan) judge(ctx context.Context, o options, t *tests, out io.Writer) error {
	r := newReport(out, p, o.verbose)
	for _, u := range p.units {
		outcomes, err := runUnit(ctx, u, p.byUnit[u], o.jobs, t)
		if err != nil {
			return err
		}
		r.unit(u, outcomes)
	}
	return r.end()
}

// runUnit runs the tests with each breakage of a unit, some at a time.
func runUnit(ctx context.Context, u unit, of []*breakage, jobs int, t *tests) ([]outcome, error) {
	outcomes, errs := make([]outcome, len(of)), make([]error, len(of))
	slots := make(chan struct{}, jobs)
	var all sync.WaitGroup
	for i, b := range of {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			by, err := t.caught(ctx, u, b)
			outcomes[i], errs[i] = outcome{b, by}, err
		})
	}
	all.Wait()
	return outcomes, errors.Join(errs...)
}
