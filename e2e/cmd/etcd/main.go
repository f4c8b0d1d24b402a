// Command etcd is the etcd server of the local control plane. The server is a
// library whose own main package is not part of a module that can be required.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
