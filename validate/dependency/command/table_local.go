package command

import "strings"

// localPrograms are programs that ask nobody outside of this container, with
// what they ask. Those that only write or wait ask nothing: a check needs more.
func localPrograms() map[string]string {
	programs := map[string]string{}
	for _, group := range [...]struct{ asks, names string }{
		{"", `true false : echo printf sleep usleep exit date hostname uname printenv seq expr bc tee xxd yes
			clear cd export set logger set-output write-host get-date pwd`},
		{asksLocal, `test [ [[ cat ls stat find grep egrep fgrep zgrep awk gawk mawk nawk sed cut tr head tail wc sort
			uniq rev tac paste diff cmp comm base64 md5sum sha256sum sha1sum cksum od hexdump strings file jq yq
			xmllint basename dirname readlink realpath touch rm mv cp mkdir rmdir ln chmod chown truncate dd sync
			mktemp install tar gzip gunzip zcat df du mountpoint findmnt mount umount lsblk blkid which whereis
			type id whoami groups getconf nproc ulimit locale tty stty dir fc more less column inotifywait
			getfacl lsattr namei test-path get-content get-item get-childitem select-string measure-object
			where-object select-object get-filehash`},
		{"processes of this container", `pgrep pidof pkill killall kill ps top pstree jps jcmd jstack jstat jinfo
			uptime free vmstat iostat lsof fuser pmap pwdx w supervisorctl circusctl s6-svstat s6-svwait
			s6-svok sv runsvstat svok svstat monit systemctl service rc-service rc-status initctl pm2 forever
			tasklist get-process get-service get-counter get-ciminstance get-wmiobject get-eventlog
			passenger-status passenger-memory-stats horust dinitctl
			pg_ctl pg_controldata nginx httpd apachectl apache2ctl php-fpm haproxy caddy named-checkconf
			lsmod modprobe dmesg sysctl ipcs loginctl journalctl start-stop-daemon eudev udevadm`},
		{"the network state of this pod", `ss netstat ip ifconfig iptables ip6tables nft ipset ipvsadm bridge
			brctl ethtool route conntrack tc wg birdc birdcl birdcl6 vtysh ovs-vsctl ovs-appctl ovs-ofctl
			ovs-dpctl swanctl ipsec`},
	} {
		for name := range strings.FieldsSeq(group.names) {
			programs[name] = group.asks
		}
	}
	return programs
}
