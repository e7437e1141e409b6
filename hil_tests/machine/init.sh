#!/bin/busybox sh
# First process of the machine: lays a writable layer over the host's root and runs there what it was told to.
# On the kernel's command line: feltd.job=FILE (a script in the shared folder) and feltd.as=job or systemd.
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
fail() { echo "HIL-FAILED $*" >/dev/console; echo "HIL-RC 125" >/dev/console; sync; poweroff -f; }
while read -r module; do insmod "/modules/$module" || fail "module $module"; done </modules/order
nine=trans=virtio,version=9p2000.L,msize=524288
mkdir -p /host /layer /writable /new
mount -t 9p -o $nine,ro,cache=loose host /host || fail "the host's root over 9p"
mount -t 9p -o $nine,ro,cache=loose layer /layer || fail "the layer over 9p"
mount -t tmpfs writable /writable; mkdir /writable/upper /writable/work
mount -t overlay -o lowerdir=/layer:/host,upperdir=/writable/upper,workdir=/writable/work root /new || fail "the overlay"
# The host's own mounts, services and name are not the machine's.
: >/new/etc/fstab; rm -rf /new/etc/systemd/system; mkdir -p /new/etc/systemd/system /new/shared /new/var/tmp /new/run /new/tmp
rm -f /new/.dockerenv # the machine is no container, even if its host is one
printf 'feltd-machine\n' >/new/etc/hostname; : >/new/etc/machine-id; rm -f /new/var/lib/dbus/machine-id
mount -t tmpfs run /new/run
mount -t 9p -o $nine shared /new/shared || fail "the shared folder over 9p"
mount --move /proc /new/proc; mount --move /sys /new/sys; mount --move /dev /new/dev
mkdir -p /new/dev/pts /new/dev/shm; mount -t devpts devpts /new/dev/pts; mount -t tmpfs shm /new/dev/shm
ip link set lo up
told() { sed "s/.*feltd\.$1=\([^ ]*\).*/\1/" /new/proc/cmdline; }
job=$(told job) as=$(told as)
if [ "$as" = systemd ]; then
    cp -dR /new/shared/tree/. /new/ || fail "the tree"
    chroot /new /bin/systemd-sysusers feltd.conf # before udev reads its rules, as at a board's start
    chroot /new /sbin/modprobe i6300esb heartbeat=30 # before the first look for a watchdog
    exec switch_root /new /lib/systemd/systemd
fi
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
exec switch_root /new /bin/bash -c "bash /shared/$job; echo HIL-RC \$?; sync; echo o >/proc/sysrq-trigger; sleep 60" >/new/dev/console 2>&1
