package command

import "testing"

func py(code string) []string   { return []string{"python3", "-c", code} }
func js(code string) []string   { return []string{"node", "-e", code} }
func rb(code string) []string   { return []string{"ruby", "-e", code} }
func phpr(code string) []string { return []string{"php", "-r", code} }

func TestInlineCodeIsRead(t *testing.T) {
	redisURL := from("REDIS_URL", "secretKeyRef")
	judge(t, []probe{
		{name: "nothing but this process", argv: py("import os; os.kill(1, 0)"), want: "process"},
		{name: "a file", argv: py("import os; exit(0 if os.path.exists('/app/x.pid') else 1)"), want: "process"},
		{name: "a URL of this pod", argv: py("import urllib.request; urllib.request.urlopen('http://localhost:8000/livez')"), want: "process"},
		{name: "its readiness", argv: py("import urllib.request; urllib.request.urlopen('http://localhost:8000/readyz')"), want: "instance readiness"},
		{name: "its aggregate", argv: py(`import requests; requests.get("http://127.0.0.1:8080/actuator/health").raise_for_status()`), want: "shared"},
		{name: "a URL of another host", argv: py("import requests; requests.get('http://inventory/livez')"), want: "shared", asks: `host "inventory"`},
		{name: "a URL with a variable", argv: py("import os, requests\nh = os.environ['DB_HOST']\nrequests.get(f'http://{h}/x')"), req: literal("DB_HOST", "orders"), want: "shared", asks: `host "orders"`},
		{name: "a URL with a port from the environment", argv: py("import os, requests\nrequests.get(f\"http://localhost:{os.environ['PORT']}/livez\")"), want: "process"},
		{name: "a URL in a comment", argv: py("# see http://inventory/livez\nimport os\nos.kill(1, 0)"), want: "process"},
		{name: "a keyword argument", argv: py("import redis; redis.Redis(host='queue').ping()"), want: "shared", asks: `host "queue"`},
		{name: "a keyword argument of this pod", argv: py("import redis; redis.Redis(host='localhost', port=6379).ping()"), want: "instance"},
		{name: "no argument", argv: py("import redis; redis.Redis().ping()"), want: "instance"},
		{name: "an unknown argument", argv: py("import redis; from app import settings; redis.Redis(host=settings.HOST).ping()"), want: "likely shared"},
		{name: "a URL from a Secret", argv: py("import redis; redis.from_url(__import__('os').environ['REDIS_URL']).ping()"), req: redisURL, want: "shared", asks: "the host in $REDIS_URL"},
		{name: "a variable with a default", argv: py("import os, redis; redis.Redis(host=os.getenv('REDIS_HOST', 'localhost')).ping()"), want: "instance"},
		{name: "a variable with another default", argv: py("import os, redis; redis.Redis(host=os.environ.get('REDIS_HOST', 'queue')).ping()"), want: "shared"},
		{name: "a variable that env sets", argv: py("import os, redis; redis.Redis(host=os.getenv('REDIS_HOST', 'localhost')).ping()"), req: literal("REDIS_HOST", "queue"), want: "shared"},
		{name: "a word that may be no host", argv: py("import app; app.check(server='main')"), want: "likely shared"},
		{name: "a connection that may be none", argv: py("import app; app.bus.connect('ready')"), want: "likely shared"},
		{name: "an existing file beside Django", argv: py("import django, os; assert os.path.exists('/tmp/up')"), want: "process"},
		{name: "a socket", argv: py("import socket; socket.create_connection(('orders-db', 5432), 2)"), want: "shared"},
		{name: "a socket of this pod", argv: py("import socket\ns = socket.socket()\ns.connect(('127.0.0.1', 8000))"), want: "instance"},
		{name: "the own name", argv: py("import socket; socket.create_connection((socket.gethostname(), 80))"), want: "instance"},
		{name: "a conninfo", argv: py("import psycopg2; psycopg2.connect('host=orders-db dbname=x')"), want: "shared"},
		{name: "a conninfo without a host", argv: py("import psycopg2; psycopg2.connect('dbname=x')"), want: "instance"},
		{name: "a DSN", argv: py("from sqlalchemy import create_engine; create_engine('postgresql://a:b@orders-db/x').connect()"), want: "shared"},
		{name: "SQLite", argv: py("import sqlite3; sqlite3.connect('app.db').execute('SELECT 1')"), want: "process"},
		{name: "Celery's ping", argv: py("from shop import app\nfrom celery import Celery\nCelery('shop').control.ping()"), want: "shared", asks: "the Celery broker"},
		{name: "Celery that is only configured", argv: py("from celery import Celery\napp = Celery('config')\napp.config_from_object('django.conf:settings', namespace='CELERY')"), want: "process"},
		{name: "Celery that is only imported", argv: py("from celery.app.control import Inspect\nprint(Inspect.__doc__)"), want: "process"},
		{name: "Airflow's jobs", argv: py("from airflow.jobs.job import Job\nfrom airflow.utils.db import create_session\nwith create_session() as s:\n    s.query(Job).first()"), want: "shared"},
		{name: "Django's database", argv: py("import django; django.setup(); from django.db import connection; connection.ensure_connection()"), want: "shared"},
		{name: "code on standard input", script: "python3 - <<'EOF'\nimport redis\nredis.Redis(host='queue').ping()\nEOF", want: "shared"},
		{name: "other programs are not looked into", argv: py("import subprocess; subprocess.check_call(['x'])"), want: "unknown"},
		{name: "Node.js asking itself", argv: js("require('http').get('http://localhost:3000/livez', r => process.exit(r.statusCode === 200 ? 0 : 1))"), want: "process"},
		{name: "Node.js asking its readiness", argv: js("require('http').get('http://localhost:3000/readyz')"), want: "instance readiness"},
		{name: "Node.js asking another", argv: js("fetch('http://inventory/livez')"), want: "shared"},
		{name: "an option of Node.js", argv: js("require('http').get({host: 'inventory', port: 80, path: '/'})"), want: "shared"},
		{name: "an option of Node.js with its own path", argv: js("require('http').request({host: 'localhost', port: 3000, path: '/readyz'}).end()"), want: "instance readiness"},
		{name: "a URL option of Node.js", argv: js("require('redis').createClient({url: process.env.REDIS_URL}).connect()"), req: literal("REDIS_URL", "redis://queue:6379"), want: "shared", asks: `host "queue"`},
		{name: "a connection of Python", argv: py("import http.client as h\nc = h.HTTPConnection('localhost', 8000)\nc.request('GET', '/readyz')"), want: "instance readiness"},
		{name: "the parameters of a connection", argv: py("import pika, os; pika.BlockingConnection(pika.URLParameters(os.environ['RABBITMQ_URL']))"), req: from("RABBITMQ_URL", "secretKeyRef"), want: "shared"},
		{name: "a socket of Node.js", argv: js("require('net').connect(5432, 'orders-db')"), want: "shared"},
		{name: "a template of Node.js", argv: js("fetch(`http://${process.env.DB_HOST}/x`)"), req: from("DB_HOST", "secretKeyRef"), want: "shared"},
		{name: "a default of Node.js", argv: js("fetch('http://' + (process.env.H || 'localhost') + ':3000/livez')"), want: "process"},
		{name: "a client of Node.js", argv: js("const {Client} = require('pg'); const c = new Client(); c.connect()"), want: "likely shared"},
		{name: "a comment of Node.js", argv: js("// fetch('http://inventory')\nprocess.exit(0)"), want: "process"},
		{name: "Ruby's socket", argv: rb("require 'socket'; TCPSocket.new('orders-db', 5432)"), want: "shared"},
		{name: "Ruby's HTTP", argv: rb("require 'net/http'; exit Net::HTTP.get_response(URI('http://localhost:3000/livez')).code == '200'"), want: "process"},
		{name: "Ruby's Redis", argv: rb("require 'redis'; Redis.new(host: 'queue').ping"), want: "shared"},
		{name: "Ruby's environment", argv: rb("require 'redis'; Redis.new(url: ENV['REDIS_URL']).ping"), req: redisURL, want: "shared"},
		{name: "PHP's socket", argv: phpr("exit(@fsockopen('orders-db', 3306) ? 0 : 1);"), want: "shared"},
		{name: "PHP's PDO", argv: phpr("new PDO('mysql:host=orders-db;dbname=x', 'a', 'b');"), want: "shared"},
		{name: "PHP's environment", argv: phpr("new PDO('mysql:host='.getenv('DB_HOST').';dbname=x', 'a', 'b');"), req: literal("DB_HOST", "localhost"), want: "instance"},
		{name: "Perl's socket", argv: []string{"perl", "-MIO::Socket::INET", "-e", "IO::Socket::INET->new(PeerAddr => 'orders-db', PeerPort => 5432) or exit 1"}, want: "shared"},
		{name: "Perl's socket in one word", argv: []string{"perl", "-e", `use IO::Socket; exit(IO::Socket::INET->new("orders-db:5432") ? 0 : 1)`}, want: "shared"},
		{name: "a file", argv: []string{"python", "/app/check.py"}, want: "unknown"},
		{name: "a version", argv: []string{"python", "--version"}, want: "process"},
		{name: "a Java class", argv: []string{"java", "-cp", "/libs/*", "kafka.admin.TopicCommand", "--zookeeper", "zk:2181"}, want: "unknown"},
		{name: "a console with code", argv: []string{"sentry", "exec", "-c", "from sentry.celery import app; app.control.ping()"}, want: "shared"},
	})
}
