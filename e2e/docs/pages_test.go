package docs

import _ "embed"

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

// pages are run in this order.
var pages = []page{
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
