package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/probity-dev/probity/validate/internal/spelling"
	"github.com/probity-dev/probity/workload"
)

// Settings are what a namespace's labels say.
type Settings struct {
	Mode      Mode
	Profile   Profile
	Injection Injection
	// Problem names the labels that are not legal, and what is; empty when all
	// are.
	Problem string
}

// NamespaceSettings reads a namespace's labels; what they do not say is taken
// from the defaults. With an illegal value the settings are no stricter than
// warn and inject nothing: a typing error must neither refuse nor change.
func NamespaceSettings(labels map[string]string, defaults Settings) Settings {
	s := defaults
	var problems []string
	read := func(label string, parse func(string) error) {
		if value, ok := labels[label]; ok {
			if err := parse(value); err != nil {
				problems = append(problems, "label "+label+": "+err.Error())
			}
		}
	}
	read(workload.LabelMode, func(v string) (err error) {
		if s.Mode, err = ParseMode(v); err == nil {
			s.Injection = s.Mode.DefaultInjection()
		}
		return err
	})
	read(workload.LabelProfile, func(v string) (err error) {
		s.Profile, err = ParseProfile(v)
		return err
	})
	read(workload.LabelInject, func(v string) (err error) {
		s.Injection, err = ParseInjection(v)
		return err
	})
	if len(problems) > 0 {
		s.Mode = ModeWarn
		s.Injection = Injection{}
		s.Problem = strings.Join(problems, "; ")
	}
	return s
}

// namespaceLabels returns the labels that Probity reads on a namespace.
func namespaceLabels() []string {
	return []string{workload.LabelMode, workload.LabelProfile, workload.LabelInject}
}

// UnknownLabels says of each label of a namespace that has Probity's prefix and is
// none that it reads that it does nothing, by name. Such a label is nobody else's, so
// somebody meant one of ours and believes that it holds.
func UnknownLabels(labels map[string]string) []string {
	known := namespaceLabels()
	var unknown []string
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		name, ours := strings.CutPrefix(label, workload.Prefix)
		if !ours || slices.Contains(known, label) {
			continue
		}
		meant := "Probity reads " + strings.Join(known[:len(known)-1], ", ") + " and " + known[len(known)-1]
		if near := spelling.Nearest(name, shortNames(known)); near != "" {
			meant = "did you mean " + workload.Prefix + near + "?"
		}
		unknown = append(unknown, fmt.Sprintf("label %s on a namespace does nothing; %s", label, meant))
	}
	return unknown
}

// shortNames leaves the prefix out, which would make all of them alike.
func shortNames(labels []string) []string {
	names := make([]string, 0, len(labels))
	for _, label := range labels {
		names = append(names, strings.TrimPrefix(label, workload.Prefix))
	}
	return names
}

// ForWorkload returns the settings with the workload's own annotation applied.
func (s Settings) ForWorkload(w *workload.Workload) (Settings, error) {
	v, ok := w.Annotations[workload.AnnotationInject]
	if !ok {
		return s, nil
	}
	injection, err := ParseInjection(v)
	if err != nil {
		return s, fmt.Errorf("annotation %s: %w", workload.AnnotationInject, err)
	}
	s.Injection = injection
	return s, nil
}
