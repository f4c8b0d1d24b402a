package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// pkg is a package with its types.
type pkg struct {
	// dir is the folder below the root of the module, with slashes.
	dir    string
	path   string
	module string
	files  []*file
	fset   *token.FileSet
	types  *types.Package
	info   *types.Info
	// importer reads what the package imports, as go build left it.
	importer types.Importer
}

// file is a source file of a package.
type file struct {
	// name is the path below the root of the module, with slashes.
	name   string
	src    []byte
	syntax *ast.File
	// imports gives the name of each package that the file imports.
	imports map[string]string
}

// listed is what `go list` tells of a package.
type listed struct {
	Dir, ImportPath, Export string
	GoFiles                 []string
	DepOnly                 bool
	Module                  *struct{ Path string }
}

// load reads packages of the module in root, by their folders.
func load(root string, dirs []string) ([]*pkg, error) {
	args := []string{"list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles,DepOnly,Module"}
	args = append(args, helperImports...)
	for _, dir := range dirs {
		args = append(args, "./"+dir)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	var named []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[l.ImportPath] = l.Export
		if !l.DepOnly && l.Module != nil {
			named = append(named, l)
		}
	}
	var all []*pkg
	for _, l := range named {
		p, err := parse(root, l, exports)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func parse(root string, l listed, exports map[string]string) (*pkg, error) {
	dir, err := filepath.Rel(root, l.Dir)
	if err != nil {
		return nil, err
	}
	p := &pkg{dir: filepath.ToSlash(dir), path: l.ImportPath, module: l.Module.Path, fset: token.NewFileSet()}
	p.importer = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	var syntax []*ast.File
	for _, name := range l.GoFiles {
		src, err := os.ReadFile(filepath.Join(l.Dir, name))
		if err != nil {
			return nil, err
		}
		f := &file{name: path.Join(p.dir, name), src: src}
		f.syntax, err = parser.ParseFile(p.fset, f.name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, f)
		syntax = append(syntax, f.syntax)
	}
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: p.importer}
	if p.types, err = config.Check(p.path, p.fset, syntax, p.info); err != nil {
		return nil, err
	}
	for _, f := range p.files {
		f.imports = p.namesOfImports(f.syntax)
	}
	return p, nil
}

func (p *pkg) namesOfImports(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil {
			names[path] = spec.Name.Name
			continue
		}
		for _, imported := range p.types.Imports() {
			if imported.Path() == path {
				names[path] = imported.Name()
			}
		}
	}
	return names
}

// compiling gives those of a package's breakages with which it compiles. All of
// them are put in at once; those at which the types do not fit are taken out until
// none is left.
func (p *pkg) compiling(all []*breakage) ([]*breakage, error) {
	for {
		bad, err := p.misfits(all)
		if err != nil {
			return nil, err
		}
		if len(bad) == 0 {
			return all, nil
		}
		var rest []*breakage
		for _, b := range all {
			if !bad[b] {
				rest = append(rest, b)
			}
		}
		all = rest
	}
}

func (p *pkg) misfits(all []*breakage) (map[*breakage]bool, error) {
	bad := map[*breakage]bool{}
	fset := token.NewFileSet()
	files := map[string]switched{}
	var syntax []*ast.File
	for name, s := range p.switched(all) {
		files[name] = s
		f, err := parser.ParseFile(fset, name, s.text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("the switches do not parse: %w", err)
		}
		syntax = append(syntax, f)
	}
	var stray error
	config := types.Config{Importer: p.importer, Error: func(err error) {
		var e types.Error
		if !errors.As(err, &e) || strings.HasPrefix(e.Msg, "\t") {
			return // goes on from the error before
		}
		at := fset.Position(e.Pos)
		if b := files[at.Filename].culprit(at.Offset); b != nil {
			bad[b] = true
		} else if stray == nil {
			stray = err
		}
	}}
	_, _ = config.Check(p.path, fset, syntax, nil) // its errors are told above
	if len(bad) == 0 && stray != nil {
		return nil, fmt.Errorf("the switches do not compile: %w", stray)
	}
	return bad, nil
}

// switched gives the package's files with the breakages in them, and the helper.
func (p *pkg) switched(all []*breakage) map[string]switched {
	byFile := map[string][]*breakage{}
	for _, b := range all {
		byFile[b.file] = append(byFile[b.file], b)
	}
	files := map[string]switched{path.Join(p.dir, helperName): {text: helperFor(p.types.Name())}}
	for _, f := range p.files {
		files[f.name] = putSwitches(f.src, byFile[f.name])
	}
	return files
}
