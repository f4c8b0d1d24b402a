# What one does with this repository; `make` lists it. Tools beside Go and make
# are Go modules, pinned in tools/go.mod and built on first use.

SHELL := bash
.DEFAULT_GOAL := help

# A workspace around this tree would choose other versions than the go.mod files.
export GOWORK := off

# Printed by `probity version`. Without tags it is the commit, without git "dev".
VERSION ?= $(shell git describe --tags --always --dirty --match 'v*' 2>/dev/null || echo dev)

# Every Go module of the tree, and those with code: ./tools only pins programs.
# The older Kubernetes versions are modules too, but each costs minutes to fetch:
# `make test-versions` checks those that it builds.
MODULES    := $(sort $(patsubst %/,%,$(dir $(shell find . -name go.mod -not -path '*/testdata/*' -not -path './e2e/kubernetes/*'))))
GO_MODULES := $(filter-out ./tools,$(MODULES))

# Tools have a module of their own, so that the product's go.mod stays lean.
TOOL          := go tool -modfile=$(CURDIR)/tools/go.mod
GOLANGCI_LINT := $(TOOL) golangci-lint

# The race detector needs a C compiler on most platforms.
RACE = $(shell go list -race runtime/race >/dev/null 2>&1 && command -v $$(go env CC) >/dev/null && echo -race)

# in-each runs a command in each folder, to the end, and fails when any failed.
in-each = failed=; for folder in $1; do \
		echo "in $$folder: $(strip $(subst $(CURDIR)/,,$2))"; \
		(cd "$$folder" && $2) || failed="$$failed $$folder"; \
	done; \
	[ -z "$$failed" ] || { echo "Failed in:$$failed"; exit 1; }

# What `make generate` writes.
GENERATED := docs/rules docs/configuration.schema.json docs/metrics.md manifests/chart

# For `make test`: flags of go test, such as TESTFLAGS='-run Fixtures -v'.
TESTFLAGS ?=
# For `make test-e2e`, `make demo` and `make cluster`: the Kubernetes to run with, one
# of e2e/kubernetes, such as KUBERNETES=v1.34. Empty is the newest, of e2e/go.mod.
KUBERNETES ?=
export PROBITY_KUBERNETES = $(KUBERNETES)
OLDER_KUBERNETES = $(notdir $(wildcard e2e/kubernetes/v*))
# For `make test-mutation`: what to break, such as RULES='budget-* validate/host', and
# flags of tools/mutation, such as MUTATIONFLAGS='-n 0' for all that can be broken.
RULES         ?=
MUTATIONFLAGS ?=
# For `make bench`: which benchmarks, and how often each is run.
BENCH      ?= .
BENCHCOUNT ?= 1
# For `make bench-cluster`: flags of e2e/cmd/bench, such as BENCHFLAGS='-creates 500'.
BENCHFLAGS ?=
# For `make bench-footprint` and `make soak`: flags of e2e/cmd/footprint and e2e/cmd/soak.
FOOTPRINTFLAGS ?=
SOAKFLAGS      ?=
# For `make fuzz`: how long each target runs.
FUZZTIME ?= 30s
# For `make vulncheck`: another database, such as a copy at file:///path; empty is Go's.
VULNDB ?=
# For a release: the image's name without tag, and where the tools are or get built.
IMAGE         ?= $(shell sed -n 's/^ *newName: //p' manifests/base/kustomization.yaml)
RELEASE_TOOLS ?= $(CURDIR)/bin

##@ Start here

.PHONY: help
help: ## List what can be made
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo

# The programs are built and then run by themselves, not by go run, so that
# Ctrl-C and SIGTERM reach them and they can clean up.
.PHONY: demo
demo: ## Show Probity at work on a local control plane, then clean up
	@cd e2e && go build -o ../bin/demo ./cmd/demo && exec ../bin/demo

.PHONY: cluster
cluster: ## Keep a local control plane with Probity, a process beside it, running until Ctrl-C
	@cd e2e && go build -o ../bin/cluster ./cmd/cluster && exec ../bin/cluster

##@ Build

.PHONY: build
build: ## Build bin/probity, with its version from git
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o bin/probity ./cmd/probity

.PHONY: generate
generate: ## Write what is made from the code, such as docs/rules
	go generate ./...

.PHONY: fmt
fmt: golangci-lint ## Format all Go files
	$(GOLANGCI_LINT) fmt

# Prints a line before the silent first build.
.PHONY: golangci-lint
golangci-lint:
	@echo "golangci-lint, which the first time is built for some minutes:"; $(GOLANGCI_LINT) version

.PHONY: clean
clean: ## Remove what was built into this folder
	rm -rf bin dist

##@ Test

.PHONY: test
test: test-unit test-alerts test-chart test-release test-e2e ## Run all tests

.PHONY: test-unit
test-unit: ## Run unit and golden tests, with the race detector [TESTFLAGS=]
	@$(if $(RACE),,echo "WITHOUT the race detector: it needs cgo and a C compiler, and here is none.")
	go test $(RACE) $(TESTFLAGS) ./...
	cd tools/mutation && go test $(TESTFLAGS) ./...

# Not a part of `make test`: it takes many minutes. Run it after changes of a rule,
# with the rule's id.
.PHONY: test-mutation
test-mutation: ## Break each rule in small ways: a test must fail [RULES= MUTATIONFLAGS=]
	cd tools/mutation && go run . $(MUTATIONFLAGS) $(foreach rule,$(RULES),'$(rule)')

# A module of its own, since Prometheus's engine is in it.
.PHONY: test-alerts
test-alerts: ## Check alert rules and dashboard with Prometheus's own code
	cd tools/ruletest && go test $(TESTFLAGS) ./...

# A module of its own: Helm needs other versions of libraries than the control plane.
.PHONY: test-chart
test-chart: ## Compare the Helm chart with the overlays, by Helm's library [TESTFLAGS=]
	cd e2e/chart && go test -count=1 $(TESTFLAGS) ./...

# A module of its own: kustomize, which makes one file of each overlay, is in it.
.PHONY: test-release
test-release: ## Check what a release is made of, and that it is reproducible [TESTFLAGS=]
	cd tools/release && go test $(TESTFLAGS) ./...
	cd tools/goreleaser && go test $(TESTFLAGS) ./...

# One package at a time and verbose: only so go test prints while a test runs.
# Never from go's cache: they test manifests and programs that it does not see.
# More tests at once than there are cores: they wait more than they compute.
.PHONY: test-e2e
test-e2e: ## Run end-to-end tests on a real control plane [KUBERNETES= TESTFLAGS=]
	@echo "The first time, the Kubernetes control plane is built, which takes some minutes."
	cd e2e && go build ./...
	cd e2e && go test -p 1 -parallel=4 -v -count=1 -timeout=40m $(TESTFLAGS) ./...

# Both need root on Linux, and programs that not every machine has: they say which.
# Hence the build tag, and no part in `make test`.
.PHONY: test-node
test-node: ## Run Probity's image as pods on a real node; needs root on Linux [TESTFLAGS=]
	@[ "$$(uname)" = Linux ] || { echo "make test-node needs Linux: it runs a kubelet and containers."; exit 1; }
	cd e2e && go test -tags=node -p 1 -v -count=1 -timeout=40m $(TESTFLAGS) ./node/...

.PHONY: test-image
test-image: ## Only build the image and look into it; needs root on Linux [TESTFLAGS=]
	@[ "$$(uname)" = Linux ] || { echo "make test-image needs Linux."; exit 1; }
	cd e2e && go test -tags=node -v -count=1 -timeout=20m $(TESTFLAGS) ./node/image

# To the end, and fails when any failed.
.PHONY: test-versions
test-versions: ## Run end-to-end tests on all supported Kubernetes versions
	@failed=; for version in $(OLDER_KUBERNETES) ""; do \
		echo "== Kubernetes $${version:-of e2e/go.mod}"; \
		{ [ -z "$$version" ] || (cd "e2e/kubernetes/$$version" && go mod tidy -diff); } && \
			$(MAKE) --no-print-directory test-e2e KUBERNETES="$$version" || failed="$$failed $${version:-newest}"; \
	done; \
	[ -z "$$failed" ] || { echo "Failed with:$$failed"; exit 1; }

# Twenty runs take some seven hours on two cores.
.PHONY: test-flakes
test-flakes: RUNS = 20
test-flakes: ## Run the end-to-end tests again and again, until one fails [RUNS=20 TESTFLAGS=]
	@mkdir -p dist; for run in $$(seq $(RUNS)); do \
		echo "== Run $$run of $(RUNS), to dist/flakes.txt"; \
		$(MAKE) --no-print-directory test-e2e >dist/flakes.txt 2>&1 || { grep -E '^ *--- FAIL|^FAIL|^panic' dist/flakes.txt; exit 1; }; \
		grep '^ok' dist/flakes.txt; \
	done; \
	echo "All $(RUNS) runs passed."

.PHONY: bench
bench: ## Run the benchmarks, keep what they say in dist/ [BENCH=. BENCHCOUNT=1]
	@mkdir -p dist; if [ -e dist/bench.txt ]; then mv dist/bench.txt dist/bench-before.txt; fi
	@set -o pipefail; \
	go test -run='^$$' -bench='$(BENCH)' -benchmem -count=$(BENCHCOUNT) -timeout=60m ./... | tee dist/bench.txt

.PHONY: bench-cluster
bench-cluster: ## Compare creates on a real API server with and without Probity [BENCHFLAGS=]
	@mkdir -p dist
	cd e2e && go build -o ../bin/bench ./cmd/bench
	@set -o pipefail; cd e2e && ../bin/bench $(BENCHFLAGS) | tee ../dist/bench-cluster.txt

# Without cgo, as the image is built: otherwise the C library is in memory too.
.PHONY: bench-footprint
bench-footprint: ## Measure start and memory, idle and in a large cluster [FOOTPRINTFLAGS=]
	@mkdir -p dist
	cd e2e && go build -o ../bin/footprint ./cmd/footprint
	@set -o pipefail; cd e2e && CGO_ENABLED=0 ../bin/footprint $(FOOTPRINTFLAGS) | tee ../dist/bench-footprint.txt

.PHONY: soak
soak: ## Keep Probity busy for ten minutes and see that nothing grows [SOAKFLAGS=]
	@mkdir -p dist
	cd e2e && go build -o ../bin/soak ./cmd/soak
	@set -o pipefail; cd e2e && CGO_ENABLED=0 ../bin/soak $(SOAKFLAGS) | tee ../dist/soak.txt

.PHONY: bench-compare
bench-compare: ## Compare the last two runs of make bench (of BENCHCOUNT=10)
	$(TOOL) benchstat dist/bench-before.txt dist/bench.txt

# go test fuzzes one target of one package at a time, so each is looked up here.
.PHONY: fuzz
fuzz: ## Run every fuzz target for a while [FUZZTIME=30s]
	@set -e; \
	targets=$$(grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's/:func / /' | sort); \
	while read -r file name; do \
		echo "$$name in $$(dirname "$$file"), $(FUZZTIME)"; \
		(cd "$$(dirname "$$file")" && go test -run='^$$' -fuzz="^$$name\$$" -fuzztime='$(FUZZTIME)' -fuzzminimizetime=5s . </dev/null); \
	done <<<"$$targets"

##@ Verify

.PHONY: verify
verify: verify-fmt verify-tidy verify-generated verify-links lint ## Check all that must hold, the tests aside

.PHONY: verify-fmt
verify-fmt: golangci-lint ## Check that all Go files are formatted
	$(GOLANGCI_LINT) fmt --diff

# goreleaser's is left out: to tidy it, Go fetches two gigabytes of modules.
.PHONY: verify-tidy
verify-tidy: ## Check that each go.mod and go.sum is tidy
	@$(call in-each,$(filter-out ./tools/goreleaser,$(MODULES)),go mod tidy -diff)

# Both states are written as trees of git, by an index of their own, so that a
# change that is not committed yet counts as it stands. A new file that nobody
# added is a fault too: it would be missing in every other clone.
.PHONY: verify-generated
verify-generated: ## Check that generated files are up to date and added to git
	@set -e; \
	index=$$(mktemp -d); trap 'rm -rf "$$index"' EXIT; \
	tree() { GIT_INDEX_FILE=$$index/index git add -A -- $(GENERATED) && GIT_INDEX_FILE=$$index/index git write-tree; }; \
	before=$$(tree); \
	$(MAKE) --no-print-directory generate; \
	after=$$(tree); \
	git --no-pager diff --stat=100 --exit-code "$$before" "$$after" || \
		{ echo "These files were not up to date. They are now: commit them."; exit 1; }; \
	untracked=$$(git ls-files --others --exclude-standard -- $(GENERATED)); \
	[ -z "$$untracked" ] || { printf 'Generated, but not added to git:\n%s\n' "$$untracked"; exit 1; }

.PHONY: verify-links
verify-links: ## Check the links of all Markdown pages, without a network
	go run ./docs/links

# The linter runs vet too, and unlike `go vet` does not go through Kubernetes' code.
.PHONY: lint
lint: golangci-lint ## Run golangci-lint on every module
	@$(call in-each,$(GO_MODULES),$(GOLANGCI_LINT) run --config=$(CURDIR)/.golangci.yml --allow-serial-runners ./...)

# No part of verify: it needs the database of vulnerabilities, and what it says changes
# without a change of the code. The product's module alone: the others are never run in
# a cluster. It tells of what the code calls, and names what it only requires.
.PHONY: vulncheck
vulncheck: ## Look for known vulnerabilities in what is called; needs a network [VULNDB=]
	@echo "govulncheck, which looks into $(or $(VULNDB),Go's database of vulnerabilities):"
	@$(TOOL) govulncheck $(if $(VULNDB),-db='$(VULNDB)') ./... || \
		{ echo "Failed: with a vulnerability above, update the module that has it; without one, no database was read, and nothing is known."; exit 1; }

##@ Release

# docs/releasing.md says what is done with these, and by whom.
.PHONY: release-version
release-version: ## Name the next version in manifests, chart and changelog [VERSION=v0.2.0]
	@[ -n '$(filter command line,$(origin VERSION))' ] || { echo "Say which: make release-version VERSION=v0.2.0"; exit 2; }
	go run -C tools/release . version $(VERSION)
	$(MAKE) --no-print-directory generate

# goreleaser with all that it can do is large. It is built, not run by go tool, as
# it starts cyclonedx-gomod by its name. That one writes its own checksum into what
# it makes, so it too must be the same wherever it is built.
$(RELEASE_TOOLS)/goreleaser: tools/goreleaser/go.mod
	@echo "goreleaser and cyclonedx-gomod are built, which the first time takes many minutes."
	go build -C tools/goreleaser -o $(RELEASE_TOOLS)/ github.com/goreleaser/goreleaser/v2
	CGO_ENABLED=0 go build -C tools/goreleaser -trimpath -o $(RELEASE_TOOLS)/ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
	@touch $@

# The checksums are checked where the files stand that a release would publish.
.PHONY: release-snapshot
release-snapshot: $(RELEASE_TOOLS)/goreleaser ## Make a release of this commit in dist/release, for a look
	PATH="$(RELEASE_TOOLS):$$PATH" goreleaser release --snapshot --clean --skip=sign
	cp dist/assets/* dist/release/
	cd dist/release && $$(command -v sha256sum || echo shasum -a 256) --check --quiet checksums.txt
	go run -C tools/release . krew >dist/release/probity.krew.yaml
	@echo "In dist/release: archives, SBOMs, manifests, chart, Krew plugin, and checksums of all but the plugin."
	@echo "NOT made: the image (make release-image, with docker) and signatures (the release workflow's identity)."

# What one clone left in Go's cache must not be what the other one compares with.
# The tools are not made again, though a clone's go.mod is newer.
.PHONY: verify-reproducible
verify-reproducible: $(RELEASE_TOOLS)/goreleaser ## Make two snapshots of the commit in different folders, compare all bytes
	@set -e; work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT; \
	for clone in one another/and-deeper; do \
		git clone --quiet . "$$work/$$clone"; \
		GOCACHE="$$work/cache/$$clone" $(MAKE) -C "$$work/$$clone" -o $(RELEASE_TOOLS)/goreleaser RELEASE_TOOLS=$(RELEASE_TOOLS) release-snapshot; \
	done; \
	for file in checksums.txt probity.krew.yaml; do \
		diff "$$work/one/dist/release/$$file" "$$work/another/and-deeper/dist/release/$$file"; \
	done; \
	echo "Both are the same, byte for byte:"; cat "$$work/one/dist/release/checksums.txt"

# Its digest stays in dist/image.json, from where `make release` writes it into the
# manifests.
.PHONY: release-image
release-image: ## Build the image for all platforms, push it and sign it [IMAGE= VERSION=]
	mkdir -p dist
	docker buildx build --platform=linux/amd64,linux/arm64 --build-arg VERSION=$(VERSION) --provenance=mode=max --sbom=true \
		--tag $(IMAGE):$(VERSION) --push --metadata-file dist/image.json .
	cosign sign --yes "$(IMAGE)@$(IMAGE_DIGEST)"

IMAGE_DIGEST = $$(sed -n 's/.*"containerimage.digest": *"\(sha256:[0-9a-f]*\)".*/\1/p' dist/image.json)

.PHONY: release
release: $(RELEASE_TOOLS)/goreleaser ## Make the release of this tag, signed, as a draft [IMAGE=]
	digest=$(IMAGE_DIGEST) && [ -n "$$digest" ] && \
	IMAGE=$(IMAGE) IMAGE_DIGEST="$$digest" PATH="$(RELEASE_TOOLS):$$PATH" goreleaser release --clean
	go run -C tools/release . krew >dist/release/probity.krew.yaml
