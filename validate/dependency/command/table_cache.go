package command

// cacheClients are clients of caches.
func cacheClients() []Client {
	return []Client{
		{
			Names: []string{"redis-cli", "valkey-cli", "keydb-cli"}, Product: "Redis",
			Servers: "redis valkey keydb dragonfly sentinel", Port: 6379,
			Flags: "-h:host -p:port -s:socket -a:secret --pass:secret -u:url --user:value -n:value -r:value -i:value -t:value -d:value -D:value " +
				"--cacert:value --cacertdir:value --cert:value --key:value --sni:value --eval:value --tls-ciphers:value",
			Style: Leading,
			Verbs: []Verb{
				{
					Match: "sentinel ckquorum", Asks: "the other Sentinels", Source: redisSentinel,
				},
				{
					Match:  "sentinel masters|sentinel master|sentinel slaves|sentinel replicas|sentinel sentinels|sentinel get-master-addr-by-name",
					Output: true, Asks: "the Redis master", Source: redisSentinel,
				},
				{Match: "--cluster", Asks: "every node of the Redis cluster"},
				{
					Match: "cluster info|cluster nodes|cluster slots|cluster shards", Output: true, Asks: "the whole Redis cluster",
					Source: "https://redis.io/docs/latest/commands/cluster-info/",
				},
				{
					Match: "info replication|role|wait", Output: true, Asks: "the state of replication",
					Source: "https://redis.io/docs/latest/commands/role/",
				},
			},
			Relays: []Relay{{
				Product: "twemproxy", Images: "twemproxy nutcracker", Port: 22121, Source: "https://github.com/twitter/twemproxy",
			}},
			Instead: "redis-cli ping", Source: "https://redis.io/docs/latest/develop/tools/cli/",
			Remote: "redis-cli -h cache -p 6379 ping", Local: "redis-cli ping",
		},
		{
			Names: []string{"memcstat", "memcping", "memccat"}, Product: "memcached", Servers: "memcached memcache", Port: 11211,
			Flags: "--servers:host", Env: "MEMCACHED_SERVERS", Args: "value", Source: "https://awesomized.github.io/libmemcached/",
			Remote: "memcping --servers=cache:11211", Local: "memcping --servers=localhost",
		},
		{
			Names: []string{"memcached-tool"}, Product: "memcached", Servers: "memcached memcache", Port: 11211,
			Args: "host word", Source: "https://github.com/memcached/memcached/blob/master/scripts/memcached-tool",
			Remote: "memcached-tool cache:11211 stats", Local: "memcached-tool localhost:11211 stats",
		},
	}
}

const redisSentinel = "https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/"
