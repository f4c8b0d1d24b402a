package endpoint

import "github.com/probity-dev/probity/validate/dependency"

// frameworkEntries are web frameworks outside of the Java world.
func frameworkEntries() []Entry {
	const (
		okcomputer = "https://github.com/sportngin/okcomputer#performing-checks"
	)
	return []Entry{
		{
			Product: "django-health-check",
			Path:    "/ht",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "every check of django-health-check, the database and the cache included",
			Source:  "https://github.com/codingjoe/django-health-check",
		},
		{
			Product: "django-watchman",
			Path:    "/watchman",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the databases, caches and storages of Django",
			Instead: "/watchman/bare",
			Source:  "https://github.com/mwarkentin/django-watchman",
		},
		{
			Product: "django-watchman",
			Path:    "/watchman/bare",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the databases, caches and storages of Django",
			Instead: "/watchman/ping",
			Source:  "https://github.com/mwarkentin/django-watchman",
		},
		{
			Product: "OK Computer for Rails",
			Path:    "/okcomputer/all",
			Scope:   dependency.Shared,
			Asks:    "every check that the application registered in OK Computer, the database included",
			Instead: "/okcomputer",
			Source:  okcomputer,
		},
		{
			Product: "OK Computer for Rails",
			Path:    "/okcomputer/all.json",
			Scope:   dependency.Shared,
			Asks:    "every check that the application registered in OK Computer, the database included",
			Instead: "/okcomputer",
			Source:  okcomputer,
		},
		{
			Product: "OK Computer for Rails",
			Path:    "/okcomputer",
			Scope:   dependency.Process,
			Asks:    "whether Rails answers",
			Source:  okcomputer,
		},
		{
			Product: "Rails and Laravel",
			Path:    "/up",
			Scope:   dependency.Process,
			Asks:    "whether the application has booted",
			Source:  "https://api.rubyonrails.org/classes/Rails/HealthController.html",
		},
		{
			Product: "ASP.NET health checks UI",
			Path:    "/healthchecks-ui",
			Scope:   dependency.Unknown,
			Asks:    "a page that shows health checks",
			Source:  "https://github.com/Xabaril/AspNetCore.Diagnostics.HealthChecks",
		},
		{
			Product: "Streamlit",
			Path:    "/_stcore/health",
			Scope:   dependency.Process,
			Asks:    "whether the Streamlit server runs",
			Source:  "https://docs.streamlit.io/deploy/tutorials/kubernetes",
		},
		{
			Product: "Directus",
			Path:    "/server/health",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the database, the cache, the mail transport and the storage of Directus",
			Instead: "/server/ping",
			Source:  "https://docs.directus.io/reference/system/server.html",
		},
		{
			Product: "Strapi",
			Path:    "/_health",
			Images:  []string{"strapi"},
			Scope:   dependency.Process,
			Asks:    "whether Strapi answers",
			Source:  "https://docs.strapi.io/cms/api/rest",
		},
		{
			Product: "Hasura",
			Path:    "/healthz",
			Images:  []string{"graphql-engine", "hasura"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the metadata of Hasura, which is in its database",
			Instead: "/v1/version",
			Source:  "https://hasura.io/docs/latest/api-reference/health",
		},
		{
			Product: "Magento",
			Path:    "/health_check.php",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the database and the cache of Magento",
			Source:  "https://github.com/magento/magento2/blob/2.4-develop/pub/health_check.php",
		},
		{
			Product: "Nautobot",
			Path:    "/health",
			Images:  []string{"nautobot"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the database, the cache and the storage of Nautobot",
			Source:  "https://docs.nautobot.com/projects/core/en/ltm-1.6/additional-features/healthcheck",
		},
	}
}
