package validate

import (
	"net/url"
	"slices"
	"strings"

	"github.com/probity-dev/probity/workload"
)

// sameCheck compares what the kubelet asks for two probes of a container, however the
// manifest spells it; two connections to one port say nothing, since tcpSocket cannot
// ask for more.
func sameCheck(c *workload.Container, a, b *workload.Probe) bool {
	switch {
	case a.HTTPGet != nil && b.HTTPGet != nil:
		return sameRequest(c, a.HTTPGet, b.HTTPGet)
	case a.GRPC != nil && b.GRPC != nil:
		return *a.GRPC == *b.GRPC
	case a.Exec != nil && b.Exec != nil:
		return slices.Equal(a.Exec.Command, b.Exec.Command)
	default:
		return false
	}
}

func sameRequest(c *workload.Container, a, b *workload.HTTPGet) bool {
	return samePath(a.Path, b.Path) && resolvedPort(c, a.Port) == resolvedPort(c, b.Port) && a.Host == b.Host && schemeOf(a) == schemeOf(b) &&
		slices.Equal(sortedHeaders(a.Headers), sortedHeaders(b.Headers))
}

// samePath takes the two for a URL only where they are not plain: nearly all are, and
// every review comes by here.
func samePath(a, b string) bool {
	return a == b || (!isPlainPath(a) || !isPlainPath(b)) && requestURI(a) == requestURI(b)
}

// isPlainPath tells whether the kubelet asks for a path just as it is written.
func isPlainPath(path string) bool {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		return false
	}
	for i := range len(path) {
		c := path[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("/-_.~", c) < 0 {
			return false
		}
	}
	return true
}

// resolvedPort puts the number in place of a name that the container declares, by the
// first port of that name, as the kubelet does.
// Source: k8s.io/kubernetes/pkg/probe/util.go, findPortByName.
func resolvedPort(c *workload.Container, port workload.Port) workload.Port {
	if port.Name == "" {
		return port
	}
	for _, declared := range c.Ports {
		if declared.Name == port.Name {
			return workload.Port{Number: declared.ContainerPort}
		}
	}
	return port
}

// schemeOf is the scheme with the API's default.
func schemeOf(h *workload.HTTPGet) string {
	if h.Scheme == "" {
		return "HTTP"
	}
	return strings.ToUpper(h.Scheme)
}

// requestURI is what the kubelet asks for with a path: it starts with a slash,
// whether one is written or not, and has no fragment.
// Source: k8s.io/kubernetes/pkg/probe/http/request.go, formatURL.
func requestURI(path string) string {
	u, err := url.Parse(path)
	if err != nil {
		u = &url.URL{Path: path}
	}
	uri := u.EscapedPath()
	if !strings.HasPrefix(uri, "/") {
		uri = "/" + uri
	}
	if u.RawQuery != "" {
		uri += "?" + u.RawQuery
	}
	return uri
}

// sortedHeaders brings headers into one order and spelling: upper and lower case are
// one name, and only the values of one name have an order of their own.
func sortedHeaders(headers []workload.HTTPHeader) []workload.HTTPHeader {
	if len(headers) == 0 {
		return nil
	}
	sorted := slices.Clone(headers)
	for i := range sorted {
		sorted[i].Name = strings.ToLower(sorted[i].Name)
	}
	slices.SortStableFunc(sorted, func(a, b workload.HTTPHeader) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}
