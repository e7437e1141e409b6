#!/bin/sh
# Makes of a Debian the system of a board, within the build.
#   customize.sh ROOT PACKAGE IMAGE SERIAL FORMAT MODULES    ROOT: the unpacked Debian; PACKAGE: feltd's; IMAGE: this folder;
#       SERIAL: the first serial port; FORMAT, MODULES: of the boot loader, as grub-mkimage wants them
set -eu
root=$1
factory=$root/usr/share/feltd-image
architecture=$(chroot "$root" dpkg --print-architecture)

dpkg-deb --fsys-tarfile "$2" | tar -xO ./usr/lib/sysusers.d/feltd.conf | sed -f "$3/users.sed" | chroot "$root" systemd-sysusers -
cp "$2" "$root/tmp/feltd.deb"
chroot "$root" apt-get install -y -qq --no-install-recommends /tmp/feltd.deb
rm "$root/tmp/feltd.deb"
# The boot loader is made by this Debian's own GRUB, which then goes again: nothing on a board could use it.
# shellcheck disable=SC2086
chroot "$root" grub-mkimage --format="$5" --output=/loader.efi --prefix=/EFI/debian $6
chroot "$root" apt-get purge -y -qq --auto-remove "grub-efi-$architecture-bin" grub-common
cp -r --no-preserve=ownership "$3/root/." "$root/"
# The kernel's package has made no initramfs (INITRD of build.py), and so none of its links, which GRUB reads.
kernel=$(basename "$(readlink "$root/vmlinuz")")
chroot "$root" update-initramfs -c -k "${kernel#vmlinuz-}"
ln -sf "boot/initrd.img-${kernel#vmlinuz-}" "$root/initrd.img"
[ -s "$root/initrd.img" ] || { echo "GRUB would find no /initrd.img in this system" >&2; exit 1; }
cp --no-preserve=ownership "$3/first_boot.py" "$root/usr/lib/feltd-image/"
mkdir -p "$factory"
echo table >"$root/etc/hostname"
# Of what the screens show above a sign-in: made at each start (page-fingerprint). Where there is an /etc/issue nothing in /run/issue.d is read.
mkdir -p "$root/etc/issue.d"
ln -s /run/feltd-page.issue "$root/etc/issue.d/50-feltd-page.issue"
sed "s/SERIAL/$4/" "$3/start.cfg" >"$factory/start.cfg"
sed -i "s/ARCHITECTURE/$architecture/" "$root/etc/rauc/system.conf"
{
    echo "compatible=feltd-$architecture"
    echo "version=$(chroot "$root" dpkg-query --show --showformat='${Version}' feltd)"
} >"$root/usr/share/feltd-image/system"

# What is a board's own lies on the data partition. A secret that the build has made is no secret: each board makes its own.
mkdir -p "$root/data" "$root/boot/efi"
rm "$root/etc/feltd/keys/journal.key"
for path in etc/feltd var/lib/feltd var/lib/feltd-uplink var/lib/chrony; do
    cp -a "$root/$path" "$factory/$(echo "$path" | tr / -)"
    find "$root/$path" -mindepth 1 -delete
done
mv "$root/usr/lib/feltd-image/usbguard.rules" "$factory/etc-feltd/usbguard.rules"
chmod 0600 "$factory/etc-feltd/usbguard.rules"
sed -i 's|^RuleFile=.*|RuleFile=/etc/feltd/usbguard.rules|' "$root/etc/usbguard/usbguard-daemon.conf"
: >"$root/etc/machine-id"
rm -f "$root/var/lib/dbus/machine-id" "$root"/etc/ssh/ssh_host_* "$root/var/lib/systemd/random-seed"

systemctl --root="$root" --quiet enable systemd-networkd.service systemd-resolved.service chrony.service usbguard.service \
    felt-table.service felt-page.service felt-uplink.service feltd-record.timer feltd-update-good.service feltd-update-trial.timer feltd-update.timer \
    feltd-page-fingerprint.service feltd-page-fingerprint.path
systemctl --root="$root" --quiet mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer systemd-networkd-wait-online.service
