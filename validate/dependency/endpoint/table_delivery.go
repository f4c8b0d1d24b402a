package endpoint

import "github.com/probity-dev/probity/validate/dependency"

// deliveryEntries build, store and deliver software.
func deliveryEntries() []Entry {
	const (
		argoCD      = "https://github.com/argoproj/argo-cd/blob/master/server/server.go"
		gitlab      = "https://docs.gitlab.com/administration/monitoring/health_check/"
		artifactory = "https://jfrog.com/help/r/jfrog-rest-apis/system-health-ping"
		jfrogLive   = "https://jfrog.com/help/r/jfrog-rest-apis/liveness-probe"
		harbor      = "https://goharbor.io/docs/main/working-with-projects/using-api-explorer/"
		jobservice  = "https://github.com/goharbor/harbor/blob/main/src/jobservice/worker/cworker/c_worker.go"
		sonar       = "https://next.sonarqube.com/sonarqube/web_api/api/system"
		nexus       = "https://support.sonatype.com/hc/en-us/articles/226254487-Nexus-3-Server-Metrics-and-Health-Information"
		registry    = "https://distribution.github.io/distribution/about/configuration/#health"
		gitea       = "https://github.com/go-gitea/gitea/blob/main/routers/web/healthcheck/check.go"
	)
	return []Entry{
		{
			Product: "Argo CD",
			Path:    "/healthz",
			Query:   []string{"full"},
			Images:  []string{"argocd", "argo-cd"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the full check of Argo CD, which stays nearly local",
			Instead: "/healthz",
			Source:  argoCD,
		},
		{
			Product: "Argo CD",
			Path:    "/healthz",
			Images:  []string{"argocd", "argo-cd"},
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  argoCD,
		},
		{
			Product: "GitLab",
			Path:    "/-/health",
			Scope:   dependency.Process,
			Asks:    "whether GitLab's web server answers",
			Source:  gitlab,
		},
		{
			Product: "GitLab",
			Path:    "/-/liveness",
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  gitlab,
		},
		{
			Product:   "GitLab",
			Path:      "/-/readiness",
			Query:     []string{"all"},
			Scope:     dependency.Shared,
			Readiness: true,
			Asks:      "the database, Redis and Gitaly",
			Instead:   "/-/liveness",
			Source:    gitlab,
		},
		{
			Product:   "GitLab",
			Path:      "/-/readiness",
			Scope:     dependency.Instance,
			Readiness: true,
			Asks:      "whether the workers of this instance take requests",
			Instead:   "/-/liveness",
			Source:    gitlab,
		},
		{
			Product: "Artifactory",
			Path:    "/artifactory/api/system/ping",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the state of Artifactory, its database and storage included",
			Instead: "/artifactory/api/v1/system/liveness",
			Source:  artifactory,
		},
		{
			Product: "Artifactory",
			Path:    "/artifactory/api/v1/system/liveness",
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  jfrogLive,
		},
		{
			Product: "JFrog router",
			Path:    "/router/api/v1/system/health",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "all services of the JFrog platform in this node",
			Instead: "/router/api/v1/system/liveness",
			Source:  "https://jfrog.com/help/r/jfrog-rest-apis/health-check",
		},
		{
			Product: "Harbor",
			Path:    "/api/v2.0/health",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "all components of Harbor, the database and Redis included",
			Instead: "/api/v2.0/ping",
			Source:  harbor,
		},
		{
			Product: "Harbor",
			Path:    "/api/v2.0/ping",
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  harbor,
		},
		{
			Product: "Harbor registry controller",
			Path:    "/api/health",
			Images:  []string{"harbor-registryctl"},
			Scope:   dependency.Process,
			Asks:    "a fixed answer",
			Source:  "https://github.com/goharbor/harbor/tree/main/src/registryctl/api",
		},
		{
			Product: "Harbor job service",
			Path:    "/api/v1/stats",
			Images:  []string{"harbor-jobservice"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "Redis for the worker pools",
			Source:  jobservice,
		},
		{
			Product: "Harbor Trivy adapter",
			Path:    "/probe/healthy",
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  "https://github.com/goharbor/harbor-scanner-trivy",
		},
		{
			Product: "Docker registry",
			Path:    "/debug/health",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the storage driver of the registry",
			Instead: "/",
			Source:  registry,
		},
		{
			Product: "ChartMuseum",
			Path:    "/health",
			Images:  []string{"chartmuseum"},
			Scope:   dependency.Process,
			Asks:    "a fixed answer",
			Source:  "https://github.com/helm/chartmuseum",
		},
		{
			Product: "SonarQube",
			Path:    "/api/system/health",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the database and the search of SonarQube",
			Instead: "/api/system/liveness",
			Source:  sonar,
		},
		{
			Product: "SonarQube",
			Path:    "/api/system/status",
			Scope:   dependency.Instance,
			Asks:    "the state of this SonarQube server, with success in every state",
			Source:  sonar,
		},
		{
			Product: "SonarQube",
			Path:    "/api/system/liveness",
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  sonar,
		},
		{
			Product: "Nexus Repository",
			Path:    "/service/rest/v1/status",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "whether Nexus can read its database",
			Instead: "/",
			Source:  nexus,
		},
		{
			Product: "Nexus Repository",
			Path:    "/service/rest/v1/status/writable",
			Scope:   dependency.Shared,
			Asks:    "whether Nexus can write its database",
			Instead: "/",
			Source:  nexus,
		},
		{
			Product: "Jenkins",
			Path:    "/login",
			Images:  []string{"jenkins"},
			Scope:   dependency.Process,
			Asks:    "a page of this Jenkins controller",
			Source:  "https://github.com/jenkinsci/helm-charts/blob/main/charts/jenkins/VALUES.md",
		},
		{
			Product: "Gitea and Forgejo",
			Path:    "/api/healthz",
			Images:  []string{"gitea", "forgejo"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the database and the cache of Gitea",
			Instead: "/",
			Source:  gitea,
		},
		{
			Product: "GoCD",
			Path:    "/go/api/v1/health",
			Scope:   dependency.Process,
			Asks:    "a fixed answer",
			Source:  "https://api.gocd.org/current/#server-health",
		},
		{
			Product: "Verdaccio",
			Path:    "/-/ping",
			Scope:   dependency.Process,
			Asks:    "a fixed answer",
			Source:  "https://github.com/verdaccio/verdaccio",
		},
		{
			Product: "Concourse",
			Path:    "/api/v1/info",
			Scope:   dependency.Process,
			Asks:    "the fixed information of the web node",
			Source:  "https://github.com/concourse/concourse",
		},
		{
			Product: "Atlantis",
			Path:    "/healthz",
			Images:  []string{"atlantis"},
			Scope:   dependency.Process,
			Asks:    "a fixed answer",
			Source:  "https://www.runatlantis.io/docs/",
		},
	}
}
