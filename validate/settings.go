package validate

import (
	"fmt"
	"strings"

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
