// Package dependency holds the answer to one question: what does the verdict of
// a health check depend on? Package endpoint answers it for HTTP paths and gRPC
// services, package command for exec probes; the rules and the inventory read
// the answer.
package dependency

// Scope is how far a check's verdict reaches.
type Scope uint8

// The scopes, from nothing known to the widest.
const (
	// Unknown means that the manifest does not show what the check asks.
	Unknown Scope = iota
	// Process means that the check asks only whether this process answers.
	Process
	// Instance means that the check asks this instance about its own state:
	// its own server, its own files, its own readiness.
	Instance
	// Shared means that the verdict depends on something that other replicas
	// ask too: another host, a broker, cluster-wide state, the Kubernetes API.
	// A restart of this container cannot repair it.
	Shared
)

// String returns the term that the inventory prints.
func (s Scope) String() string {
	switch s {
	case Process:
		return "process"
	case Instance:
		return "this instance"
	case Shared:
		return "shared dependency"
	default:
		return "unknown"
	}
}

// Answer says what a check asks, and what in the manifest shows it.
// The zero value is "unknown".
type Answer struct {
	Scope Scope

	// Likely is set when the evidence is strong but no proof: a known product
	// at its usual address, a script whose name says what it does. Findings on
	// it warn where proven ones deny.
	Likely bool

	// Readiness is set when the check is a readiness check by its own name
	// (/readyz, /actuator/health/readiness, gRPC service "readiness").
	Readiness bool

	// Generic is set for an endpoint that may be anything (/health, /status):
	// its name tells neither liveness nor readiness.
	Generic bool

	// Asks completes "livenessProbe.exec asks ...": `host "db"`,
	// `every health indicator of Spring Boot Actuator, the database included`.
	Asks string

	// Evidence is the part of the manifest that shows it, as it is written and
	// at most 120 bytes long: `pg_isready -h db`, `/health/db`.
	Evidence string

	// Instead is what the same product offers for a liveness check
	// (`/actuator/health/liveness`), empty when nothing is known.
	Instead string

	// Source is where the fact can be read: a URL of the product's
	// documentation or source, empty for what the words themselves say.
	Source string
}
