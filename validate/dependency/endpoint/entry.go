package endpoint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
)

// Entry is one known endpoint of one product.
type Entry struct {
	// Product is the name that people know it by.
	Product string

	// Path is compared with the last segments of a request's path, so that a
	// prefix does no harm: "/actuator/health" is also "/shop/actuator/health".
	// It is lower case and has no query; a segment "*" stands for any one. "/"
	// is only the root itself.
	Path string

	// Query lists what the query must say, all of it:
	// "local" is given and not false, "!local" is not given or false,
	// "type=deep" has this value, "sealedcode=passing" has a status code
	// that the kubelet counts as success (200 to 399).
	Query []string

	// Headers are conditions of the same form on the request's headers.
	Headers []string

	// Images and Ports are evidence for the product where the path alone is
	// not enough: one of either must fit. An image fits when its last segment
	// has these words ("grafana" fits "grafana/grafana-oss:12", and not
	// "grafana/loki" or "grafana-operator"). A port is a number or a name.
	Images []string
	Ports  []string

	// Scope, Likely, Readiness and Generic are handed on, see dependency.Answer.
	Scope     dependency.Scope
	Likely    bool
	Readiness bool
	Generic   bool

	// Asks completes "livenessProbe.httpGet asks ...".
	Asks string
	// Instead is what the same product offers for liveness; may be empty.
	Instead string
	// Source is a URL of the product's documentation or source.
	Source string
}

// Table returns the built-in entries in their order, so that documentation can be
// made from it. Each call makes them anew, so nobody can change them for others.
func Table() []Entry {
	return slices.Concat(
		jvmEntries(), frameworkEntries(), kubernetesEntries(), deliveryEntries(),
		databaseEntries(), messagingEntries(), identityEntries(), searchEntries(),
		observabilityEntries(), proxyEntries(), applicationEntries(),
		analyticsEntries(), pageEntries(),
	)
}

// validate says what is wrong with an entry.
func (e Entry) validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("endpoint entry %q %q: %w", e.Product, e.Path, fmt.Errorf(format, args...))
	}
	if e.Product == "" {
		return fail("product must not be empty")
	}
	if err := validatePath(e.Path); err != nil {
		return fail("path %w", err)
	}
	if e.Scope > dependency.Shared {
		return fail("scope %d must be unknown, process, this instance or shared dependency", e.Scope)
	}
	if e.Asks == "" {
		return fail("asks must not be empty")
	}
	if e.Scope == dependency.Shared && e.Generic {
		return fail("generic must not be set on a shared dependency")
	}
	for _, image := range e.Images {
		if image == "" || strings.ContainsAny(image, "/:@") || image != strings.ToLower(image) {
			return fail("image %q must be the lower-case last segment of an image name, without tag", image)
		}
	}
	if slices.Contains(e.Ports, "") {
		return fail("ports must not hold an empty name")
	}
	for _, list := range [][]string{e.Query, e.Headers} {
		for _, s := range list {
			if _, err := parseCondition(s); err != nil {
				return fail("%w", err)
			}
		}
	}
	return nil
}

func validatePath(path string) error {
	if path == "/" {
		return nil
	}
	if path == "" || path[0] != '/' {
		return fmt.Errorf("must start with a slash")
	}
	if path != strings.ToLower(path) || strings.ContainsAny(path, "?#%; ") {
		return fmt.Errorf("must be lower case, decoded and without query; a query goes into the field of that name")
	}
	literal := false
	for s := range strings.SplitSeq(path[1:], "/") {
		if s == "" || s == "." || s == ".." || (s != "*" && strings.Contains(s, "*")) {
			return fmt.Errorf("must have whole segments only: %q is none", s)
		}
		literal = literal || s != "*"
	}
	if !literal {
		return fmt.Errorf("must have at least one segment that is not \"*\"")
	}
	return nil
}

// condition is one parsed item of Entry.Query or Entry.Headers.
type condition struct {
	name    string
	value   string
	absent  bool
	passing bool
}

func parseCondition(s string) (condition, error) {
	name, value, equal := strings.Cut(strings.ToLower(s), "=")
	c := condition{name: name, value: value}
	if rest, ok := strings.CutPrefix(name, "!"); ok {
		c.name, c.absent = rest, true
	}
	if c.name == "" || (equal && (value == "" || c.absent)) {
		return condition{}, fmt.Errorf(`condition %q must be "name", "!name", "name=value" or "name=passing"`, s)
	}
	if value == "passing" {
		c.value, c.passing = "", true
	}
	return c, nil
}

// holds tells whether a parameter with this value is what the condition speaks
// of. One that is absent or switched off is not.
func (c condition) holds(value string) bool {
	switch {
	case c.passing:
		code, err := strconv.Atoi(value)
		return err == nil && 200 <= code && code < 400
	case c.value != "":
		return strings.EqualFold(value, c.value)
	default:
		return !isFalse(value)
	}
}

// isFalse tells whether a parameter is switched off.
func isFalse(value string) bool {
	switch value {
	case "false", "0", "no", "off", "none", "n", "f":
		return true
	}
	return false
}
