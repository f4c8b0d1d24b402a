package main

import (
	"log/slog"
	"os"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/loader"
	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// timeout bounds hooks, the only thing that is waited for.
const timeout = 2 * time.Minute

type helm4 struct {
	configuration *action.Configuration
	namespace     string
	renderer      renderer
}

func newHelm4(getter *genericclioptions.ConfigFlags, namespace string, r renderer) (helm, error) {
	c := action.NewConfiguration(action.ConfigurationSetLogger(slog.NewTextHandler(os.Stderr, nil)))
	return &helm4{c, namespace, r}, c.Init(getter, namespace, "secret")
}

func (h *helm4) install(chart string, values map[string]any) error {
	loaded, err := loader.Load(chart)
	if err != nil {
		return err
	}
	a := action.NewInstall(h.configuration)
	a.ReleaseName, a.Namespace, a.CreateNamespace = releaseName, h.namespace, true
	a.PostRenderer, a.WaitStrategy, a.Timeout = h.renderer, kube.HookOnlyStrategy, timeout
	_, err = a.Run(loaded, values)
	return err
}

func (h *helm4) upgrade(chart string, values map[string]any) error {
	loaded, err := loader.Load(chart)
	if err != nil {
		return err
	}
	a := action.NewUpgrade(h.configuration)
	a.Namespace = h.namespace
	a.PostRenderer, a.WaitStrategy, a.Timeout = h.renderer, kube.HookOnlyStrategy, timeout
	_, err = a.Run(releaseName, loaded, values)
	return err
}

func (h *helm4) rollback(revision int) error {
	a := action.NewRollback(h.configuration)
	a.Version, a.WaitStrategy, a.Timeout = revision, kube.HookOnlyStrategy, timeout
	return a.Run(releaseName)
}

func (h *helm4) uninstall() error {
	a := action.NewUninstall(h.configuration)
	a.WaitStrategy, a.Timeout = kube.HookOnlyStrategy, timeout
	_, err := a.Run(releaseName)
	return err
}
