package command

import (
	"encoding/base64"
	"encoding/binary"
	"testing"
	"unicode/utf16"
)

func encodedCommand(script string) string {
	var raw []byte
	for _, unit := range utf16.Encode([]rune(script)) {
		raw = binary.LittleEndian.AppendUint16(raw, unit)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func ps(script string) []string { return []string{"powershell", "-NoProfile", "-Command", script} }

func TestWindowsShellsAreLookedThrough(t *testing.T) {
	judge(t, []probe{
		{name: "cmd", argv: []string{"cmd", "/c", "curl -f http://inventory/livez || exit 1"}, want: "shared"},
		{name: "cmd in capitals", argv: []string{`C:\Windows\System32\CMD.EXE`, "/S", "/C", "curl.exe", "-f", "http://inventory/livez"}, want: "shared"},
		{name: "cmd asking itself", argv: []string{"cmd", "/c", "curl -f http://localhost:8080/livez"}, want: "process"},
		{name: "cmd with a variable", argv: []string{"cmd", "/c", "redis-cli -h %REDIS_HOST% ping"}, req: literal("REDIS_HOST", "queue"), want: "shared", asks: `host "queue"`},
		{name: "cmd with the own name", argv: []string{"cmd", "/c", "redis-cli -h %COMPUTERNAME% ping"}, want: "instance"},
		{name: "cmd with a file", argv: []string{"cmd", "/c", "if exist C:\\ready.txt exit 0"}, want: "process"},
		{name: "a cmdlet", argv: ps("Test-NetConnection -ComputerName sql01 -Port 1433"), want: "shared", asks: `host "sql01"`},
		{name: "a cmdlet in a condition", argv: ps("if (-not (Test-NetConnection -ComputerName sql01.corp.example -Port 1433 -InformationLevel Quiet)) { exit 1 }"), want: "shared"},
		{name: "a cmdlet in small letters", argv: ps("tnc sql01 -port 1433"), want: "shared"},
		{name: "a cmdlet asking itself", argv: ps("Test-NetConnection -ComputerName localhost -Port 80"), want: "process"},
		{name: "a request", argv: ps("try { Invoke-WebRequest -UseBasicParsing http://inventory/livez } catch { exit 1 }"), want: "shared"},
		{name: "a request of its own aggregate", argv: ps("(iwr http://localhost:8080/actuator/health -UseBasicParsing).StatusCode"), want: "shared"},
		{name: "a request that is kept", argv: ps("$r = Invoke-RestMethod -Uri http://inventory/livez; if ($r -ne 'ok') { exit 1 }"), want: "shared"},
		{name: "a variable", argv: ps("Test-NetConnection $env:DB_HOST -Port 1433"), req: literal("DB_HOST", "sql01"), want: "shared"},
		{name: "a class of .NET", argv: ps("(New-Object Net.Sockets.TcpClient('sql01', 1433)).Connected"), want: "shared"},
		{name: "a connection of ADO.NET", argv: ps("(New-Object System.Data.SqlClient.SqlConnection 'Server=tcp:sql01,1433;Database=orders').Open()"), want: "shared", asks: `host "sql01"`},
		{name: "a connection string in a property", argv: ps("$c = New-Object Data.Odbc.OdbcConnection; $c.ConnectionString = \"Driver=x; Data Source = sql01\"; $c.Open()"), want: "shared", asks: `host "sql01"`},
		{name: "a connection to an address in a variable", argv: ps("(New-Object Data.OleDb.OleDbConnection \"Server=$env:DB_HOST\").Open()"), req: literal("DB_HOST", "sql01"), want: "shared"},
		{name: "a connection to itself", argv: ps("(New-Object System.Data.SqlClient.SqlConnection 'Server=(local);Failover_Server=sql02').Open()"), want: "unknown"},
		{name: "a connection string of nothing", argv: ps("if ('Server=sql01') { exit 0 }"), want: "unknown"},
		{name: "a program", argv: ps("& curl.exe -f http://inventory/livez"), want: "shared"},
		{name: "a service", argv: ps("if ((Get-Service w3svc).Status -ne 'Running') { exit 1 }"), want: "process"},
		{name: "a file", argv: ps("if (!(Test-Path C:\\ready.txt)) { exit 1 }"), want: "process"},
		{name: "what is only said", argv: ps("if (Test-Path C:\\ready.txt) { Write-Host up; Write-Output ok; Start-Sleep 1; sleep 1; exit 0 }; exit 1"), want: "process"},
		{name: "what is thrown away", argv: ps("Get-Item C:\\ready.txt | Out-Null"), want: "process"},
		{name: "the date", argv: ps("Get-Date"), want: "process"},
		{name: "a comment", argv: ps("# Test-NetConnection sql01\nGet-Date"), want: "process"},
		{name: "an encoded command", argv: []string{"powershell", "-EncodedCommand", encodedCommand("Test-NetConnection -ComputerName sql01 -Port 1433")}, want: "shared"},
		{name: "an encoded command in short", argv: []string{"pwsh", "-e", encodedCommand("Get-Date")}, want: "process"},
		{name: "no base64", argv: []string{"powershell", "-EncodedCommand", "!"}, want: "unknown"},
		{name: "a command without -Command", argv: []string{"powershell", "Test-NetConnection", "sql01"}, want: "shared"},
		{name: "a file of PowerShell", argv: []string{"powershell", "-ExecutionPolicy", "Bypass", "-File", "C:\\check.ps1"}, want: "unknown"},
		{name: "cmd that starts PowerShell", argv: []string{"cmd", "/c", "powershell -Command Test-NetConnection sql01"}, want: "shared"},
	})
}
