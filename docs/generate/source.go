package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// prometheusPackage is where metrics come from.
const prometheusPackage = "github.com/prometheus/client_golang/prometheus"

// constructor matches the functions that make one metric, or a family.
var constructor = regexp.MustCompile(`^New(Counter|Gauge|Histogram|Summary)(Vec|Func)?$`)

// source is one package's files, read for the metrics that it declares. Reading the
// code finds all of them, in whatever part, without running it; a registry of a
// process holds only what that process has needed.
type source struct {
	root   string
	files  *token.FileSet
	consts map[string]ast.Expr
	found  []metric
	errs   []error
}

// packageMetrics reads the files of one folder, tests aside.
func packageMetrics(root, folder string) ([]metric, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	s := source{root: root, files: token.NewFileSet(), consts: map[string]ast.Expr{}}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(s.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		s.readConstants(file)
	}
	for _, file := range files {
		if local := importName(file); local != "" {
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					s.call(call, local)
				}
				return true
			})
		}
	}
	return s.found, errors.Join(s.errs...)
}

func importName(file *ast.File) string {
	for _, i := range file.Imports {
		if i.Path.Value != strconv.Quote(prometheusPackage) {
			continue
		}
		if i.Name != nil {
			return i.Name.Name
		}
		return "prometheus"
	}
	return ""
}

func (s *source) readConstants(file *ast.File) {
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, spec := range decl.Specs {
			v := spec.(*ast.ValueSpec)
			for i, name := range v.Names {
				if i < len(v.Values) {
					s.consts[name.Name] = v.Values[i]
				}
			}
		}
	}
}

// call notes the metric that a call makes, if it makes one.
func (s *source) call(call *ast.CallExpr, local string) {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	if x, ok := fun.X.(*ast.Ident); !ok || x.Name != local {
		return
	}
	m := metric{At: s.at(call)}
	var err error
	if made := constructor.FindStringSubmatch(fun.Sel.Name); made != nil {
		m.Type = strings.ToLower(made[1])
		err = s.options(&m, call.Args[0])
		if err == nil && made[2] == "Vec" {
			m.Labels, err = s.list(call.Args[1])
		}
	} else if fun.Sel.Name == "NewDesc" {
		err = s.description(&m, call.Args)
	} else {
		return
	}
	if err != nil {
		s.errs = append(s.errs, fmt.Errorf("%s: a metric is declared so that its documentation cannot be read: %w", m.At, err))
		return
	}
	s.found = append(s.found, m)
}

// options reads a literal such as prometheus.GaugeOpts{Name: "x", Help: "y"}.
func (s *source) options(m *metric, arg ast.Expr) error {
	literal, ok := arg.(*ast.CompositeLit)
	if !ok {
		return errors.New("the options must be a literal")
	}
	for _, e := range literal.Elts {
		field, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return errors.New("the options must name their fields")
		}
		var err error
		switch field.Key.(*ast.Ident).Name {
		case "Name":
			m.Name, err = s.text(field.Value)
		case "Help":
			m.Help, err = s.text(field.Value)
		case "Namespace", "Subsystem", "ConstLabels":
			err = errors.New("give the whole name in Name, so that a search for it finds it, and no ConstLabels")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// description reads the arguments of prometheus.NewDesc, which do not tell the
// type: by convention, what ends in _total is a counter, and else it is a gauge.
func (s *source) description(m *metric, args []ast.Expr) (err error) {
	m.Type = "gauge"
	if m.Name, err = s.text(args[0]); err != nil {
		return err
	}
	if strings.HasSuffix(m.Name, "_total") {
		m.Type = "counter"
	}
	if m.Help, err = s.text(args[1]); err != nil {
		return err
	}
	m.Labels, err = s.list(args[2])
	return err
}

func (s *source) list(e ast.Expr) ([]string, error) {
	if name, ok := e.(*ast.Ident); ok && name.Name == "nil" {
		return nil, nil
	}
	literal, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil, errors.New("the labels must be a literal")
	}
	var all []string
	for _, element := range literal.Elts {
		text, err := s.text(element)
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}

// text is the value of a constant string.
func (s *source) text(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.Unquote(e.Value)
	case *ast.ParenExpr:
		return s.text(e.X)
	case *ast.Ident:
		if value, ok := s.consts[e.Name]; ok {
			return s.text(value)
		}
	case *ast.BinaryExpr:
		left, err := s.text(e.X)
		if err != nil {
			return "", err
		}
		right, err := s.text(e.Y)
		return left + right, err
	}
	return "", errors.New("names, help texts and labels must be strings, or constants of the same package")
}

func (s *source) at(n ast.Node) string {
	position := s.files.Position(n.Pos())
	file, err := filepath.Rel(s.root, position.Filename)
	if err != nil {
		file = position.Filename
	}
	return filepath.ToSlash(file) + ":" + strconv.Itoa(position.Line)
}
