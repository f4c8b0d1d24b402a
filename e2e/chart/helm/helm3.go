package main

import (
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

type helm3 struct {
	configuration *action.Configuration
	namespace     string
	renderer      renderer
}

func newHelm3(getter *genericclioptions.ConfigFlags, namespace string, r renderer) (helm, error) {
	c := &action.Configuration{}
	return &helm3{c, namespace, r}, c.Init(getter, namespace, "secret", func(string, ...any) {})
}

func (h *helm3) install(chart string, values map[string]any) error {
	loaded, err := loader.Load(chart)
	if err != nil {
		return err
	}
	a := action.NewInstall(h.configuration)
	a.ReleaseName, a.Namespace, a.CreateNamespace = releaseName, h.namespace, true
	a.PostRenderer, a.Timeout = h.renderer, timeout
	_, err = a.Run(loaded, values)
	return err
}

func (h *helm3) upgrade(chart string, values map[string]any) error {
	loaded, err := loader.Load(chart)
	if err != nil {
		return err
	}
	a := action.NewUpgrade(h.configuration)
	a.Namespace, a.PostRenderer, a.Timeout = h.namespace, h.renderer, timeout
	_, err = a.Run(releaseName, loaded, values)
	return err
}

func (h *helm3) rollback(revision int) error {
	a := action.NewRollback(h.configuration)
	a.Version, a.Timeout = revision, timeout
	return a.Run(releaseName)
}

func (h *helm3) uninstall() error {
	a := action.NewUninstall(h.configuration)
	a.Timeout = timeout
	_, err := a.Run(releaseName)
	return err
}
