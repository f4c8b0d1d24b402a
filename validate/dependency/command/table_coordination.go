package command

// coordinationClients are clients of what keeps the state of a cluster.
func coordinationClients() []Client {
	return []Client{
		{
			Names: []string{"etcdctl"}, Product: "etcd", Servers: "etcd", Port: 2379,
			Flags: "--endpoints:url --endpoint:url -C:url --peers:url --cacert:value --cert:value --key:value --user:value " +
				"--password:secret --command-timeout:value --dial-timeout:value -w:value --write-out:value --ca-file:value --cert-file:value --key-file:value",
			Env: "ETCDCTL_ENDPOINTS ETCDCTL_ENDPOINT",
			Verbs: []Verb{
				{Match: "--cluster|cluster-health", Asks: "every member of the etcd cluster"},
				{
					// "endpoint health" is a linearizable read, which needs a quorum.
					Match: "endpoint health|member list|get|put|alarm list|ls", Likely: true, Asks: "the etcd quorum",
					Source: "https://github.com/etcd-io/etcd/blob/main/etcdctl/ctlv3/command/ep_command.go",
				},
			},
			Instead: "etcdctl endpoint status", Source: "https://etcd.io/docs/v3.6/op-guide/maintenance/",
			Remote: "etcdctl endpoint health --endpoints=http://etcd-0.etcd:2379,http://etcd-1.etcd:2379",
			Local:  "etcdctl --endpoints=https://127.0.0.1:2379 endpoint status",
		},
		{
			Names: []string{"zkcli"}, Scripts: true, Product: "ZooKeeper", Servers: "zookeeper zk", Port: 2181, Flags: "-server:host -timeout:value",
			Style: LongDash, Heavy: "a JVM", Source: "https://zookeeper.apache.org/doc/current/zookeeperCLI.html",
			Remote: "zkcli.sh -server zk-0.zk:2181 ls /", Local: "zkcli.sh -server 127.0.0.1:2181 ls /",
		},
		{
			Names: []string{"zkserver"}, Scripts: true, Product: "ZooKeeper", Servers: "zookeeper zk", Port: 2181, Flags: "--config:value",
			// A member without a quorum answers "not currently serving requests".
			Verbs: []Verb{{Match: "status", Likely: true, Asks: "the ZooKeeper quorum"}}, Heavy: "a JVM",
			Source: "https://zookeeper.apache.org/doc/current/zookeeperTools.html",
			Remote: "zkserver.sh status", Local: "zkserver.sh version",
		},
		{
			Names: []string{"consul"}, Product: "Consul agent", Servers: "consul", Port: 8500,
			Flags: "-http-addr:url -token:secret -token-file:value -ca-file:value -client-cert:value -client-key:value -datacenter:value -rpc-addr:host",
			Style: LongDash, Env: "CONSUL_HTTP_ADDR",
			Verbs: []Verb{
				{
					Match: "operator raft|operator autopilot|operator usage", Asks: "the leader of the Consul servers",
					Source: "https://developer.hashicorp.com/consul/commands/operator/raft",
				},
				{Match: "catalog|kv|acl|config|services|intention|snapshot|lock", Likely: true, Asks: "the leader of the Consul servers"},
			},
			Instead: "consul info", Source: "https://developer.hashicorp.com/consul/commands/members",
			Remote: "consul operator raft list-peers", Local: "consul members -http-addr=http://127.0.0.1:8500",
		},
		{
			Names: []string{"vault", "bao"}, Product: "Vault", Servers: "vault openbao bao", Port: 8200,
			Flags: "-address:url -agent-address:url -ca-cert:value -ca-path:value -client-cert:value -client-key:value -namespace:value -ns:value -format:value -tls-server-name:value",
			Style: LongDash, Env: "VAULT_ADDR BAO_ADDR",
			Verbs: []Verb{
				{
					Match: "operator raft|operator members", Asks: "the other Vault servers",
					Source: "https://developer.hashicorp.com/vault/docs/commands/operator/raft",
				},
				{Match: "version", Local: true},
			},
			Source: "https://developer.hashicorp.com/vault/docs/commands/status",
			Remote: "vault status -address=https://vault.vault:8200", Local: "vault status -tls-skip-verify",
		},
		{
			Names: []string{"nomad"}, Product: "Nomad", Servers: "nomad", Port: 4646, Flags: "-address:url -region:value -namespace:value -token:secret",
			Style: LongDash, Env: "NOMAD_ADDR",
			Verbs:  []Verb{{Match: "server members|node status|operator raft|job status", Asks: "the leader of the Nomad servers"}},
			Source: "https://developer.hashicorp.com/nomad/docs/commands", Remote: "nomad node status", Local: "nomad agent-info",
		},
		{
			Names: []string{"serf"}, Product: "Serf", Servers: "serf", Flags: "-rpc-addr:host -rpc-auth:secret", Style: LongDash, Env: "SERF_RPC_ADDR",
			Source: "https://github.com/hashicorp/serf", Remote: "serf reachability -rpc-addr=serf:7373", Local: "serf members",
		},
	}
}

// clusterClients are clients of the cluster's and the cloud's own services.
func clusterClients() []Client {
	return []Client{
		{
			Names: []string{"kubectl", "oc"}, Product: "Kubernetes API",
			Flags: "-s:url --server:url -n:value --namespace:value --context:value --kubeconfig:value --token:secret --cluster:value --user:value " +
				"-o:value --output:value -l:value --selector:value --request-timeout:value --as:value --field-selector:value",
			Default: DefaultShared, Asks: "the Kubernetes API",
			Verbs:  []Verb{{Match: "--client|config|completion|kustomize", Local: true}},
			Source: "https://kubernetes.io/docs/reference/kubectl/",
			Remote: "kubectl get pods", Local: "kubectl version --client",
		},
		{
			Names: []string{"helm", "flux", "argocd", "argo", "istioctl", "linkerd", "velero", "calicoctl", "tkn", "cmctl", "kn"}, Product: "Kubernetes API",
			Flags: "-n:value --namespace:value --server:url --kube-context:value --kubeconfig:value", Default: DefaultLikely, Asks: "the Kubernetes API",
			Verbs:  []Verb{{Match: "version|completion|template|lint|env", Local: true}},
			Source: "https://helm.sh/docs/helm/helm/", Remote: "helm list", Local: "helm version",
		},
		{
			Names: []string{"aws"}, Product: "AWS", Flags: "--endpoint-url:url --region:value --profile:value --output:value --query:value --ca-bundle:value",
			Env: "AWS_ENDPOINT_URL", Default: DefaultShared, Asks: "the AWS API", Heavy: "python",
			Verbs:  []Verb{{Match: "configure|help|--version", Local: true}},
			Source: "https://docs.aws.amazon.com/cli/latest/reference/", Remote: "aws s3 ls", Local: "aws --version",
		},
		{
			Names: []string{"gcloud", "gsutil", "bq"}, Product: "Google Cloud", Flags: "--project:value --account:value --format:value -o:value",
			Default: DefaultShared, Asks: "the Google Cloud API", Heavy: "python", Verbs: []Verb{{Match: "version|config|info|help", Local: true}},
			Source: "https://cloud.google.com/sdk/gcloud/reference", Remote: "gsutil ls gs://orders", Local: "gcloud version",
		},
		{
			Names: []string{"az"}, Product: "Azure", Flags: "--subscription:value -g:value -n:value -o:value --query:value", Default: DefaultShared,
			Asks: "the Azure API", Heavy: "python", Verbs: []Verb{{Match: "version|config|--version|--help", Local: true}},
			Source: "https://learn.microsoft.com/en-us/cli/azure/", Remote: "az account show", Local: "az version",
		},
		{
			Names:   []string{"oci", "ibmcloud", "doctl", "hcloud", "linode-cli", "aliyun", "openstack"},
			Product: "cloud", Default: DefaultShared, Asks: "the cloud's API", Verbs: []Verb{{Match: "version|--version|help|--help", Local: true}},
			Source: "https://docs.openstack.org/python-openstackclient/latest/", Remote: "openstack server list", Local: "openstack --version",
		},
		{
			Names: []string{"mc", "mcli"}, Product: "MinIO", Servers: "minio", Port: 9000, Flags: "--config-dir:value -C:value", Default: DefaultUnknown,
			Verbs: []Verb{
				{
					Match: "ready|admin info|admin heal|ping", Asks: "the quorum of the MinIO cluster",
				},
				{Match: "ls|stat|cp|cat|du|find", Likely: true, Asks: "the object store"},
				{Match: "--version|version|alias", Local: true},
			},
			Instead: "/minio/health/live", Source: "https://github.com/minio/mc", Remote: "mc ready local", Local: "mc --version",
		},
		{
			Names: []string{"s3cmd", "rclone", "s5cmd", "azcopy"}, Product: "object store", Flags: "--host:host --host-bucket:value -c:value --config:value --endpoint-url:url",
			Default: DefaultShared, Asks: "the object store", Verbs: []Verb{{Match: "version|--version|--help|config", Local: true}},
			Source: "https://rclone.org/docs/", Remote: "s3cmd ls s3://orders", Local: "s3cmd --version",
		},
		{
			Names: []string{"ceph", "rados", "rbd", "radosgw-admin", "cephfs-shell"}, Product: "Ceph daemon", Servers: "ceph",
			Flags: "-c:value --conf:value -n:value --name:value --id:value -k:value --keyring:value -m:value -p:value --connect-timeout:value", Default: DefaultShared,
			Asks: "the Ceph monitors", Verbs: []Verb{{Match: "daemon|--admin-daemon|--version", Local: true}}, Heavy: "python",
			Source: "https://docs.ceph.com/en/latest/rados/operations/monitoring/", Remote: "ceph health", Local: "ceph daemon mon.a mon_status",
		},
		{
			Names: []string{"hdfs", "hadoop", "yarn-cluster", "hbase", "beeline", "hive", "spark-submit", "spark-sql"}, Product: "Hadoop", Servers: "hadoop hdfs hive hbase",
			Flags: "-u:url -fs:url -jt:host -n:value -p:secret -e:value", Style: LongDash, Default: DefaultLikely, Asks: "the Hadoop cluster", Heavy: "a JVM",
			Verbs: []Verb{
				{Match: "dfsadmin|dfs|fs|fsck|haadmin", Asks: "the NameNode"}, {Match: "version|classpath|envvars", Local: true},
			},
			Source: "https://hadoop.apache.org/docs/stable/hadoop-project-dist/hadoop-hdfs/HDFSCommands.html",
			Remote: "hdfs dfsadmin -report", Local: "hdfs version",
		},
		{
			Names: []string{"trino", "presto", "presto-cli"}, Product: "Trino", Servers: "trino presto prestosql prestodb", Port: 8080,
			Flags: "--server:url --catalog:value --schema:value --user:value --execute:query -f:value", Heavy: "a JVM",
			Source: "https://trino.io/docs/current/client/cli.html",
			Remote: "trino --server http://coordinator:8080 --execute 'SELECT 1'", Local: "trino --server localhost:8080 --execute 'SELECT 1'",
		},
		{
			Names: []string{"temporal", "tctl"}, Product: "Temporal", Servers: "temporal", Port: 7233,
			Flags: "--address:host --ad:host --namespace:value --ns:value -n:value --tls-cert-path:value", Env: "TEMPORAL_ADDRESS TEMPORAL_CLI_ADDRESS",
			Source: "https://docs.temporal.io/cli/operator",
			Remote: "temporal operator cluster health --address temporal-frontend:7233", Local: "temporal operator cluster health",
		},
		{
			Names: []string{"spire-agent", "spire-server"}, Product: "SPIRE", Servers: "spire", Flags: "-socketPath:socket -registrationUDSPath:socket", Style: LongDash,
			Source: "https://github.com/spiffe/spire/blob/main/doc/spire_agent.md", Local: "spire-agent healthcheck -socketPath /run/agent.sock",
		},
		{
			Names: []string{"docker", "podman", "nerdctl", "ctr", "crictl"}, Product: "container runtime",
			Flags:  "-H:url --host:url --context:value -r:url --runtime-endpoint:url -n:value --namespace:value -a:url --address:url",
			Env:    "DOCKER_HOST CONTAINER_HOST CONTAINER_RUNTIME_ENDPOINT",
			Source: "https://docs.docker.com/reference/cli/docker/", Remote: "docker -H tcp://builder:2375 info", Local: "docker info",
		},
		{
			Names: []string{"filebeat", "metricbeat", "heartbeat", "auditbeat", "packetbeat"}, Product: "Beat", Flags: "-c:value -E:value --path.config:value",
			Default: DefaultUnknown,
			Verbs:   []Verb{{Match: "test output", Asks: "the output that the Beat sends to"}, {Match: "test config|version|export", Local: true}},
			Source:  "https://www.elastic.co/guide/en/beats/filebeat/current/command-line-options.html", Remote: "filebeat test output", Local: "filebeat test config",
		},
		{
			Names: []string{"ray"}, Product: "Ray", Servers: "ray", Flags: "--address:host --component:value", Heavy: "python",
			Verbs:  []Verb{{Match: "status|health-check|list", Likely: true, Asks: "the head of the Ray cluster"}},
			Source: "https://docs.ray.io/en/latest/cluster/cli.html", Remote: "ray health-check --address ray-head:6379", Local: "ray --version",
		},
		{
			Names: []string{"ovn-nbctl", "ovn-sbctl", "ovsdb-client"}, Product: "OVN", Servers: "ovn", Flags: "--db:url -t:value --timeout:value",
			Env: "OVN_NB_DB OVN_SB_DB", Source: "https://www.ovn.org/en/architecture/",
			Remote: "ovn-nbctl --db=tcp:ovn-nb:6641 show", Local: "ovn-nbctl show",
		},
	}
}
