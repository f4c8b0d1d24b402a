package endpoint

import "github.com/probity-dev/probity/validate/dependency"

// proxyEntries are proxies, gateways and web servers.
func proxyEntries() []Entry {
	const (
		envoy     = "https://www.envoyproxy.io/docs/envoy/latest/operations/admin#get--ready"
		kong      = "https://docs.konghq.com/gateway/latest/production/monitoring/healthcheck-probes/"
		webServer = "https://nginx.org/en/docs/http/ngx_http_core_module.html#location"
		linkerd   = "https://linkerd.io/2/reference/proxy-metrics/"
		traefik   = "https://doc.traefik.io/traefik/operations/ping/"
	)
	return []Entry{
		{
			Product:   "Envoy",
			Path:      "/ready",
			Images:    []string{"envoy", "proxyv2", "istio-proxy"},
			Scope:     dependency.Instance,
			Likely:    true,
			Readiness: true,
			Asks:      "the state of this Envoy, which waits for its first configuration",
			Source:    envoy,
		},
		{
			Product: "Envoy",
			Path:    "/server_info",
			Scope:   dependency.Process,
			Asks:    "the admin server of this Envoy",
			Source:  "https://www.envoyproxy.io/docs/envoy/latest/operations/admin#get--server_info",
		},
		{
			Product:   "nginx and other web servers",
			Path:      "/ready",
			Images:    []string{"nginx", "openresty", "nginx-unprivileged", "httpd", "caddy", "haproxy"},
			Scope:     dependency.Instance,
			Likely:    true,
			Readiness: true,
			Asks:      "a location of the web server, which answers by itself or asks the application behind it",
			Source:    webServer,
		},
		{
			Product:   "nginx and other web servers",
			Path:      "/readyz",
			Images:    []string{"nginx", "openresty", "nginx-unprivileged", "httpd", "caddy", "haproxy"},
			Scope:     dependency.Instance,
			Likely:    true,
			Readiness: true,
			Asks:      "a location of the web server, which answers by itself or asks the application behind it",
			Source:    webServer,
		},
		{
			Product:   "nginx and other web servers",
			Path:      "/readiness",
			Images:    []string{"nginx", "openresty", "nginx-unprivileged", "httpd", "caddy", "haproxy"},
			Scope:     dependency.Instance,
			Likely:    true,
			Readiness: true,
			Asks:      "a location of the web server, which answers by itself or asks the application behind it",
			Source:    webServer,
		},
		{
			Product: "nginx",
			Path:    "/nginx_status",
			Scope:   dependency.Process,
			Asks:    "the counters of this nginx",
			Source:  "https://nginx.org/en/docs/http/ngx_http_stub_status_module.html",
		},
		{
			Product: "Kong",
			Path:    "/status",
			Images:  []string{"kong"},
			Scope:   dependency.Instance,
			Asks:    "the counters of this Kong node, with success even without its database",
			Source:  kong,
		},
		{
			Product:   "Kong",
			Path:      "/status/ready",
			Images:    []string{"kong"},
			Scope:     dependency.Instance,
			Readiness: true,
			Asks:      "whether this Kong node has its configuration",
			Instead:   "/status",
			Source:    kong,
		},
		{
			Product: "Traefik",
			Path:    "/ping",
			Images:  []string{"traefik"},
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  traefik,
		},
		{
			Product: "Linkerd proxy",
			Path:    "/live",
			Ports:   []string{"4191", "linkerd-admin"},
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  linkerd,
		},
		{
			Product:   "Linkerd proxy",
			Path:      "/ready",
			Ports:     []string{"4191", "linkerd-admin"},
			Scope:     dependency.Shared,
			Readiness: true,
			Asks:      "whether this proxy has its identity from the control plane",
			Instead:   "/live",
			Source:    linkerd,
		},
		{
			Product: "Ambassador and Emissary",
			Path:    "/ambassador/v0/check_alive",
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  "https://www.getambassador.io/docs/emissary/latest/topics/running/running",
		},
		{
			Product:   "Ambassador and Emissary",
			Path:      "/ambassador/v0/check_ready",
			Scope:     dependency.Instance,
			Readiness: true,
			Asks:      asksReadiness,
			Instead:   "/ambassador/v0/check_alive",
			Source:    "https://www.getambassador.io/docs/emissary/latest/topics/running/running",
		},
		{
			Product: "KrakenD",
			Path:    "/__health",
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  "https://www.krakend.io/docs/service-settings/health/",
		},
		{
			Product: "Contour",
			Path:    "/healthz",
			Images:  []string{"contour"},
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  "https://projectcontour.io/docs/main/",
		},
		{
			Product: "Pomerium",
			Path:    "/ping",
			Images:  []string{"pomerium"},
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  "https://www.pomerium.com/docs",
		},
		{
			Product: "JupyterHub proxy",
			Path:    "/_chp_healthz",
			Scope:   dependency.Process,
			Asks:    "a fixed answer",
			Source:  "https://github.com/jupyterhub/configurable-http-proxy",
		},
		{
			Product: "HAProxy Ingress",
			Path:    "/healthz",
			Images:  []string{"haproxy-ingress", "haproxy"},
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  "https://haproxy-ingress.github.io/docs/",
		},
	}
}
