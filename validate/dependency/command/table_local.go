package command

import "strings"

// localProgram is what is known of a program that asks nobody outside of this container.
type localProgram struct {
	asks  string // "" for one that only writes or waits: a check needs more
	heavy string // what is slow to start
	paths bool   // all arguments are paths and options, in which no dollar sign is meant
}

// localPrograms returns them by their names.
func localPrograms() map[string]localProgram {
	programs := map[string]localProgram{}
	for _, group := range [...]struct {
		localProgram
		names string
	}{
		{localProgram{}, `true false : echo printf sleep usleep exit date hostname uname printenv seq expr bc tee xxd yes
			clear cd export set logger set-output write-host get-date pwd`},
		{localProgram{asks: asksLocal, paths: true}, `test [ cat ls stat head tail`},
		{localProgram{asks: asksLocal}, `[[ find grep egrep fgrep zgrep awk gawk mawk nawk sed cut tr wc sort
			uniq rev tac paste diff cmp comm base64 md5sum sha256sum sha1sum cksum od hexdump strings file jq yq
			xmllint basename dirname readlink realpath touch rm mv cp mkdir rmdir ln chmod chown truncate dd sync
			mktemp install tar gzip gunzip zcat df du mountpoint findmnt mount umount lsblk blkid which whereis
			type id whoami groups getconf nproc ulimit locale tty stty dir fc more less column inotifywait
			getfacl lsattr namei test-path get-content get-item get-childitem select-string measure-object
			where-object select-object get-filehash`},
		{localProgram{asks: "processes of this container", heavy: "a JVM"}, `jps jcmd jstack jstat jinfo`},
		{localProgram{asks: "processes of this container"}, `pgrep pidof pkill killall kill ps top pstree
			uptime free vmstat iostat lsof fuser pmap pwdx w supervisorctl circusctl s6-svstat s6-svwait
			s6-svok sv runsvstat svok svstat monit systemctl service rc-service rc-status initctl pm2 forever
			tasklist get-process get-service get-counter get-ciminstance get-wmiobject get-eventlog
			passenger-status passenger-memory-stats horust dinitctl
			pg_ctl pg_controldata nginx httpd apachectl apache2ctl php-fpm haproxy caddy named-checkconf
			lsmod modprobe dmesg sysctl ipcs loginctl journalctl start-stop-daemon eudev udevadm`},
		{localProgram{asks: "the network state of this pod"}, `ss netstat ip ifconfig iptables ip6tables nft ipset ipvsadm bridge
			brctl ethtool route conntrack tc wg birdc birdcl birdcl6 vtysh ovs-vsctl ovs-appctl ovs-ofctl
			ovs-dpctl swanctl ipsec`},
	} {
		for name := range strings.FieldsSeq(group.names) {
			programs[name] = group.localProgram
		}
	}
	return programs
}
