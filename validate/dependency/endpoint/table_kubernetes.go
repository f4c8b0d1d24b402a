package endpoint

import "github.com/probity-dev/probity/validate/dependency"

// kubernetesEntries are Kubernetes itself and what runs in most clusters.
func kubernetesEntries() []Entry {
	const (
		apiHealth = "https://kubernetes.io/docs/reference/using-api/health-checks/"
		istio     = "https://istio.io/latest/docs/ops/configuration/mesh/app-health-check/"
		cnpg      = "https://github.com/cloudnative-pg/cloudnative-pg/blob/main/internal/cmd/manager/controller/controller.go"
		csi       = "https://github.com/kubernetes-csi/livenessprobe"
	)
	return []Entry{
		{
			Product: "Kubernetes API server",
			Path:    "/livez/etcd",
			Scope:   dependency.Shared,
			Asks:    "etcd",
			Instead: "/livez?exclude=etcd",
			Source:  apiHealth,
		},
		{
			Product: "Kubernetes API server",
			Path:    "/healthz/etcd",
			Scope:   dependency.Shared,
			Asks:    "etcd",
			Instead: "/livez?exclude=etcd",
			Source:  apiHealth,
		},
		{
			Product:   "Kubernetes API server",
			Path:      "/readyz/etcd",
			Scope:     dependency.Shared,
			Readiness: true,
			Asks:      "etcd",
			Instead:   "/livez?exclude=etcd",
			Source:    apiHealth,
		},
		{
			Product: "Kubernetes API server",
			Path:    "/livez/poststarthook/*",
			Scope:   dependency.Process,
			Asks:    "one start hook of the process",
			Source:  apiHealth,
		},
		{
			Product: "Kubernetes components",
			Path:    "/healthz",
			Images:  []string{"kube-scheduler", "kube-controller-manager", "kube-proxy", "kubelet", "cloud-controller-manager"},
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  apiHealth,
		},
		{
			Product: "Kubernetes controllers",
			Path:    "/healthz",
			Images: []string{
				"kube-state-metrics", "nginx-ingress-controller", "descheduler", "cluster-autoscaler", "external-dns",
				"sealed-secrets", "node-problem-detector", "aws-load-balancer-controller",
			},
			Scope:  dependency.Process,
			Asks:   asksProcess,
			Source: "https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/healthz",
		},
		{
			Product: "CSI liveness probe",
			Path:    "/healthz",
			Ports:   []string{"9808"},
			Images:  []string{"livenessprobe", "csi"},
			Scope:   dependency.Instance,
			Asks:    "the CSI driver of this pod by its Probe call",
			Source:  csi,
		},
		{
			Product: "CoreDNS",
			Path:    "/health",
			Images:  []string{"coredns"},
			Scope:   dependency.Process,
			Asks:    "whether CoreDNS is up",
			Source:  "https://coredns.io/plugins/health/",
		},
		{
			Product: "kube-dns",
			Path:    "/healthcheck/kubedns",
			Scope:   dependency.Instance,
			Asks:    "the kube-dns container of this pod",
			Source:  "https://github.com/kubernetes/dns",
		},
		{
			Product: "kube-dns",
			Path:    "/healthcheck/dnsmasq",
			Scope:   dependency.Instance,
			Asks:    "the dnsmasq container of this pod",
			Source:  "https://github.com/kubernetes/dns",
		},
		{
			Product: "Istio, rewritten probe",
			Path:    "/app-health/*/livez",
			Scope:   dependency.Unknown,
			Asks:    "the liveness check that the mesh took over, whose own path is not shown here",
			Source:  istio,
		},
		{
			Product:   "Istio, rewritten probe",
			Path:      "/app-health/*/readyz",
			Scope:     dependency.Instance,
			Readiness: true,
			Asks:      "the container's readiness check, which the mesh took over",
			Source:    istio,
		},
		{
			Product: "Istio, rewritten probe",
			Path:    "/app-health/*/startupz",
			Scope:   dependency.Unknown,
			Asks:    "the startup check that the mesh took over, whose own path is not shown here",
			Source:  istio,
		},
		{
			Product:   "Istio proxy",
			Path:      "/healthz/ready",
			Images:    []string{"proxyv2", "istio-proxy"},
			Ports:     []string{"15021"},
			Scope:     dependency.Instance,
			Likely:    true,
			Readiness: true,
			Asks:      "whether the mesh's sidecar is ready for traffic",
			Source:    "https://istio.io/latest/docs/ops/deployment/application-requirements/",
		},
		{
			Product: "CloudNativePG operator",
			Path:    "/readyz",
			Images:  []string{"cloudnative-pg"},
			Scope:   dependency.Process,
			Asks:    "a fixed answer of the operator's webhook server",
			Source:  cnpg,
		},
		{
			Product: "ScyllaDB operator",
			Path:    "/readyz",
			Images:  []string{"scylla-operator"},
			Scope:   dependency.Process,
			Asks:    "a fixed answer of the operator's webhook server",
			Source:  "https://github.com/scylladb/scylla-operator/blob/master/pkg/cmd/operator/webhooks.go",
		},
		{
			Product: "kubectl proxy",
			Path:    "/openid/v1/jwks",
			Images:  []string{"kubectl"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the Kubernetes API, through kubectl proxy",
			Source:  "https://kubernetes.io/docs/reference/kubectl/generated/kubectl_proxy/",
		},
		{
			Product: "Knative, probe of a webhook",
			Path:    "/",
			Headers: []string{"k-kubelet-probe"},
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  "https://github.com/knative/networking/blob/main/pkg/http/header/header.go",
		},
		{
			Product: "KubeRay",
			Path:    "/api/local_raylet_healthz",
			Scope:   dependency.Instance,
			Asks:    "the raylet of this node",
			Source:  "https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/config.html",
		},
	}
}
