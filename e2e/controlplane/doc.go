// Package controlplane runs a real Kubernetes control plane on this machine:
// etcd, the API server, the controller manager and the scheduler, built from
// their Go modules, and kwok, which plays the nodes. Pods are scheduled and
// turn Ready, Deployments roll and evictions are honoured or refused, but no
// container runs. It needs the go command and nothing else; no container
// engine, no root.
package controlplane
