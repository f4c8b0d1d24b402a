// Package goreleaser pins the programs that make a release: goreleaser, and
// cyclonedx-gomod, which lists what a program is made of. They have a module of
// their own, as they need other versions of libraries than the linters in tools.
package goreleaser
