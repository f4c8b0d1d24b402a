package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAddressesAreRead(t *testing.T) {
	tests := []struct {
		name, in string
		want     []target
	}{
		{"nothing", "", nil},
		{"a host", "db", []target{{host: "db"}}},
		{"a host and a port", "db:5432", []target{{host: "db", port: "5432"}}},
		{"a list", "a:1,b, c:3", []target{{host: "a", port: "1"}, {host: "b"}, {host: "c", port: "3"}}},
		{"a port alone", ":50051", []target{{host: "localhost", port: "50051"}}},
		{"an IPv6 address", "::1", []target{{host: "::1"}}},
		{"an IPv6 address with a port", "[fd00::1]:80", []target{{host: "fd00::1", port: "80"}}},
		{"a user", "app@bastion", []target{{host: "bastion"}}},
		{"a socket", "/var/run/postgresql", []target{{host: "/"}}},
		{"a URL", "http://shop:8080/livez?x=1", []target{{scheme: "http", host: "shop", port: "8080", path: "/livez?x=1"}}},
		{"a URL without a path", "http://shop?x", []target{{scheme: "http", host: "shop", path: "?x"}}},
		{"a URL with a password", "redis://:p@ss@queue:6379/0", []target{{scheme: "redis", host: "queue", port: "6379", path: "/0"}}},
		{"a password with a slash", "postgresql://u:a/b@db:5432/x", []target{{scheme: "postgresql", host: "db", port: "5432", path: "/x"}}},
		{"a list of hosts in a URL", "mongodb://a:1,b:2/app", []target{{scheme: "mongodb", host: "a", port: "1", path: "/app"}, {scheme: "mongodb", host: "b", port: "2", path: "/app"}}},
		{"a list of URLs", "http://a:1,http://b:2", []target{{scheme: "http", host: "a", port: "1"}, {scheme: "http", host: "b", port: "2"}}},
		{"a driver's scheme", "postgresql+psycopg2://u@db/x", []target{{scheme: "postgresql+psycopg2", host: "db", path: "/x"}}},
		{"JDBC", "jdbc:postgresql://db:5432/x", []target{{scheme: "postgresql", host: "db", port: "5432", path: "/x"}}},
		{"JDBC for SQL Server", "jdbc:sqlserver://db:1433;databaseName=x", []target{{scheme: "sqlserver", host: "db", port: "1433", path: ";databaseName=x"}}},
		{"JDBC for Oracle", "jdbc:oracle:thin:@//db:1521/x", []target{{scheme: "oracle", host: "db", port: "1521"}}},
		{"JDBC for Oracle with a SID", "jdbc:oracle:thin:@db:1521:x", []target{{scheme: "oracle", host: "db", port: "1521"}}},
		{"a host in the query", "postgresql:///x?host=/var/run", []target{{scheme: "postgresql", host: "/", path: "/x?host=/var/run"}}},
		{"an escaped socket", "postgresql://%2Fvar%2Frun/x", []target{{scheme: "postgresql", host: "/", path: "/x"}}},
		{"SQLite", "sqlite:////data/x.db", []target{{scheme: "sqlite", host: "/", path: "//data/x.db"}}},
		{"a socket's URL", "unix:///run/x.sock", []target{{scheme: "unix", host: "/", path: "/run/x.sock"}}},
		{"a socket's URL in short", "unix:/run/x.sock", []target{{scheme: "unix", host: "/", path: "/run/x.sock"}}},
		{"gRPC by DNS", "dns:///db:50051", []target{{scheme: "dns", host: "db", port: "50051"}}},
		{"gRPC by a server of DNS", "dns://8.8.8.8/db:50051", []target{{scheme: "dns", host: "db", port: "50051"}}},
		{"gRPC by an address", "ipv4:127.0.0.1:80", []target{{scheme: "ipv4", host: "127.0.0.1", port: "80"}}},
		{"a conninfo", "host=db port=5432 dbname=x", []target{{host: "db", port: "5432"}}},
		{"a conninfo with quotes", "host='db' user=a", []target{{host: "db"}}},
		{"a conninfo with a list", "host=a,b", []target{{host: "a"}, {host: "b"}}},
		{"a conninfo without a host", "dbname=x user=y", nil},
		{"PDO", "mysql:host=db;dbname=x", []target{{host: "db"}}},
		{"ADO.NET", "Server=tcp:sql01,1433;Database=x", []target{{host: "sql01", port: "1433"}}},
		{"ADO.NET with an instance", `Data Source=sql01\PROD;Initial Catalog=x`, []target{{host: "sql01"}}},
		{"go-sql-driver", "u:p@tcp(db:3306)/x", []target{{host: "db", port: "3306"}}},
		{"go-sql-driver by a socket", "u:p@unix(/run/mysql.sock)/x", []target{{host: "/"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, addresses(tt.in), cmp.AllowUnexported(target{})); diff != "" {
				t.Errorf("addresses(%q) differ (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestAListOfHostsIsBounded(t *testing.T) {
	list := ""
	for range 100 {
		list += "a,"
	}
	if n := len(addresses(list)); n != maxTargets {
		t.Errorf("%d targets, want %d", n, maxTargets)
	}
}
