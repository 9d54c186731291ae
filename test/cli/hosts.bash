# Two hosts on one machine, for scripts that source this in network and mount namespaces of their own: the kernel removes
# all of it with these.

# make_hosts: a bridge by which the caller is reached, 192.168.77.1, and network namespaces red and blue, each with an eth0 on it.
make_hosts() {
  local number=1 host
  ip link set lo up &&
    ip link add bridge type bridge &&
    ip addr add 192.168.77.1/24 dev bridge &&
    ip link set bridge up || return
  for host in red blue; do
    number=$((number + 1))
    ip netns add $host &&
      ip link add $host type veth peer name eth0 netns $host &&
      ip link set $host master bridge up &&
      ip -n $host link set lo up &&
      ip -n $host addr add 192.168.77.$number/24 dev eth0 &&
      ip -n $host link set eth0 up || return
  done
}

# make_ssh FILE RUN: what mpiexec takes for ssh, FILE [-OPTION...] HOST COMMAND..., on a host with a name, processes and shared
# memory of its own. RUN is how it runs the command, $*.
make_ssh() {
  cat >"$1" <<END_OF_SSH && chmod +x "$1"
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
host=\$1
shift
exec ip netns exec "\$host" unshare --uts --ipc --mount --pid --fork --kill-child --mount-proc \\
  sh -c "echo \$host >/proc/sys/kernel/hostname && mount -t tmpfs tmpfs /dev/shm && $2"
END_OF_SSH
}
