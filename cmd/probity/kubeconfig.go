package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// kubeconfigFlags say which cluster.
type kubeconfigFlags struct{ path, context string }

func (f *kubeconfigFlags) add(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&f.path, "kubeconfig", "", "kubeconfig of the cluster (default: $KUBECONFIG, then ~/.kube/config)")
	flags.StringVar(&f.context, "context", "", "context of the kubeconfig (default: its current one)")
}

// find returns how to reach the cluster, and the namespace of the context.
func (f *kubeconfigFlags) find() (config *rest.Config, namespace string, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.path
	found := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: f.context})
	config, err = found.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		// The library's own words advise a variable that nobody uses any more.
		err = errors.New("neither --kubeconfig nor $KUBECONFIG nor ~/.kube/config names one")
	}
	if err == nil {
		namespace, _, err = found.Namespace()
	}
	if err != nil {
		return nil, "", fmt.Errorf("find the cluster: %w", err)
	}
	return config, namespace, nil
}
