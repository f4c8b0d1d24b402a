package validate

import (
	"github.com/probity-dev/probity/validate/dependency/secret"
	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "liveness-remote-host",
		Title:    "A liveness probe dials its own pod",
		Category: FailureDomain,
		Why: `The kubelet dials ` + "`httpGet` and `tcpSocket`" + ` from the node, and without ` + "`host`" + ` it dials the
pod. With another host the probe asks whether that host is up, and answers by restarting a container that is well: when the host goes
down, all replicas restart together, and go on restarting until it is back. A Service's name is another host too, even the own one:
any replica may answer.

` + "`localhost`" + ` without ` + "`hostNetwork`" + ` is the node's loopback, where something else listens or nothing. ` + "`0.0.0.0`" + ` is an address to
listen on. ` + "`$(POD_IP)`" + ` is not expanded in a handler. These are mistakes and no dependency.`,
		Fix: `Remove ` + "`host`" + `. A server that needs its public name gets it as a ` + "`Host`" + ` header in ` + "`httpHeaders`" + `.
Watch another host from readiness, or with an alert.`,
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#http-probes",
			"https://github.com/kubernetes/kubernetes/issues/13226",
			"https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/probe/http/request.go",
		},
		Action: ByProfile{Deny, Deny},
		Likely: ByProfile{Warn, Deny},
		Check:  checkLivenessRemoteHost,
	})
}

func checkLivenessRemoteHost(p *Pass) {
	for probe := range p.Probes(workload.Liveness) {
		host := ""
		switch {
		case probe.HTTPGet != nil:
			host = probe.HTTPGet.Host
		case probe.TCPSocket != nil:
			host = probe.TCPSocket.Host
		}
		if host == "" {
			continue
		}
		fault, likely := hostFault(p.Workload, host)
		if fault == "" {
			continue
		}
		told := quote(secret.Hide(host)) // a URL may stand there by mistake
		p.Report(probe, Report{
			Field:    "." + probe.Handler() + ".host",
			Text:     "is " + told + ", " + fault,
			Fix:      hostFix(probe, classifyHost(host)),
			Evidence: "host " + told,
			Likely:   likely,
		})
	}
}

// hostFault says what is wrong with a host, "" when nothing is, and whether it
// is short of a proof that another host is asked.
func hostFault(w *workload.Workload, host string) (fault string, likely bool) {
	const (
		dead    = "; the check can never pass, so the container restarts over and over"
		node    = "and the kubelet dials it from the node: without hostNetwork that is the node itself, so something else answers for the container, or nothing"
		listen  = "an address to listen on; dialled from the node it is the node itself, whatever listens there"
		literal = "one address for all pods; it is this pod on one node at most, and elsewhere a restart cannot fix what does not answer"
	)
	onNode := w.Pod.HostNetwork
	remote := "which is not this pod; a restart cannot fix another host, so its outage " + restarted(w)
	switch classifyHost(host) {
	case hostVariable:
		return "taken literally: variables expand in command, args and env only" + dead, true
	case hostNone:
		return "which is no host name and no IP address" + dead, true
	case hostUnspecified:
		return listen, true
	case hostLoopback:
		if onNode {
			return "", false
		}
		return node, true
	case hostLinkLocal:
		if onNode {
			return "", false // node-local agents such as NodeLocal DNSCache
		}
		return remote, false
	case hostMetadata:
		// An agent of the node may have taken the address over.
		return "the cloud's metadata service; a restart cannot fix it, so its outage " + restarted(w), onNode
	case hostAddress:
		if !onNode {
			return remote, false
		}
		if w.Ref.Kind == "Pod" {
			return "", false // static pods name their node's address: kubeadm's kube-apiserver
		}
		return literal, true
	default:
		// A pod of the node's network may give the node's own name.
		return remote, onNode && w.Ref.Kind == "Pod" && !inCluster(host)
	}
}

func hostFix(probe Probe, kind hostKind) string {
	const remove = "Remove host: the kubelet then dials the pod"
	switch {
	case kind == hostLoopback:
		return remove + ". If the container listens on loopback only, let it listen on the pod's address too."
	case kind != hostName:
		return remove + "."
	case probe.HTTPGet != nil:
		return remove + ". If the server needs that name, send it as a Host header; watch another host in readiness or with an alert."
	default:
		return remove + ". Watch another host in readiness or with an alert."
	}
}
