package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/probity-dev/probity/audit"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// clusterFlags say which objects of which cluster.
type clusterFlags struct {
	kubeconfigFlags
	namespace string
	all       bool
}

// add defines the flags on a command; otherwise says which namespace it is without
// them.
func (f *clusterFlags) add(command *cobra.Command, otherwise string) {
	flags := command.Flags()
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace to look at ("+otherwise+")")
	flags.BoolVarP(&f.all, "all-namespaces", "A", false, "look at all namespaces but kube-system and kube-node-lease")
	f.kubeconfigFlags.add(command)
}

// chosen reports whether the flags ask for a cluster at all.
func (f *clusterFlags) chosen() bool {
	return f.all || f.namespace != "" || f.context != "" || f.path != ""
}

// connect returns a lister of the cluster, and the namespace to look at, "" for all
// of them.
func (f *clusterFlags) connect() (*audit.Lister, string, error) {
	if f.all && f.namespace != "" {
		return nil, "", usageError{errors.New("--all-namespaces and --namespace exclude each other")}
	}
	config, namespace, err := f.find()
	if err != nil {
		return nil, "", err
	}
	if f.all || f.namespace != "" {
		namespace = f.namespace
	}
	lister, err := audit.NewLister(config)
	return lister, namespace, err
}

// clusterSource goes through the objects of a cluster.
type clusterSource struct {
	lister    *audit.Lister
	namespace string
	kinds     *workload.Kinds
	note      func(string)
	// settings says what holds in a namespace with these labels.
	settings func(labels map[string]string) validate.Settings
	// assumed is set where no label, configuration or flag says the mode of a namespace
	// without the label, so that Probity itself judges nothing there.
	assumed bool
}

// clusterRead is what came of reading a cluster.
type clusterRead struct {
	settings map[string]validate.Settings
	errors   []workload.InputError
}

// clusterPlace names an object of the cluster where a file's name stands for others:
// kubectl knows what is behind the namespace.
func clusterPlace(namespace, resource, name string) workload.Source {
	return workload.Source{File: namespace + "/" + resource + "/" + name}
}

// read hands each object in a namespace that is not off to a function, with the
// namespace's settings.
func (s *clusterSource) read(ctx context.Context, each func(validate.Settings, audit.Item) error) (*clusterRead, error) {
	read := &clusterRead{}
	var err error
	if read.settings, err = s.allSettings(ctx); err != nil {
		return nil, err
	}
	resources, failed := s.lister.Resources(ctx, s.kinds)
	for _, e := range failed {
		read.fail(e)
	}
	listing, err := s.lister.List(ctx, audit.Query{Kinds: s.kinds, Resources: resources, Namespace: s.namespace}, func(i audit.Item) error {
		settings, known := read.settings[i.Ref.Namespace]
		if !known || settings.Mode == validate.ModeOff {
			return nil
		}
		return each(settings, i)
	})
	for _, e := range listing.Errors {
		read.fail(e)
	}
	return read, err
}

func (r *clusterRead) fail(e audit.ResourceError) {
	// Both the list's name and the server's words begin with the kind.
	message := strings.TrimPrefix(strings.TrimPrefix(e.Error(), e.Resource+": "), e.Resource+" is forbidden: ")
	r.errors = append(r.errors, workload.InputError{File: e.Resource, Message: message})
}

// allSettings returns the settings of the namespaces that are looked at. Whoever may
// not read the labels of one that they named is told what holds in their place.
func (s *clusterSource) allSettings(ctx context.Context) (map[string]validate.Settings, error) {
	if s.namespace != "" {
		ns, err := s.lister.Namespace(ctx, s.namespace)
		settings := s.settings(ns.Labels)
		if forbidden(err) {
			s.note(fmt.Sprintf("the labels of namespace %s cannot be read for want of permission; it is judged in mode %s by profile %s", s.namespace, settings.Mode, settings.Profile))
			err = nil
		}
		if err != nil {
			return nil, fmt.Errorf("read namespace %s: %w", s.namespace, err)
		}
		s.problems(s.namespace, ns, settings)
		return map[string]validate.Settings{s.namespace: settings}, nil
	}
	there, err := s.lister.Namespaces(ctx)
	if forbidden(err) {
		return nil, fmt.Errorf("list namespaces: %w; --namespace looks at one, and needs no such permission", err)
	}
	if err != nil {
		return nil, fmt.Errorf("list namespaces: %w", err)
	}
	all := map[string]validate.Settings{}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if !audit.Untouched(name) {
			all[name] = s.settings(there[name].Labels)
			s.problems(name, there[name], all[name])
		}
	}
	return all, nil
}

// problems tells of labels that are not legal, and of labels and annotations that do
// nothing.
func (s *clusterSource) problems(namespace string, ns audit.Namespace, settings validate.Settings) {
	for _, unknown := range slices.Concat(validate.UnknownLabels(ns.Labels), validate.UnknownAnnotations(ns.Annotations)) {
		s.note(fmt.Sprintf("namespace %s: %s", namespace, unknown))
	}
	if s.assumed && len(validate.IdleLabels(ns.Labels)) > 0 {
		s.note(fmt.Sprintf("namespace %s: without label %s its other labels do nothing where Probity is installed, unless the configuration there has a default mode; here it is judged in mode %s",
			namespace, workload.LabelMode, settings.Mode))
	}
	if settings.Problem != "" {
		s.note(fmt.Sprintf("namespace %s: %s; it is judged in mode %s", namespace, settings.Problem, settings.Mode))
	}
}

func forbidden(err error) bool { return err != nil && audit.ResourceError{Err: err}.Forbidden() }
