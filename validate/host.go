package validate

import (
	"net/netip"
	"strings"
)

// hostKind is what the host of a probe's handler stands for, seen from the node
// that dials it.
type hostKind uint8

const (
	// hostName is a DNS name of another host.
	hostName hostKind = iota
	// hostAddress is an IP address of another host.
	hostAddress
	// hostLoopback is the dialling node itself.
	hostLoopback
	// hostLinkLocal is an address that never leaves the node's links.
	hostLinkLocal
	// hostMetadata is the link-local address of the cloud's metadata service.
	hostMetadata
	// hostUnspecified is an address to listen on, not to dial.
	hostUnspecified
	// hostVariable is a reference such as $(POD_IP), which no handler expands.
	hostVariable
	// hostNone is text that can be no host: a URL, a host with its port.
	hostNone
)

// metadataAddresses answer in every large cloud:
// docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html,
// cloud.google.com/compute/docs/metadata/querying-metadata.
var metadataAddresses = [...]netip.Addr{
	netip.AddrFrom4([4]byte{169, 254, 169, 254}),
	netip.AddrFrom16([16]byte{0: 0xfd, 2: 0x0e, 3: 0xc2, 14: 0x02, 15: 0x54}), // fd00:ec2::254
}

// classifyHost reads a host that is not empty.
func classifyHost(host string) hostKind {
	if strings.ContainsAny(host, "${") {
		return hostVariable
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return classifyAddr(addr.Unmap())
	}
	switch {
	case !legalHostName(host):
		return hostNone
	case host == "localhost" || strings.HasSuffix(host, ".localhost") || // RFC 6761
		host == "localhost.localdomain" || host == "ip6-localhost" || host == "ip6-loopback":
		return hostLoopback
	case strings.Trim(host, "0123456789.") != "":
		return hostName
	// What is left are inet_aton's short forms, which a resolver in C reads.
	case strings.HasPrefix(host, "127."):
		return hostLoopback
	case strings.Trim(host, "0.") == "":
		return hostUnspecified
	default:
		return hostNone
	}
}

func classifyAddr(addr netip.Addr) hostKind {
	for _, m := range metadataAddresses {
		if addr == m {
			return hostMetadata
		}
	}
	switch {
	case addr.IsLoopback():
		return hostLoopback
	case addr.IsUnspecified():
		return hostUnspecified
	case addr.IsLinkLocalUnicast():
		return hostLinkLocal
	default:
		return hostAddress
	}
}

// legalHostName takes what a resolver would look up: underscores too.
func legalHostName(host string) bool {
	if host == "" || len(host) > 253 || strings.Contains(host, "..") || host[0] == '.' {
		return false
	}
	for i := range len(host) {
		switch c := host[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '.', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// inCluster reports whether a DNS name is a Service's or a pod's.
func inCluster(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return strings.HasSuffix(host, ".svc") || strings.Contains(host, ".svc.") || strings.HasSuffix(host, ".cluster.local")
}
