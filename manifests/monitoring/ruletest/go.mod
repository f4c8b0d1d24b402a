module github.com/probity-dev/probity/manifests/monitoring/ruletest

go 1.26.0
