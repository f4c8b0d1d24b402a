package command

const curlFlags = "-H:header --header:header -x:proxy --proxy:proxy --preproxy:proxy --socks5:proxy --socks5-hostname:proxy --socks4:proxy " +
	"--unix-socket:socket --abstract-unix-socket:socket --resolve:map --connect-to:map --url:url -u:secret --user:secret " +
	"-o:value --output:value -w:value --write-out:value -m:value --max-time:value --connect-timeout:value --retry:value " +
	"--retry-delay:value --retry-max-time:value -X:value --request:value -d:value --data:value --data-raw:value --data-binary:value " +
	"--data-urlencode:value --json:value -F:value --form:value -A:value --user-agent:value -e:value --referer:value -b:value --cookie:value " +
	"-c:value --cookie-jar:value -E:value --cert:value --key:value --cacert:value --capath:value --cert-type:value --key-type:value --pass:secret " +
	"--noproxy:value -K:value --config:value -T:value --upload-file:value -D:value --dump-header:value -r:value --range:value -y:value -Y:value " +
	"-z:value -C:value -P:value -Q:value -t:value --interface:value --dns-servers:value --ciphers:value --max-redirs:value --limit-rate:value " +
	"--tls-max:value --pinnedpubkey:value --oauth2-bearer:secret --keepalive-time:value --proto:value --url-query:value --stderr:value " +
	"--happy-eyeballs-timeout-ms:value --expect100-timeout:value --local-port:value --netrc-file:value --proxy-header:value --proxy-user:secret " +
	"--proxy-cacert:value --request-target:value --speed-limit:value --speed-time:value --trace:value --trace-ascii:value --aws-sigv4:value " +
	"--crlfile:value --doh-url:proxy --etag-compare:value --etag-save:value --hsts:value --alt-svc:value --max-filesize:value --parallel-max:value " +
	"--proto-default:value --proto-redir:value --quote:value --rate:value --telnet-option:value --time-cond:value --dns-interface:value " +
	"--dns-ipv4-addr:value --variable:value --mail-from:value --mail-rcpt:value --tls13-ciphers:value --curves:value --service-name:value"

const wgetFlags = "-O:value --output-document:value -o:value --output-file:value --header:header -T:value --timeout:value -t:value --tries:value " +
	"-w:value --wait:value -U:value --user-agent:value --user:value --password:secret --http-user:value --http-password:secret -e:value --execute:value " +
	"--post-data:value --post-file:value --body-data:value --method:value --ca-certificate:value --certificate:value --private-key:value -P:value " +
	"--connect-timeout:value --read-timeout:value --dns-timeout:value --waitretry:value --referer:value --max-redirect:value -a:value -Y:value --limit-rate:value --bind-address:value " +
	"--ciphers:value --secure-protocol:value --ca-directory:value --certificate-type:value --dns-servers:value --load-cookies:value --save-cookies:value " +
	"--progress:value -Q:value --quota:value -i:value --input-file:value -B:value --base:value --config:value --prefer-family:value --proxy-user:value --proxy-password:secret"

// httpClients are clients that request URLs.
func httpClients() []Client {
	return []Client{
		{
			Names: []string{"curl"}, Product: "HTTP server", Protocol: HTTP, Flags: curlFlags, Args: "url", Default: DefaultNone,
			Verbs:  []Verb{{Match: "--version|--help", Local: true}},
			Source: "https://curl.se/docs/manpage.html",
			Remote: "curl -fsS --max-time 3 http://inventory:8080/livez", Local: "curl -fsS http://127.0.0.1:8080/livez",
		},
		{
			Names: []string{"wget", "wget2"}, Product: "HTTP server", Protocol: HTTP, Flags: wgetFlags, Args: "url", Default: DefaultNone,
			Verbs:  []Verb{{Match: "--version|--help", Local: true}},
			Source: "https://www.gnu.org/software/wget/manual/wget.html",
			Remote: "wget -q --spider http://vector:9001/health", Local: "wget -q --spider http://localhost:9001/livez",
		},
		{
			Names: []string{"http", "https", "xh", "xhs"}, Product: "HTTP server", Protocol: HTTP,
			Flags: "-a:secret --auth:secret -A:value --auth-type:value --timeout:value -o:value --output:value --proxy:proxy -p:value --print:value --verify:value --cert:value --default-scheme:value -s:value",
			Args:  "url stop", Default: DefaultNone, Heavy: "python", Source: "https://httpie.io/docs/cli",
			Remote: "http --check-status GET http://inventory:8080/livez", Local: "http --check-status :8080/livez",
		},
		{
			Names: []string{"fetch", "aria2c", "lynx", "links", "w3m", "ab", "hey", "curlie", "httpstat", "httpx"}, Product: "HTTP server", Protocol: HTTP,
			Flags: "-o:value -q:value -n:value -c:value -t:value -H:header -d:value -T:value -O:value", Args: "url", Default: DefaultNone,
			Source: "https://httpd.apache.org/docs/2.4/programs/ab.html",
			Remote: "lynx -dump http://inventory/livez", Local: "lynx -dump http://localhost/livez",
		},
		{
			Names: []string{"websocat", "wscat"}, Product: "WebSocket server", Protocol: HTTP, Flags: "-H:header -c:url --connect:url", Args: "url",
			Default: DefaultNone, Source: "https://github.com/vi/websocat",
			Remote: "websocat ws://chat:8080/ws", Local: "websocat ws://localhost:8080/livez",
		},
		{
			Names:   []string{"invoke-webrequest", "iwr", "invoke-restmethod", "irm", "start-bitstransfer"},
			Product: "HTTP server", Protocol: HTTP, Style: Cmdlet,
			Flags: "-Uri:url -Source:url -Method:value -TimeoutSec:value -Headers:value -Body:value -OutFile:value -Proxy:proxy -ErrorAction:value -ContentType:value -Destination:value",
			Args:  "url", Default: DefaultNone,
			Source: "https://learn.microsoft.com/en-us/powershell/module/microsoft.powershell.utility/invoke-webrequest",
			Remote: "iwr -UseBasicParsing -Uri http://inventory/livez", Local: "Invoke-WebRequest http://localhost:8080/livez -UseBasicParsing",
		},
		{
			Names:   []string{"grpc_health_probe", "grpc-health-probe", "grpc_health_probe-linux-amd64", "grpc_health_probe-linux-arm64"},
			Product: "gRPC server", Protocol: GRPC, Style: LongDash, Default: DefaultNone,
			Flags:  "-addr:host -service:svc -connect-timeout:value -rpc-timeout:value -user-agent:value -tls-ca-cert:value -tls-client-cert:value -tls-client-key:value -tls-server-name:value -rpc-header:value",
			Source: "https://github.com/grpc-ecosystem/grpc-health-probe",
			Remote: "grpc_health_probe -addr=dns:///features.ml.svc:50051", Local: "grpc_health_probe -addr=:50051",
		},
		{
			Names: []string{"grpcurl"}, Product: "gRPC server", Protocol: GRPC, Style: LongDash, Default: DefaultNone,
			Flags: "-d:svc -H:value -proto:value -import-path:value -protoset:value -cacert:value -cert:value -key:value -authority:value -servername:value -connect-timeout:value -max-time:value -rpc-header:value -unix:socket -user-agent:value",
			Args:  "host word", Source: "https://github.com/fullstorydev/grpcurl",
			Remote: "grpcurl -plaintext features:50051 grpc.health.v1.Health/Check", Local: "grpcurl -plaintext localhost:50051 grpc.health.v1.Health/Check",
		},
		{
			Names: []string{"grpc-client-cli", "grpc-health-check"}, Product: "gRPC server", Protocol: GRPC, Flags: "-a:host --address:host -addr:host -s:svc --service:svc -deadline:value",
			Args: "host word", Default: DefaultNone, Source: "https://github.com/vadimi/grpc-client-cli",
			Remote: "grpc-client-cli health features:50051", Local: "grpc-client-cli -a localhost:50051",
		},
	}
}
