package docs

import (
	_ "embed"
	"strings"
)

// A Deployment whose liveness probe asks its database, as a page takes it for
// granted.
//
//go:embed testdata/orders.yaml
var ordersManifest string

// The same, mended.
//
//go:embed testdata/orders-fixed.yaml
var ordersFixedManifest string

// imageCommands build and push an image.
var imageCommands = []string{
	"docker build --build-arg VERSION=v0.1.0 -t registry.example/probity:v0.1.0 .",
	"docker push registry.example/probity:v0.1.0",
}

// allTests runs this test too.
const allTests = "make test"

// pages are run in this order.
var pages = []page{
	{
		file:   "README.md",
		beside: []string{"overlay/kustomization.yaml", "kubectl apply -k overlay"},
		files: map[string]string{
			"orders.yaml":        strings.Replace(ordersManifest, "-h orders-db", `-h "$DB_HOST"`, 1),
			"deploy/orders.yaml": ordersFixedManifest,
		},
		setup: []string{
			"kubectl apply -k manifests/base",
			"kubectl create namespace shop",
			"kubectl label namespace shop probity.dev/mode=enforce",
		},
		then: map[string]string{
			// It was in enforce to show a refusal.
			"kubectl -n shop apply -f orders.yaml": "kubectl label namespace shop probity.dev/mode-",
		},
		notRun: []string{
			allTests,
			"docker build --build-arg VERSION=v0.1.0 -t registry.example/probity:v0.1.0 . && docker push registry.example/probity:v0.1.0",
			"helm install probity manifests/chart --namespace probity-system --create-namespace --set image.repository=registry.example/probity",
			"helm template charts/shop | bin/probity check -",
		},
	},
	{
		file:   "docs/quickstart.md",
		notRun: imageCommands,
	},
	{
		file: "docs/rollout.md",
		files: map[string]string{
			"deploy/orders.yaml":         ordersManifest,
			"deploy/again.yaml":          ordersManifest,
			"overlay/kustomization.yaml": "resources: [../manifests/base]\n",
		},
		setup: []string{
			"sed -i 's/name: orders/name: again/' deploy/again.yaml",
			"kubectl create namespace shop",
			"kubectl -n shop apply -f deploy/orders.yaml",
			"kubectl -n shop rollout status deployment/orders --timeout=2m",
		},
	},
}
