package command

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/probity-dev/probity/validate/dependency"
)

// kubernetesHost is the API server's Service.
const kubernetesHost = "kubernetes.default.svc"

// reach is how far a host is from this pod.
type reach uint8

const (
	reachUnknown reach = iota
	// reachNothing is a host that the kubelet has emptied or left unexpanded:
	// the command asks nobody.
	reachNothing
	reachLocal  // this pod
	reachLikely // elsewhere, by strong evidence
	reachFar    // elsewhere, proven
)

// place is where a host is.
type place struct {
	reach   reach
	asks    string // completes "asks ...", for what is elsewhere
	fault   string // for reachNothing
	replica bool   // a replica of this workload, perhaps this pod itself
	emptied bool   // reachNothing, and no text is left
}

// isIPv6 tells whether a text is an IPv6 address.
func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is6()
}

// locate tells where a host is. The subject is what is asked there: a variable
// such as $REDIS_HOST says more to a Redis client than to curl.
func (r *run) locate(host string, about subject) place {
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	if strings.HasPrefix(host, socketHost) {
		return place{reach: reachLocal}
	}
	if hasSymbol(host) {
		return r.locateSymbols(host, about)
	}
	lower := strings.ToLower(host)
	if isLoopbackName(lower) || r.isOwnName(lower) {
		return place{reach: reachLocal}
	}
	if isNumericAddress(lower) {
		return r.locateAddress(lower)
	}
	if !isHostName(lower) || isPort(lower) {
		return place{}
	}
	if r.isReplica(lower) {
		return place{reach: reachLikely, asks: "replica " + quoted(lower), replica: true}
	}
	return place{reach: reachFar, asks: describeHost(lower)}
}

func describeHost(host string) string {
	switch host {
	case "kubernetes", "kubernetes.default", kubernetesHost, "kubernetes.default.svc.cluster.local":
		return "the Kubernetes API"
	case "metadata.google.internal", "metadata":
		return "the cloud's metadata service"
	}
	return "host " + quoted(host)
}

func isLoopbackName(host string) bool {
	switch host {
	case "", "localhost", "localhost.localdomain", "localhost4", "localhost6", "ip6-localhost",
		"ip6-loopback", "loopback", "0", "*", ".", "(local)":
		return true
	}
	return strings.HasSuffix(host, ".localhost")
}

// isOwnName tells whether a host is one of the names that mean this pod, alone
// or with the domain behind it.
func (r *run) isOwnName(host string) bool {
	for _, own := range r.req.OwnNames {
		own = strings.ToLower(own)
		if own == "" {
			continue
		}
		if host == own || strings.HasPrefix(host, own) && host[len(own)] == '.' {
			return true
		}
	}
	return false
}

// isReplica recognises "web-0.web" in a StatefulSet "web": one replica, which is
// this pod only where it is the only one.
func (r *run) isReplica(host string) bool {
	label, _, _ := strings.Cut(host, ".")
	for _, own := range r.req.OwnNames {
		digits, ok := strings.CutPrefix(label, strings.ToLower(own)+"-")
		if ok && own != "" && isPort(digits) {
			return true
		}
	}
	return false
}

// isNumericAddress tells whether a host is written as an address.
func isNumericAddress(host string) bool {
	_, ok := parseAddress(host)
	return ok
}

// parseAddress reads an address, also in the forms that only inet_aton knows:
// 127.1, 0x7f.0.0.1.
func parseAddress(host string) (netip.Addr, bool) {
	host, _, _ = strings.Cut(host, "%")
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr, true
	}
	parts := strings.Split(host, ".")
	if len(parts) < 2 || len(parts) > 4 {
		return netip.Addr{}, false // one number is a port, a time or a count
	}
	value := uint64(0)
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 0, 32)
		last := i == len(parts)-1
		switch {
		case err != nil || strings.Contains(p, "_") || !last && n > 255:
			return netip.Addr{}, false
		case last:
			value = value<<(8*(4-uint(i))) | n // the last part fills the rest
		default:
			value = value<<8 | n
		}
	}
	if value > 0xffffffff {
		return netip.Addr{}, false
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

func (r *run) locateAddress(host string) place {
	addr, ok := parseAddress(host)
	if !ok {
		return place{}
	}
	addr = addr.Unmap()
	switch {
	case addr.IsLoopback(), addr.IsUnspecified():
		return place{reach: reachLocal}
	case host == "169.254.169.254", host == "fd00:ec2::254":
		return place{reach: reachFar, asks: "the cloud's metadata service"}
	case addr.IsLinkLocalUnicast() && r.req.HostNetwork:
		return place{reach: reachLocal}
	case addr.IsLinkLocalUnicast():
		return place{reach: reachLikely, asks: "the node at " + host}
	}
	return place{reach: reachFar, asks: "host " + quoted(host)}
}

// isHostName tells whether a text may be a host's name at all.
func isHostName(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	letters := false
	for i := range len(host) {
		c := host[i]
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			letters = true
		case c == '-' && i > 0 || c == '.' || c == '_':
		default:
			return false
		}
	}
	return letters
}

// locateSymbols judges a host with parts that the manifest does not show.
func (r *run) locateSymbols(host string, about subject) place {
	if s, ok := r.onlySymbol(host); ok {
		return r.locateSymbol(s, about)
	}
	label, _, _ := strings.Cut(host, ".")
	known := 0
	var first symbol
	for i, c := range label {
		s, ok := r.symbolOf(c)
		switch {
		case !ok:
			if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
				known++
			}
		case s.kind == symSelf:
			return place{reach: reachLocal}
		case s.kind == symEmptied || s.kind == symUnexpanded:
			return r.locateSymbol(s, about)
		case i == 0:
			first = s
		}
	}
	if !utf8.ValidString(host) || strings.ContainsAny(host, " \t\n/") {
		return place{}
	}
	asks := "host " + quoted(r.render(host))
	switch {
	case label == host && known == 0:
		return place{}
	case r.isOwnName(strings.ToLower(withoutSymbols(host))):
		return place{}
	case known > 0 && first == (symbol{}):
		return place{reach: reachFar, asks: asks} // "db-$ENV.data"
	case first.kind == symVar && isSelfName(first.name):
		return place{reach: reachLocal}
	default:
		return place{reach: reachLikely, asks: asks} // "$APP.shop.svc"
	}
}

// locateSymbol judges a host that is one unknown value.
func (r *run) locateSymbol(s symbol, about subject) place {
	switch s.kind {
	case symSelf:
		return place{reach: reachLocal}
	case symEmptied:
		return place{reach: reachNothing, emptied: true, fault: s.text + " is empty in a probe, because the kubelet expands only " +
			`literal values there; run the command in a shell and write "$` + s.name + `"`}
	case symUnexpanded:
		return place{reach: reachNothing, fault: s.text + " is not expanded in a probe, because the kubelet expands " +
			`only what env lists; run the command in a shell and write "$` + s.name + `"`}
	case symVar:
		return r.locateVariable(s, about)
	}
	// $(echo $DATABASE_URL | sed ...): a part of a known address, as a rule the host.
	if _, _, isURL := cutScheme(s.of); isURL {
		for _, t := range addresses(s.of) {
			if p := r.locate(t.host, about); p.reach > reachLocal {
				p.reach = reachLikely
				return p
			}
		}
	}
	return place{}
}

// locateVariable judges a host by the name of the variable that holds it.
func (r *run) locateVariable(s symbol, about subject) place {
	if isSelfName(s.name) {
		return place{reach: reachLocal}
	}
	asks := "the host in " + s.text
	if s.origin == fromLink {
		return place{reach: reachFar, asks: "the Service in " + s.text}
	}
	evidence := r.nameEvidence(s.name)
	switch {
	case evidence == namesOther:
		// $MASTER_HOST is another host to the replica as well.
	case about.client != nil && about.client.isProduct():
		if r.serves(about.client) {
			return place{}
		}
	case evidence == namesDependency:
		if r.servesWord(s.name) {
			return place{}
		}
	default:
		return place{}
	}
	if evidence == namesNothing || s.origin == fromNowhere {
		return place{reach: reachLikely, asks: asks}
	}
	return place{reach: reachFar, asks: asks}
}

// answer makes an answer out of a place that is elsewhere.
func (p place) answer() dependency.Answer {
	return dependency.Answer{
		Scope:  dependency.Shared,
		Likely: p.reach == reachLikely,
		Asks:   p.asks,
	}
}
