#!/bin/sh
# A table plays its round to the end through an upgrade, by the files that it was started from: hard links to them, laid over
# /opt/feltd in the table's own view of the disk. felt-table.service.d/20-table.conf has the other half.
#   kept.sh keep UNIT       by prerm, before files change. It fails where UNIT cannot go on so and must be stopped
#   kept.sh installed       by postinst: each such table is told that it is to start anew between two rounds
#   kept.sh ended NAME      by the table's unit as it ends: the next start is of what is installed
#   kept.sh tidy            takes away what no table plays by any more
set -e

now=/opt/feltd
trees=/opt/feltd.kept    # beside them: a hard link leads to no other file system
links=/run/feltd-kept    # forgotten with the power: then the next start is of what is installed
manifest=share/feltd/manifest.json

# Takes away the trees from which no table plays any more. Others wait for the script no longer than a tree takes to be renamed.
tidy() {
    for tree in "$trees"/*; do
        for link in "$links"/*; do
            [ "$(readlink "$link")" != "$tree$now" ] || continue 2
        done
        [ ! -d "$tree" ] || mv "$tree" "$trees/.gone-${tree##*/}-$$"
    done
    flock -u 9
    rm -rf "$trees"/.gone-*
    rmdir "$trees" 2>/dev/null || true
}

# One script at a time: another one's tidying would take a tree away between its making and its link.
alone() {
    mkdir -p -m 0755 "$links"
    exec 9>"$links/lock"
    flock 9
}

case "$1" in
keep)
    name=${2%.service}
    alone
    rm -f "$links/$name.installed" # files change again: a table that ended now would start from half of them
    [ -L "$links/$name" ] && exit
    # There a link would copy its file, most often into memory, and what is made is forgotten with it.
    [ "$(stat -f -c %T "$now")" != overlayfs ] || exit 1
    digest=$(sha256sum <"$now/$manifest" | cut -c 1-16)
    [ -n "$digest" ] || exit 1
    tree=$trees/$(dpkg-query -W -f '${Version}' feltd)_$digest
    if ! readlink "$links"/* | grep -qxF "$tree$now"; then
        rm -rf "$tree"
        mkdir -p -m 0755 "$tree${now%/*}"
        cp -al "$now" "$tree$now" || { rm -rf "$tree" && exit 1; }
    fi
    ln -s "$tree$now" "$links/$name"
    systemctl bind --read-only "$2" "$tree$now" "$now" || { rm "$links/$name" && tidy && exit 1; }
    ;;
installed)
    for link in "$links"/felt-table*; do
        [ -L "$link" ] || continue
        runs=$(readlink "$link")
        runs=${runs#"$trees/"} && runs=${runs%"$now"}
        printf '%s\n' "${runs%_*}" "$(dpkg-query -W -f '${Version}' feltd)" "${runs##*_}" >"$link.installed.new"
        mv "$link.installed.new" "$link.installed"
        echo "feltd: ${link##*/} plays on by feltd ${runs%_*}, and starts anew once its round is over."
    done
    ;;
ended)
    # A table that failed goes on by what it was started from, and so does one while files still change.
    [ "$SERVICE_RESULT" = success ] && [ -e "$links/$2.installed" ] || exit 0
    alone
    rm -f "$links/$2" "$links/$2.installed"
    flock -u 9
    # Beside the table's start, which would wait for thousands of files: on a busy card longer than a stop may take.
    systemd-run --quiet --collect --no-block --nice=19 --property=IOSchedulingClass=idle /bin/sh "$0" tidy || true
    ;;
tidy)
    alone
    tidy
    ;;
esac
