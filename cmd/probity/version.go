package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker: -ldflags "-X main.version=v0.1.0".
var version string

// build is what is known of how this program was built.
type build struct {
	Version, Commit, Go, Platform string
}

// buildVersion takes the linker's version; without one, what the Go command
// noted: the module's version after `go install`, and the commit.
func buildVersion() build {
	b := build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.Commit = s.Value
		}
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "dev"
	}
	return b
}

func (b build) String() string {
	commit := ""
	if b.Commit != "" {
		commit = "commit " + b.Commit + ", "
	}
	return fmt.Sprintf("probity %s (%s%s, %s)", b.Version, commit, b.Go, b.Platform)
}

func newVersion(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "Print Probity's version, the commit and the Go release that it was built with.",
		Args:  atMost(0, "none"),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.stdout, buildVersion())
			return err
		},
	}
}
