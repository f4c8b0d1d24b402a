package main

import (
	"fmt"

	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"

	"github.com/probity-dev/probity/webhook"
)

// askPermissions returns who says whether a user may exempt from a rule: the API
// server, where the configuration asks for that.
func askPermissions(config *rest.Config) (webhook.Permissions, error) {
	// The API server says by itself when it is asked too much; a limit of the
	// client's own would make users wait whose deployment is at stake.
	config = rest.CopyConfig(config)
	config.QPS = -1
	client, err := authorizationclient.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("ask for permissions: %w", err)
	}
	return webhook.NewAskedPermissions(client.SubjectAccessReviews()), nil
}
