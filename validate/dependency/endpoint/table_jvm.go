package endpoint

import "github.com/probity-dev/probity/validate/dependency"

// jvmEntries are the frameworks of the Java world.
func jvmEntries() []Entry {
	const (
		spring     = "https://docs.spring.io/spring-boot/reference/actuator/endpoints.html#actuator.endpoints.kubernetes-probes"
		springAll  = "every health indicator of Spring Boot Actuator, the database included"
		springLive = "/actuator/health/liveness"
		quarkus    = "https://quarkus.io/guides/smallrye-health"
		helidon    = "https://helidon.io/docs/latest/mp/health"
	)
	return []Entry{
		{
			Product: "Spring Boot Actuator",
			Path:    "/actuator/health",
			Scope:   dependency.Shared,
			Asks:    springAll,
			Instead: springLive,
			Source:  spring,
		},
		{
			Product: "Spring Boot Actuator",
			Path:    "/actuator/health/liveness",
			Scope:   dependency.Process,
			Asks:    "the liveness state of this application alone",
			Source:  spring,
		},
		{
			Product:   "Spring Boot Actuator",
			Path:      "/actuator/health/readiness",
			Scope:     dependency.Instance,
			Readiness: true,
			Asks:      "the readiness group of Spring Boot Actuator",
			Instead:   springLive,
			Source:    spring,
		},
		{
			Product: "Spring Boot Actuator",
			Path:    "/actuator/health/diskspace",
			Scope:   dependency.Instance,
			Asks:    "the free disk space of this instance",
			Instead: springLive,
			Source:  spring,
		},
		{
			Product: "Spring Boot Actuator",
			Path:    "/actuator/info",
			Scope:   dependency.Process,
			Asks:    "the fixed information of Spring Boot Actuator",
			Source:  "https://docs.spring.io/spring-boot/reference/actuator/endpoints.html#actuator.endpoints.info",
		},
		{
			Product: "Spring Boot Actuator under another base path",
			Path:    "/management/health",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    springAll,
			Instead: "/management/health/liveness",
			Source:  "https://docs.spring.io/spring-boot/reference/actuator/monitoring.html#actuator.monitoring.customizing-management-server-context-path",
		},
		{
			Product: "Spring Boot Actuator under another base path",
			Path:    "/manage/health",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    springAll,
			Instead: "/manage/health/liveness",
			Source:  "https://docs.spring.io/spring-boot/reference/actuator/monitoring.html#actuator.monitoring.customizing-management-server-context-path",
		},
		{
			Product: "Quarkus (SmallRye Health)",
			Path:    "/q/health",
			Scope:   dependency.Shared,
			Asks:    "all health checks of Quarkus, liveness and readiness together",
			Instead: "/q/health/live",
			Source:  quarkus,
		},
		{
			Product: "Quarkus (SmallRye Health)",
			Path:    "/q/health/live",
			Scope:   dependency.Process,
			Asks:    "the liveness checks of Quarkus",
			Source:  quarkus,
		},
		{
			Product:   "Quarkus (SmallRye Health)",
			Path:      "/q/health/ready",
			Scope:     dependency.Instance,
			Readiness: true,
			Asks:      "the readiness checks of Quarkus",
			Instead:   "/q/health/live",
			Source:    quarkus,
		},
		{
			Product: "Quarkus (SmallRye Health)",
			Path:    "/q/health/started",
			Scope:   dependency.Instance,
			Asks:    "the startup checks of Quarkus",
			Instead: "/q/health/live",
			Source:  quarkus,
		},
		{
			Product: "Quarkus (SmallRye Health)",
			Path:    "/q/health/well",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the wellness checks of Quarkus, which are for people and not for the kubelet",
			Instead: "/q/health/live",
			Source:  quarkus,
		},
		{
			Product: "Quarkus (SmallRye Health)",
			Path:    "/q/health/group/*",
			Scope:   dependency.Unknown,
			Asks:    "a group of health checks that the application defines",
			Instead: "/q/health/live",
			Source:  quarkus,
		},
		{
			Product: "Helidon",
			Path:    "/observe/health",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "all health checks of Helidon, liveness and readiness together",
			Instead: "/observe/health/live",
			Source:  helidon,
		},
		{
			Product: "Micronaut",
			Path:    "/health",
			Images:  []string{"micronaut", "akhq"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "every health indicator of Micronaut, the data sources included",
			Instead: "/health/liveness",
			Source:  "https://docs.micronaut.io/latest/guide/#healthEndpoint",
		},
		{
			Product: "Micronaut",
			Path:    "/health/liveness",
			Scope:   dependency.Process,
			Asks:    "the liveness indicators of this application",
			Source:  "https://docs.micronaut.io/latest/guide/#healthEndpoint",
		},
		{
			Product: "Dropwizard",
			Path:    "/healthcheck",
			Images:  []string{"openmetadata", "cassandra-reaper", "dropwizard", "marquez"},
			Ports:   []string{"admin", "http-admin", "admin-http", "adminport", "admin-port"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "every health check that the application registered in Dropwizard, its database included",
			Instead: "/ping",
			Source:  "https://www.dropwizard.io/en/stable/manual/core.html#health-checks",
		},
		{
			Product: "WildFly and JBoss EAP",
			Path:    "/health",
			Images:  []string{"wildfly", "jboss-eap", "eap", "open-liberty", "payara"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "all MicroProfile health checks, liveness and readiness together",
			Instead: "/health/live",
			Source:  "https://download.eclipse.org/microprofile/microprofile-health-4.0/microprofile-health-spec-4.0.html",
		},
	}
}
