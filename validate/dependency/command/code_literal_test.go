package command

import "testing"

func pl(code string) []string { return []string{"perl", "-e", code} }

func TestStringsOfRubyAndPerlAreRead(t *testing.T) {
	judge(t, []probe{
		{name: "%q", argv: rb("require 'socket'; Socket.tcp(%q(orders-db), 5432)"), want: "shared", asks: `host "orders-db"`},
		{name: "%Q with a variable", argv: rb(`Net::HTTP.get(URI.parse(%Q{http://#{ENV["DB_HOST"]}/x}))`), req: literal("DB_HOST", "orders"), want: "shared", asks: `host "orders"`},
		{name: "% without a letter, behind a name", argv: rb("Net::HTTP.get(URI %[http://localhost:3000/livez])"), want: "process"},
		{name: "brackets in brackets", argv: rb("Sequel.connect(%(postgres://orders-db/x(1)))"), want: "shared"},
		{name: "a remainder is no string", argv: rb("exit 5 % 3 == 2 && Time.now.to_i % (60 * 2) > 1"), want: "process"},
		{name: "a list of words", argv: rb("%w[localhost orders-db].each { |h| TCPSocket.new(h, 80).close }"), want: "shared", asks: `host "orders-db"`},
		{name: "a list of words for a client", argv: rb("Mongo::Client.new(%w[orders-0:27017 orders-1:27017])"), want: "shared", asks: `host "orders-0"`},
		{name: "a list of words as a program", argv: rb("exit system(*%w[pg_isready -h orders-db])"), want: "shared", asks: `host "orders-db"`},
		{name: "an item behind a list", argv: rb("seen = []; host = 'orders-db'; seen <<host"), want: "process"},
		{name: "a heredoc in quotes", argv: rb("u = <<~'URL'.strip\n  http://inventory/x\nURL\nNet::HTTP.get(URI(u))"), want: "shared", asks: `host "inventory"`},
		{name: "a heredoc of PHP", argv: phpr("$u = <<<URL\nhttp://inventory/x\nURL;\nexit(file_get_contents($u) ? 0 : 1);"), want: "shared", asks: `host "inventory"`},
		{name: "a heredoc of Perl", argv: pl("my $u = <<URL;\nhttp://inventory/x\nURL\nuse LWP::Simple; exit(get($u) ? 0 : 1)"), want: "shared", asks: `host "inventory"`},
		{name: "a list of this pod's names", argv: rb("exit %w[localhost 127.0.0.1].all? { |h| TCPSocket.new(h, 80) }"), want: "instance"},
		{name: "a heredoc", argv: rb("u = <<~URL.strip\n  http://inventory/x\nURL\nNet::HTTP.get(URI(u))"), want: "shared", asks: `host "inventory"`},
		{name: "a heredoc of code that stays text", argv: rb("puts <<~X\n  system('pg_isready -h db')\nX\nexit 0"), want: "process"},
		{name: "Perl's q", argv: pl("use LWP::Simple; get(q{http://inventory/x}) or exit 1"), want: "shared"},
		{name: "Perl's qw", argv: pl("use IO::Socket; exit 1 unless IO::Socket::INET->new(PeerAddr => qq(orders-db:5432))"), want: "shared"},
		{name: "a loop of Python", argv: py("import socket\nfor h in ['localhost', 'orders-db']:\n    socket.create_connection((h, 80))"), want: "shared", asks: `host "orders-db"`},
		{name: "a loop of Node.js", argv: js("['orders-db'].forEach(h => require('net').connect(5432, h))"), want: "shared"},
	})
}

func TestRubyIsCalledWithoutBrackets(t *testing.T) {
	judge(t, []probe{
		{name: "a socket", argv: rb("TCPSocket.new 'orders-db', 5432"), want: "shared", asks: `host "orders-db"`},
		{name: "an option", argv: rb("Redis.new host: 'queue', port: 6379"), want: "shared", asks: `host "queue"`},
		{name: "a rocket", argv: rb("PG.connect :host => 'orders-db', :dbname => 'x'"), want: "shared"},
		{name: "on several lines", argv: rb("Redis.new(\n  host: 'localhost'\n).ping\nTCPSocket.new 'orders-db',\n  5432"), want: "shared"},
		{name: "and not up to what stands behind", argv: rb("TCPSocket.new 'localhost', 80\nhost = 'orders-db'\nputs host"), want: "instance"},
		{name: "and not up to what stands behind a semicolon", argv: rb("TCPSocket.new 'localhost', 80; host = 'orders-db'"), want: "instance"},
		{name: "up to a condition", argv: rb("exit 1 unless Redis.new host: ENV['REDIS_HOST'] if File.exist? '/tmp/x'"), req: literal("REDIS_HOST", "localhost"), want: "instance"},
		{name: "a path on a host", argv: rb("Net::HTTP.get 'localhost', '/readyz', 3000"), want: "instance readiness"},
		{name: "a path on a host with an object", argv: rb("exit Net::HTTP.new('localhost', 3000).get('/readyz').code == '200'"), want: "instance readiness"},
		{name: "a path on another host", argv: rb("Net::HTTP.get_response('inventory', '/livez')"), want: "shared"},
		{name: "a client of a module", argv: rb("Dalli::Client.new('cache:11211').stats"), want: "shared", asks: `host "cache"`},
		{name: "a list of hosts", argv: rb("Mongo::Client.new(['orders-db:27017'])"), want: "shared"},
		{name: "a ping by a URL", argv: rb("exit PG::Connection.ping(ENV['DATABASE_URL']) == 0"), req: from("DATABASE_URL", "secretKeyRef"), want: "shared"},
		{name: "a name that is looked up", argv: rb("require 'resolv'; Resolv.getaddress 'orders-db'"), want: "shared"},
		{name: "a name that is only printed", argv: rb("puts 'orders-db'; exit 0"), want: "process"},
		{name: "a host that cannot be read", argv: rb("TCPSocket.new(Config.host, 80)"), want: "unknown"},
	})
}

func TestProgramsThatCodeStartsAreJudged(t *testing.T) {
	judge(t, []probe{
		{name: "a command line of Ruby", argv: rb("exit system('pg_isready -h orders-db')"), want: "shared", asks: `host "orders-db"`},
		{name: "a command line of Ruby and where it runs", argv: rb("chdir = '/app'; exit system('pg_isready -h orders-db', chdir: chdir)"), want: "shared"},
		{name: "arguments of Ruby", argv: rb("exit system 'pg_isready', '-h', 'localhost'"), want: "instance"},
		{name: "backticks of Ruby", argv: rb("exit `redis-cli -h queue ping`.strip == 'PONG'"), want: "shared"},
		{name: "%x of Ruby", argv: rb("exit 1 unless %x(redis-cli ping) =~ /PONG/"), want: "instance"},
		{name: "a command line of Python", argv: py("import os, sys; sys.exit(os.system('redis-cli -h queue ping'))"), want: "shared"},
		{name: "a list of Python", argv: py("import subprocess; subprocess.check_call(['pg_isready', '-h', 'orders-db'])"), want: "shared"},
		{name: "a process of Python", argv: py("import subprocess, sys; sys.exit(subprocess.Popen(['pg_isready', '-h', 'orders-db']).wait())"), want: "shared"},
		{name: "a command line and where it runs", argv: py("import subprocess\ncwd = '/app'\nsubprocess.run('pg_isready -h orders-db', cwd=cwd, shell=True, check=True)"), want: "shared", asks: `host "orders-db"`},
		{name: "run of Python", argv: py("import subprocess as sp; sp.run('curl -f http://localhost:80/readyz', shell=True, check=True)"), want: "instance readiness"},
		{name: "a list with what is not known", argv: py("import subprocess; subprocess.run(['pg_isready', '-h', cfg.host])"), want: "unknown"},
		{name: "a local program of Python", argv: py("import subprocess; subprocess.run(['pgrep', '-f', 'worker'], check=True)"), want: "process"},
		{name: "a command line of Node.js", argv: js("require('child_process').execSync('pg_isready -h orders-db')"), want: "shared"},
		{name: "a program of Node.js with its list", argv: js("const {execFileSync} = require('child_process'); execFileSync('pg_isready', ['-h', 'orders-db'])"), want: "shared"},
		{name: "a pattern of Node.js", argv: js("process.exit(/ok/.exec('curl http://x') ? 0 : 1)"), want: "process"},
		{name: "a command line of PHP", argv: phpr("exec('mysqladmin ping -h orders-db', $o, $c); exit($c);"), want: "shared"},
		{name: "a method of PHP", argv: phpr("$p = new PDO('sqlite::memory:'); $p->exec('curl http://inventory/');"), want: "instance"},
		{name: "a command line of Perl", argv: pl("exit system('pg_isready -h orders-db')"), want: "shared"},
		{name: "backticks of Perl", argv: pl("exit(`pg_isready -h orders-db` =~ /accepting/ ? 0 : 1)"), want: "shared"},
		{name: "code that starts code", argv: py(`import os; os.system("ruby -e 'TCPSocket.new(%q(orders-db), 80)'")`), want: "shared"},
	})
}

func TestCodeThatHidesItsHost(t *testing.T) {
	judge(t, []probe{
		{name: "a format of Python", argv: py("import urllib.request as u; u.urlopen('http://%s:%d/x' % ('inventory', 80))"), want: "shared", asks: `host "inventory"`},
		{name: "a format that goes on", argv: py("import urllib.request as u; u.urlopen('http://%s:%d' % ('localhost', 8000) + '/readyz')"), want: "instance readiness"},
		{name: "a format with a method", argv: py("import requests; requests.get('http://{}/livez'.format('localhost'))"), want: "process"},
		{name: "a format of Ruby", argv: rb("Net::HTTP.get(URI('http://%s/x' % 'inventory'))"), want: "shared"},
		{name: "a format of what is not known", argv: py("import requests, cfg; requests.get('http://{}/livez'.format(cfg.host))"), want: "unknown"},
		{name: "a name that Node.js looks up", argv: js("require('dns').lookup('orders-db', e => process.exit(e ? 1 : 0))"), want: "shared"},
		{name: "a path that Node.js resolves", argv: js("process.exit(require('fs').existsSync(require('path').resolve('db')) ? 0 : 1)"), want: "process"},
		{name: "a name that Python looks up", argv: py("import dns.resolver; dns.resolver.resolve('orders-db')"), want: "shared"},
		{name: "a gRPC channel", argv: py("import grpc; grpc.channel_ready_future(grpc.insecure_channel('features:50051')).result(5)"), want: "shared"},
		{name: "options without a host", argv: js("require('http').get({port: 3000, path: '/readyz'}, r => process.exit(0))"), want: "instance readiness"},
		{name: "a port without a host", argv: js("require('net').connect(3000)"), want: "instance"},
		{name: "addresses that only inet_aton knows", script: "curl -f http://127.1:8080/livez && nc -z 0x7f.0.0.1 80", want: "process"},
		{name: "such an address elsewhere", script: "nc -z 10.1 5432", want: "shared"},
		{name: "a version is no address", script: "test 1.2 = 1.3", want: "process"},
		{name: "no service in JSON", script: `grpcurl -plaintext -d '{"service": null}' localhost:50051 grpc.health.v1.Health/Check`, want: "process"},
		{name: "a service in JSON", script: `grpcurl -plaintext -d '{"service": "readiness"}' localhost:50051 grpc.health.v1.Health/Check`, want: "instance readiness"},
		{name: "a user in front of the host", script: "mysqlsh root@orders-db:3306 --sql -e 'SELECT 1'", want: "shared", asks: `host "orders-db"`},
		{name: "the cluster of MySQL's shell", script: "mysqlsh root@localhost -e 'dba.getCluster().status()'", want: "shared"},
		{name: "switches in one", argv: []string{"script", "-qec", "pg_isready -h orders-db", "/dev/null"}, want: "shared"},
		{name: "a word that may be left out", argv: []string{"dotenv", "-f", ".env", "run", "--", "curl", "http://inventory/"}, want: "shared"},
		{name: "a variable of PowerShell", argv: ps("$h = $env:DB_HOST; Test-NetConnection $h -Port 1433"), req: literal("DB_HOST", "sql01"), want: "shared", asks: `host "sql01"`},
		{name: "a text of PowerShell", argv: ps("$h = 'localhost'; if (-not (Test-NetConnection $h -Port 1433)) { exit 1 }"), want: "process"},
		{name: "a client of .NET", argv: ps("[System.Net.Http.HttpClient]::new().GetAsync('http://inventory/x').Result"), want: "shared"},
	})
}
