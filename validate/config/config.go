// Package config reads Probity's configuration file: strictly, with the line of
// everything that is wrong, into what the webhook, the command line and the
// audit judge by. Like package validate it is pure; only Load and Watcher read
// a file.
package config

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/dependency/command"
	"github.com/probity-dev/probity/validate/dependency/endpoint"
	"github.com/probity-dev/probity/workload"
)

// The apiVersion and kind of the file.
const (
	APIVersion = "probity.dev/v1alpha1"
	Kind       = "Configuration"
)

// Config is what a configuration file says. It comes from Load, Parse or
// Default and is not changed afterwards.
type Config struct {
	Defaults Defaults
	// Rules change the profiles, in the order of the file.
	Rules []validate.Override
	// Words name further dependencies, Endpoints and Clients further health
	// endpoints and programs of exec probes.
	Words     []string
	Endpoints []endpoint.Entry
	Clients   []command.Client
	// CustomKinds hold pod templates too.
	CustomKinds []workload.CustomKind
	// StartupBudget is the shortest that is injected; zero means that the file
	// does not say.
	StartupBudget time.Duration
	Budget        Budget
	Exemptions    validate.Exemptions

	known    validate.Knowledge
	kinds    *workload.Kinds
	policies [len(validate.Profiles)]*validate.Policy
}

// Defaults hold where a namespace's labels do not say. A field is nil when the
// file does not say either.
type Defaults struct {
	Mode      *validate.Mode
	Profile   *validate.Profile
	Injection *validate.Injection
}

// Settings are those of a namespace without labels; otherwise is the mode when
// the file does not say.
func (d Defaults) Settings(otherwise validate.Mode) validate.Settings {
	s := validate.Settings{Mode: otherwise}
	if d.Mode != nil {
		s.Mode = *d.Mode
	}
	if d.Profile != nil {
		s.Profile = *d.Profile
	}
	s.Injection = s.Mode.DefaultInjection()
	if d.Injection != nil {
		s.Injection = *d.Injection
	}
	return s
}

// Budget is how the disruption budgets look that Probity makes.
type Budget struct {
	MaxUnavailable workload.IntOrPercent
	// UnhealthyPodEvictionPolicy is AlwaysAllow or IfHealthyBudget.
	UnhealthyPodEvictionPolicy string
}

// Default is the configuration of an empty file.
func Default() *Config {
	c := blank()
	if err := c.build(); err != nil {
		panic(err) // unreachable: nothing is configured
	}
	return c
}

func blank() *Config {
	return &Config{
		// Ten percent rounds up: one of up to ten replicas.
		Budget: Budget{
			MaxUnavailable:             workload.IntOrPercent{Text: "10%", Value: 10, Percent: true},
			UnhealthyPodEvictionPolicy: alwaysAllow,
		},
		Exemptions: *validate.DefaultExemptions(),
	}
}

// Load reads a file. The error is an *Error when the file could be read.
func Load(path string) (*Config, error) {
	data, err := read(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return data, nil
}

// Parse reads the text of a configuration; name is what errors call it. The
// error is an *Error with all that is wrong.
func Parse(name string, data []byte) (*Config, error) {
	d := new(decoder)
	root := d.syntax(data)
	if root == nil {
		return nil, d.error(name)
	}
	c := blank()
	if d.identify(root) {
		c.file().read(d, root, "")
	}
	if err := d.error(name); err != nil {
		return nil, err
	}
	return c, nil
}

// build makes what consumers ask for, once.
func (c *Config) build() (err error) {
	if c.kinds, err = workload.NewKinds(c.CustomKinds...); err != nil {
		return err
	}
	for _, profile := range validate.Profiles {
		p, err := validate.NewPolicy(profile, c.Rules...)
		if err != nil {
			return err
		}
		c.policies[profile] = p.WithKnowledge(c.known)
	}
	return nil
}

// knowledge is the built-in one as long as nothing is added: making another
// takes milliseconds.
func (c *Config) knowledge() (k validate.Knowledge, err error) {
	if len(c.Words)+len(c.Endpoints)+len(c.Clients) == 0 {
		return k, nil
	}
	if k.Endpoints, err = endpoint.New(endpoint.Options{Entries: c.Endpoints, Words: c.Words}); err != nil {
		return k, err
	}
	k.Commands, err = command.New(command.Options{Endpoints: k.Endpoints, Clients: c.Clients, Words: c.Words})
	return k, err
}

// Kinds returns the built-in kinds and those of the file.
func (c *Config) Kinds() *workload.Kinds { return c.kinds }

// Policy returns a profile as the file changes it. It knows the file's words,
// endpoints and clients.
func (c *Config) Policy(profile validate.Profile) *validate.Policy { return c.policies[profile] }

// Policies returns Policy of every profile.
func (c *Config) Policies() map[validate.Profile]*validate.Policy {
	all := map[validate.Profile]*validate.Policy{}
	for _, profile := range validate.Profiles {
		all[profile] = c.policies[profile]
	}
	return all
}
