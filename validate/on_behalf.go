package validate

import (
	"strings"

	"github.com/probity-dev/probity/workload"
)

// onBehalf reports whether the container that listens asks the probed one and
// passes its answer on.
func onBehalf(probe Probe, owner *workload.Container) bool {
	if helper(owner) {
		return true
	}
	if probe.HTTPGet == nil {
		return false
	}
	path, _, _ := strings.Cut(probe.HTTPGet.Path, "?")
	for _, prefix := range rewritten {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	for segment := range strings.SplitSeq(path, "/") {
		// kube-dns: /healthcheck/dnsmasq on the port of container "sidecar".
		if segment == probe.Container.Name {
			return true
		}
	}
	return false
}

// rewritten are the path prefixes under which a mesh's proxy passes a probe on
// to the port that it was meant for.
var rewritten = [...]string{
	"/app-health/",  // Istio: istio.io/latest/docs/ops/configuration/mesh/app-health-check
	"/osm-liveness", // Open Service Mesh: release-v1.2.docs.openservicemesh.io/docs/guides/app_onboarding
	"/osm-startup",
}

// helpers are containers that exist to check another one: by name, or by the
// last part of the image's name.
var helpers = [...]string{
	"liveness-probe", "livenessprobe", "csi-livenessprobe", "csi-liveness-probe", // github.com/kubernetes-csi/livenessprobe
	"exechealthz", "healthz", // github.com/kubernetes-retired/contrib/tree/master/exec-healthz
	"healthcheck", "health-check",
	"frr-metrics", // github.com/metallb/metallb/tree/main/frr-tools/metrics/liveness
}

func helper(c *workload.Container) bool {
	image := c.Image[strings.LastIndexByte(c.Image, '/')+1:]
	image, _, _ = strings.Cut(image, "@")
	image, _, _ = strings.Cut(image, ":")
	for _, name := range helpers {
		if c.Name == name || image == name {
			return true
		}
	}
	return false
}
