package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/probity-dev/probity/cmd/probity/internal/exemptions"
	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/workload"
)

// maxConfigMap is how much a ConfigMap holds (k8s.io/api, MaxSecretSize).
const maxConfigMap = 1 << 20

// exemptionFlags are those of commands that write exemptions in place of a report.
type exemptionFlags struct {
	file, reason, until string
	// text is the configuration to add to.
	text []byte
}

func (f *exemptionFlags) add(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&f.file, "write-exemptions", "", "instead of a report, write a configuration that exempts all that is broken today (- is standard output)")
	flags.StringVar(&f.reason, "reason", "older than enforcement", "reason of the exemptions that are written")
	flags.StringVar(&f.until, "until", "", "their last day, such as 2027-01-31 (default: without end)")
	if err := command.MarkFlagFilename("write-exemptions", "yaml", "yml"); err != nil {
		panic(err) // unreachable: the flag has just been defined
	}
}

// wanted reports whether exemptions are to be written.
func (f *exemptionFlags) wanted() bool { return f.file != "" }

func (f *exemptionFlags) toStdout() bool { return f.file == "-" }

// prepare checks the flags and takes the configuration to add to: the file, if it
// is there, else that of --config. A file that is there is what is judged by, too.
func (f *exemptionFlags) prepare(command *cobra.Command, config *configFlag, now time.Time) error {
	if !f.wanted() {
		for _, name := range []string{"reason", "until"} {
			if command.Flags().Changed(name) {
				return usageError{fmt.Errorf("--%s is for --write-exemptions, which is not given", name)}
			}
		}
		return nil
	}
	if command.Flags().Changed("output") {
		return usageError{errors.New("--write-exemptions writes no report: leave --output out")}
	}
	terms, err := f.terms()
	if err != nil {
		return usageError{err}
	}
	today := now.UTC().Truncate(24 * time.Hour)
	if !terms.Until.IsZero() && terms.Until.Before(today) {
		return usageError{fmt.Errorf("--until is %s, which is over: exemptions with it would exempt from nothing; must be %s or later", f.until, today.Format(time.DateOnly))}
	}
	if !f.toStdout() {
		switch same, err := f.isThere(config.path); {
		case err != nil:
			return err
		case same && config.path == "":
			config.path = f.file
		}
	}
	if config.path == "" {
		return nil
	}
	if f.text, err = os.ReadFile(config.path); err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	if _, is := inConfigMap(f.text); is {
		return usageError{fmt.Errorf("%s is a ConfigMap: --write-exemptions adds to the configuration alone, in a file of its own", config.path)}
	}
	return nil
}

// isThere reports whether the file exists. One that is not the configuration's would
// lose either its content or the configuration's.
func (f *exemptionFlags) isThere(config string) (bool, error) {
	info, err := os.Stat(f.file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if config == "" {
		return true, nil
	}
	if other, err := os.Stat(config); err != nil || !os.SameFile(info, other) {
		return false, usageError{fmt.Errorf("%s is there already and is not the file of --config: name one file for both, or one that is new", f.file)}
	}
	return true, nil
}

func (f *exemptionFlags) terms() (exemptions.Terms, error) {
	t := exemptions.Terms{Reason: f.reason}
	if f.reason == "" {
		return t, errors.New("--reason must say why")
	}
	if f.until == "" {
		return t, nil
	}
	var err error
	if t.Until, err = time.Parse(time.DateOnly, f.until); err != nil {
		return t, fmt.Errorf("--until is %q: must be a date such as 2027-01-31", f.until)
	}
	return t, nil
}

// write writes the list, and tells what it did.
func (f *exemptionFlags) write(p program, list *exemptions.List) error {
	if list.Objects() == 0 {
		fmt.Fprintln(p.stderr, "Nothing is broken that is not exempted; no exemptions are written.")
		if f.toStdout() && f.text != nil {
			_, err := p.stdout.Write(f.text)
			return err
		}
		return nil
	}
	terms, err := f.terms()
	if err != nil {
		return err
	}
	text, err := list.Merge(f.file, f.text, terms)
	if err != nil {
		return tellProblems(p, err)
	}
	if f.toStdout() {
		if _, err := p.stdout.Write(text); err != nil {
			return err
		}
	} else if err := f.save(text); err != nil {
		return err
	}
	where := "standard output"
	if !f.toStdout() {
		where = f.file
	}
	fmt.Fprintf(p.stderr, "%s: exemptions written for %s of %s.\n",
		report.Safe(where), report.Count(list.Findings, "finding"), report.Count(list.Objects(), "object"))
	if len(text) > maxConfigMap {
		fmt.Fprintf(p.stderr, "That is %d bytes, and a ConfigMap holds %d: join entries by globs, or exempt namespaces.\n", len(text), maxConfigMap)
	}
	return nil
}

func (f *exemptionFlags) save(text []byte) error {
	if _, err := os.Stat(f.file); err == nil {
		return overwrite(f.file, text)
	}
	return os.WriteFile(f.file, text, 0o644)
}

// exemptionCollector takes results as a renderer does, and keeps what is broken.
type exemptionCollector struct {
	program program
	list    exemptions.List
}

// Object takes what the object breaks.
func (c *exemptionCollector) Object(o report.Object) error {
	for i := range o.Findings {
		if f := &o.Findings[i]; !c.list.Add(&f.Finding) {
			return c.InputError(workload.InputError{
				File: f.Source.File, Line: f.Source.Line, Judged: true,
				Message: fmt.Sprintf("%s has no name to exempt it by [%s]", o.Ref.Kind, f.Rule),
			})
		}
	}
	return nil
}

// InputError tells what is wrong with the input.
func (c *exemptionCollector) InputError(e workload.InputError) error {
	tellErrors(c.program, []workload.InputError{e})
	return nil
}

// Notice tells what is to be said of an exemption.
func (c *exemptionCollector) Notice(n report.Notice) error {
	return c.InputError(workload.InputError{File: n.Source.File, Line: n.Source.Line, Message: n.Message, Judged: true})
}

// Finish does nothing: the list is written when all is known.
func (c *exemptionCollector) Finish(report.Totals) error { return nil }
