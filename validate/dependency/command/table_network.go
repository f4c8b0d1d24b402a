package command

// networkClients are tools that connect to ports, resolve names and the like.
func networkClients() []Client {
	const ncFlags = "-w:value -i:value -p:value -s:value -q:value -x:proxy -X:value --proxy:proxy --proxy-type:value -e:value -G:value -g:value -I:value -T:value --wait:value -U:socket --unixsock:socket -m:value"
	return []Client{
		{
			Names: []string{"nc", "ncat", "netcat", "nc.openbsd", "nc.traditional"}, Product: "server", Protocol: TCP, Flags: ncFlags, Args: "host port",
			Default: DefaultNone,
			Verbs: []Verb{{
				// ZooKeeper answers these only while it is in a quorum.
				Match: "srvr|stat|mntr|isro", Output: true, Likely: true, Asks: "the ZooKeeper quorum",
				Source: "https://zookeeper.apache.org/doc/current/zookeeperAdmin.html",
			}},
			Source: "https://man.openbsd.org/nc.1", Remote: "nc -z -w 2 orders-db 5432", Local: "nc -z localhost 9091",
		},
		{
			Names: []string{"telnet"}, Product: "server", Protocol: TCP, Flags: "-l:value -b:value", Args: "host port", Default: DefaultNone,
			Source: "https://www.gnu.org/software/inetutils/manual/inetutils.html", Remote: "telnet orders-db 5432", Local: "telnet localhost 8080",
		},
		{
			Names: []string{"socat"}, Product: "server", Protocol: TCP, Flags: "-T:value -t:value -b:value", Args: "endpoint", Default: DefaultNone,
			Source: "http://www.dest-unreach.org/socat/doc/socat.html", Remote: "socat - TCP:orders-db:5432", Local: "socat - UNIX-CONNECT:/run/app.sock",
		},
		{
			Names: []string{"openssl"}, Product: "TLS server", Protocol: TCP, Style: LongDash,
			Flags:   "-connect:host -host:host -servername:value -port:port -CAfile:value -CApath:value -cert:value -key:value -proxy:proxy -starttls:value -in:value -out:value -checkend:value -url:url -verify:value",
			Default: DefaultNone,
			Verbs:   []Verb{{Match: "x509|verify|rsa|ec|pkey|dgst|crl|version|pkcs12", Local: true, Asks: "a certificate in this container"}},
			Source:  "https://docs.openssl.org/master/man1/openssl-s_client/",
			Remote:  "openssl s_client -connect idp:443", Local: "openssl x509 -in /tls/tls.crt -checkend 3600",
		},
		{
			Names: []string{"nmap", "nping", "hping3", "tcping", "tcptraceroute", "iperf", "iperf3"}, Product: "server", Protocol: TCP,
			Flags: "-p:port -c:host -t:value -w:value -i:value -n:value", Args: "host port", Default: DefaultNone, Source: "https://nmap.org/book/man.html",
			Remote: "nmap -p 5432 orders-db", Local: "nmap -p 5432 localhost",
		},
		{
			Names: []string{"ping", "ping6", "fping", "arping", "traceroute", "tracepath", "mtr"}, Product: "host", Protocol: TCP,
			Flags: "-c:value -i:value -I:value -W:value -w:value -s:value -M:value -m:value", Args: "host", Default: DefaultNone,
			Source: "https://man7.org/linux/man-pages/man8/ping.8.html", Remote: "ping -c 1 orders-db", Local: "ping -c 1 localhost",
		},
		{
			Names: []string{"dig", "drill", "kdig", "delv"}, Product: "DNS server", Protocol: Name, Flags: "-p:port -t:value -c:value -b:value -f:value -q:name -x:name -k:value -y:value",
			Args: "name word", Asks: "the cluster's DNS", Source: "https://bind9.readthedocs.io/en/latest/manpages.html",
			Remote: "dig +short orders-db.data.svc", Local: "dig +short @127.0.0.1 kubernetes.default.svc.cluster.local",
		},
		{
			Names: []string{"nslookup", "host"}, Product: "DNS server", Protocol: Name, Flags: "-t:value -W:value -c:value -N:value -R:value", Args: "name server",
			Asks: "the cluster's DNS", Source: "https://bind9.readthedocs.io/en/latest/manpages.html",
			Remote: "nslookup kubernetes.default", Local: "nslookup kubernetes.default 127.0.0.1",
		},
		{
			Names: []string{"getent"}, Product: "name service", Protocol: Name, Flags: "-s:value", Args: "word name", Asks: "the cluster's DNS",
			Verbs:  []Verb{{Match: "passwd|group|shadow|services|protocols|initgroups|ethers|rpc|gshadow", Local: true}},
			Source: "https://man7.org/linux/man-pages/man1/getent.1.html", Remote: "getent hosts orders-db", Local: "getent passwd app",
		},
		{
			Names: []string{"resolvectl", "systemd-resolve"}, Product: "name service", Protocol: Name, Flags: "-i:value -t:value -c:value", Args: "word name",
			Asks: "the cluster's DNS", Verbs: []Verb{{Match: "status|statistics|dns", Local: true}},
			Source: "https://www.freedesktop.org/software/systemd/man/latest/resolvectl.html",
			Remote: "resolvectl query orders-db", Local: "resolvectl status",
		},
		{
			Names: []string{"resolve-dnsname"}, Product: "DNS server", Protocol: Name, Style: Cmdlet, Flags: "-Name:name -Server:server -Type:value -ErrorAction:value",
			Args: "name", Asks: "the cluster's DNS", Source: "https://learn.microsoft.com/en-us/powershell/module/dnsclient/resolve-dnsname",
			Remote: "Resolve-DnsName sql01.corp.example", Local: "Resolve-DnsName -Name sql01 -Server 127.0.0.1",
		},
		{
			Names: []string{"test-netconnection", "tnc"}, Product: "server", Protocol: TCP, Style: Cmdlet,
			Flags: "-ComputerName:host -RemoteAddress:host -Port:port -RemotePort:port -InformationLevel:value -CommonTCPPort:value -WarningAction:value -Hops:value",
			// Without a name it asks internetbeacon.msedge.net.
			Args: "host", Default: DefaultShared, Asks: "the internet", Source: "https://learn.microsoft.com/en-us/powershell/module/nettcpip/test-netconnection",
			Remote: "Test-NetConnection -ComputerName sql01 -Port 1433", Local: "Test-NetConnection localhost -Port 80",
		},
		{
			Names: []string{"test-connection"}, Product: "host", Protocol: TCP, Style: Cmdlet,
			Flags: "-ComputerName:host -TargetName:host -Count:value -TcpPort:port -TimeoutSeconds:value -Delay:value", Args: "host", Default: DefaultNone,
			Source: "https://learn.microsoft.com/en-us/powershell/module/microsoft.powershell.management/test-connection",
			Remote: "Test-Connection sql01 -Count 1 -Quiet", Local: "Test-Connection -TargetName localhost -TcpPort 80",
		},
		{
			Names: []string{"invoke-sqlcmd"}, Product: "SQL Server", Servers: "mssql sqlserver", Style: Cmdlet,
			Flags:  "-ServerInstance:mssql -Query:query -Database:value -Username:value -Password:secret -ConnectionString:url -QueryTimeout:value",
			Source: "https://learn.microsoft.com/en-us/powershell/module/sqlserver/invoke-sqlcmd",
			Remote: "Invoke-Sqlcmd -ServerInstance sql01 -Query 'SELECT 1'", Local: "Invoke-Sqlcmd -ServerInstance localhost -Query 'SELECT 1'",
		},
		{
			Names: []string{"ssh", "sftp", "ssh-keyscan", "sshpass"}, Product: "SSH server", Protocol: TCP,
			Flags: "-p:port -l:value -i:value -o:value -F:value -J:host -b:value -c:value -L:value -R:value -D:value -W:value -T:value -t:value", Args: "host stop",
			Default: DefaultNone, Source: "https://man.openbsd.org/ssh.1", Remote: "ssh -o ConnectTimeout=2 app@bastion true", Local: "ssh -p 2222 localhost true",
		},
		{
			Names: []string{"ldapsearch", "ldapwhoami", "ldapcompare"}, Product: "LDAP server", Servers: "ldap openldap slapd glauth lldap", Port: 389,
			Flags: "-H:url -h:host -p:port -D:value -b:value -w:secret -y:value -s:value -l:value -z:value -o:value -Y:value -U:value", Args: "value", Env: "LDAPURI",
			Source: "https://www.openldap.org/software/man.cgi?query=ldapsearch",
			Remote: "ldapsearch -x -H ldap://directory:389 -b dc=example", Local: "ldapsearch -x -H ldapi:/// -b cn=config",
		},
		{
			Names: []string{"smbclient", "showmount", "rpcinfo", "nfsstat"}, Product: "file server", Flags: "-U:value -p:port -e:host -I:host -L:host -c:value", Args: "host stop",
			Source: "https://www.samba.org/samba/docs/current/man-html/smbclient.1.html", Remote: "showmount -e filer", Local: "rpcinfo -p localhost",
		},
		{
			Names: []string{"snmpget", "snmpwalk", "snmpstatus"}, Product: "SNMP agent", Flags: "-c:value -v:value -t:value -r:value -u:value -l:value -a:value -A:value", Args: "host stop",
			Default: DefaultNone, Source: "https://www.net-snmp.org/docs/man/snmpget.html",
			Remote: "snmpget -v 2c -c public switch sysUpTime.0", Local: "snmpget -v 2c -c public localhost sysUpTime.0",
		},
		{
			Names: []string{"ntpdate", "sntp", "rdate"}, Product: "time server", Protocol: TCP, Flags: "-t:value -p:value", Args: "host", Default: DefaultNone,
			Source: "https://www.ntp.org/documentation/4.2.8-series/ntpdate/", Remote: "ntpdate -q pool.ntp.org", Local: "ntpdate -q localhost",
		},
		{
			Names: []string{"chronyc", "ntpq"}, Product: "time daemon", Flags: "-h:host -p:glued -c:value", Source: "https://chrony-project.org/documentation.html",
			Remote: "chronyc -h clock tracking", Local: "chronyc tracking",
		},
		{
			Names: []string{"rndc", "unbound-control", "pdns_control", "rec_control", "nsd-control", "knotc", "kresctl"}, Product: "DNS server",
			Flags: "-s:host -p:port -c:value -k:value -y:value --socket-dir:value", Source: "https://bind9.readthedocs.io/en/latest/manpages.html",
			Remote: "rndc -s ns1 status", Local: "rndc status",
		},
		{
			Names: []string{"swaks", "sendmail", "msmtp"}, Product: "mail server", Flags: "--server:host -s:host --host:host --port:port -p:port --to:value --from:value -t:value -f:value --quit-after:value",
			Source: "https://jetmore.org/john/code/swaks/", Remote: "swaks --server smtp --quit-after EHLO --to a@b", Local: "swaks --server localhost --quit-after EHLO",
		},
		{
			Names: []string{"cgi-fcgi"}, Product: "FastCGI server", Protocol: TCP, Flags: "-connect:host", Default: DefaultNone,
			Source: "https://github.com/FastCGI-Archives/fcgi2", Remote: "cgi-fcgi -bind -connect php:9000", Local: "cgi-fcgi -bind -connect 127.0.0.1:9000",
		},
		{
			Names: []string{"php-fpm-healthcheck"}, Product: "PHP-FPM", Source: "https://github.com/renatomefi/php-fpm-healthcheck",
			Flags: "--listen-queue:value --accepted-conn:value", Local: "php-fpm-healthcheck",
		},
		{
			Names: []string{"pilot-agent", "envoy-wait"}, Product: "Envoy", Source: "https://istio.io/latest/docs/reference/commands/pilot-agent/",
			Local: "pilot-agent request GET server_info",
		},
		{
			Names: []string{"virsh"}, Product: "libvirt", Servers: "libvirt libvirtd", Flags: "-c:url --connect:url", Env: "LIBVIRT_DEFAULT_URI",
			Source: "https://www.libvirt.org/manpages/virsh.html", Remote: "virsh -c qemu+ssh://node1/system list", Local: "virsh list",
		},
	}
}
