// Package manifests is the folder of what is applied to a cluster. Its tests hold
// the manifests to what the rest of the project promises of them.
package manifests

//go:generate go run ./generate .
