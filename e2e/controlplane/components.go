package controlplane

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	nodefast "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	heartbeat "sigs.k8s.io/kwok/kustomize/stage/node/heartbeat-with-lease"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
)

// The files of a control plane, in its folder. Programs run in that folder, so
// flags name them as they stand here.
const (
	clientCAFile = "client-ca.crt"
	servingName  = "apiserver" // .crt and .key
	// kubeletClientName is of the API server as a client of kubelets, for logs.
	kubeletClientName = "apiserver-kubelet-client" // .crt and .key
	accountKeyFile    = "service-account.key"
	auditPolicyFile   = "audit-policy.yaml"
	auditLogFile      = "audit.log"
	stagesFile        = "stages.yaml"
	etcdSocket        = "etcd.sock"
	etcdPeerSocket    = "etcd-peer.sock"
)

// etcdArgs returns the flags of etcd. It listens on a socket in the control
// plane's folder, so it needs no port and nobody else reaches it. Everything
// that only guards the data or an election is cut: the data is thrown away.
func etcdArgs() []string {
	client, peer := "unix://"+etcdSocket, "unix://"+etcdPeerSocket
	return []string{
		"--name=etcd",
		"--data-dir=etcd",
		"--listen-client-urls=" + client,
		"--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=etcd=" + peer,
		"--unsafe-no-fsync",
		"--heartbeat-interval=20", // milliseconds; the first election waits for it
		"--election-timeout=200",
		"--log-level=warn",
	}
}

// apiServerArgs returns the flags of the API server: as kubeadm sets it up, as
// far as authentication, authorization and admission go.
func apiServerArgs(port int, address string) []string {
	return append(reachableArgs(address), []string{
		"--etcd-servers=unix://" + etcdSocket,
		"--secure-port=" + strconv.Itoa(port),
		"--permit-port-sharing", // The parent holds the port, see reservePort.
		"--cert-dir=.",
		"--tls-cert-file=" + servingName + ".crt",
		"--tls-private-key-file=" + servingName + ".key",
		"--client-ca-file=" + clientCAFile,
		"--allow-privileged",
		"--service-cluster-ip-range=10.96.0.0/16",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + accountKeyFile,
		"--service-account-signing-key-file=" + accountKeyFile,
		"--audit-policy-file=" + auditPolicyFile,
		"--audit-log-path=" + auditLogFile,
		// A batch would be written seconds after the request it tells of.
		"--audit-log-mode=blocking",
		"--profiling=false",
	}...)
}

// reachableArgs returns the flags that say for whom the API server is there: for
// this process alone, or for kubelets and pods that reach it at an address.
func reachableArgs(address string) []string {
	if address == "" {
		return []string{
			"--bind-address=127.0.0.1",
			"--authorization-mode=RBAC",
			// Loopback may be nobody's endpoint, and no pod of kwok calls the API.
			"--endpoint-reconciler-type=none",
		}
	}
	return []string{
		"--bind-address=0.0.0.0",
		"--advertise-address=" + address,
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--kubelet-client-certificate=" + kubeletClientName + ".crt",
		"--kubelet-client-key=" + kubeletClientName + ".key",
		"--kubelet-preferred-address-types=InternalIP",
	}
}

// controllerManagerArgs returns the flags of the controller manager. Each
// controller acts as its own service account, as in real clusters.
func controllerManagerArgs(kubeconfig string) []string {
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--use-service-account-credentials",
		"--service-account-private-key-file=" + accountKeyFile,
		"--root-ca-file=" + clientCAFile,
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=300",
		"--kube-api-burst=600",
		"--profiling=false",
	}
}

func schedulerArgs(kubeconfig string) []string {
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=300",
		"--kube-api-burst=600",
		"--profiling=false",
	}
}

func kwokArgs(kubeconfig string) []string {
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--config=" + stagesFile,
		"--manage-all-nodes",
		"--cidr=10.244.0.0/16",
		"--node-lease-duration-seconds=40",
	}
}

// stages returns what kwok plays: nodes are ready at once and renew their
// leases, pods are ready at once, those of Jobs succeed, deleted ones go.
func stages() string {
	return strings.Join([]string{
		nodefast.DefaultNodeInit,
		heartbeat.DefaultNodeHeartbeatWithLease,
		podfast.DefaultPodReady,
		podfast.DefaultPodComplete,
		podfast.DefaultPodDelete,
	}, "\n---\n")
}

func (c *ControlPlane) program(name string) string { return filepath.Join(c.programs, name) }

func (c *ControlPlane) url() string { return fmt.Sprintf("https://127.0.0.1:%d", c.port.number) }
