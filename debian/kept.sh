#!/bin/sh
# A table plays its round to the end through an upgrade, by the files that it was started from: hard links to them, laid over
# /opt/feltd in the table's own view of the disk. felt-table.service.d/20-table.conf has the other half.
#   kept.sh keep UNIT       by prerm, before files change. It fails where UNIT cannot go on so and must be stopped, and prints why
#   kept.sh installed       by postinst: each such table is told that it is to start anew between two rounds
#   kept.sh ended NAME      by the table's unit as it ends: how it ended, for its page; the next start is of what is installed
#   kept.sh tidy            takes away what no table plays by any more
#   kept.sh forget          by prerm, once all tables are stopped: no later start is of anything but what is installed
set -e

now=/opt/feltd
trees=/opt/feltd.kept    # beside them: a hard link leads to no other file system
links=/run/feltd-kept    # forgotten with the power: then the next start is of what is installed
processes=/proc
manifest=share/feltd/manifest.json
often=3                  # a table that failed so often since it was told starts by what is installed, its round over or not

# Takes away the trees from which no table plays any more. Others wait for the script no longer than a tree takes to be renamed.
# A root that cannot be written keeps them until the next upgrade.
tidy() {
    for tree in "$trees"/*; do
        for link in "$links"/*; do
            [ "$(readlink "$link")" != "$tree$now" ] || continue 2
        done
        [ ! -d "$tree" ] || mv "$tree" "$trees/.gone-${tree##*/}-$$" 2>/dev/null || break
    done
    flock -u 9
    rm -rf "$trees"/.gone-* 2>/dev/null || true
    flock 9 # without it another script's new tree would lose the folder under it
    rmdir "$trees" 2>/dev/null || true
    flock -u 9
}

# One script at a time: another one's tidying would take a tree away between its making and its link.
alone() {
    mkdir -p -m 0755 "$links"
    exec 9>"$links/lock"
    flock 9
}

# The next start of a table is of what is installed.
let_go() {
    rm -f "$links/$1" "$links/$1.installed" "$links/$1.failed"
}

# Why nobody is at the table's door, for its page to tell (feltd/page/ended.py): three words of systemd's, nothing that is secret.
# All may read them, root alone can write here. Of an end in good order there are none.
tell_end() {
    if [ "$SERVICE_RESULT" = success ]; then
        rm -f "$links/$1.ended"
        return
    fi
    mkdir -p -m 0755 "$links" &&
        echo "$SERVICE_RESULT ${EXIT_CODE:--} ${EXIT_STATUS:--}" >"$links/$1.ended.new" &&
        chmod 0644 "$links/$1.ended.new" && # the unit's own mask lets nobody else read
        mv "$links/$1.ended.new" "$links/$1.ended"
}

cannot() {
    let_go "$name"
    tidy
    echo "$1"
    exit 1
}

active_state() {
    systemctl show --value --property=ActiveState "$1"
}

# Whether the process of a unit sees this tree in place of what is installed. A link alone does not say so: somebody may have taken
# the tree away, and a unit that started anew meanwhile has another view.
lies_over() {
    [ -e "$2/$manifest" ] || return 1
    pid=$(systemctl show --value --property=MainPID "$1")
    over=
    while read -r _ _ _ root place _; do
        [ "$place" != "$now" ] || over=$root
    done 2>/dev/null <"$processes/$pid/mountinfo" || return 1
    case $over in
    *"${2#"${trees%/*}"}") return 0 ;; # named as its own file system has it
    esac
    return 1
}

case "$1" in
keep)
    name=${2%.service}
    alone
    # Files change again: a table that ended now would start from half of them.
    rm -f "$links/$name.installed" "$links/$name.failed"
    state=$(active_state "$2")
    # One that is to be tried again would start by its own files for ever: as it is stopped then, nothing says that it has ended.
    [ "$state" = active ] || cannot "it is $state"
    if [ -L "$links/$name" ]; then
        lies_over "$2" "$(readlink "$links/$name")" || cannot "the files that it was started from are gone"
        exit 0
    fi
    # Links lie beside the folder: where that is a link itself, or a disk of its own, none can be made.
    [ -d "$now" ] && [ ! -L "$now" ] || cannot "$now is no folder"
    [ "$(stat -c %d "$now")" = "$(stat -c %d "${now%/*}")" ] || cannot "$now is a file system of its own"
    # There a link would copy its file, most often into memory, and what is made is forgotten with it.
    [ "$(stat -f -c %T "$now")" != overlayfs ] || cannot "$now lies on an overlay"
    [ -r "$now/$manifest" ] || cannot "$now/$manifest cannot be read"
    digest=$(sha256sum <"$now/$manifest" | cut -c 1-16)
    tree=$trees/$(dpkg-query -W -f '${Version}' feltd)_$digest
    if ! [ -d "$tree$now" ] || ! readlink "$links"/* | grep -qxF "$tree$now"; then
        rm -rf "$tree"
        mkdir -p -m 0755 "$tree${now%/*}"
        cp -al "$now" "$tree$now" 2>/dev/null || cannot "no hard links to $now can be made in $trees"
    fi
    # First what the running process sees: a link without it would be believed by a later upgrade.
    systemctl bind --read-only "$2" "$tree$now" "$now" || cannot "systemd lays nothing over $now for it"
    ln -s "$tree$now" "$links/$name"
    lies_over "$2" "$tree$now" || cannot "it has just been started anew" # between the two, by what is about to change
    ;;
installed)
    [ -d "$links" ] || exit 0
    alone
    installed=$(dpkg-query -W -f '${Version}' feltd)
    for link in "$links"/felt-table*; do
        [ -L "$link" ] || continue
        name=${link##*/}
        case $(active_state "$name.service") in
        active | activating) ;;
        *)
            let_go "$name"
            continue
            ;;
        esac
        runs=$(readlink "$link")
        runs=${runs#"$trees/"} && runs=${runs%"$now"}
        printf '%s\n' "${runs%_*}" "$installed" "${runs##*_}" >"$link.installed.new"
        mv "$link.installed.new" "$link.installed"
        by="by feltd ${runs%_*}"
        [ "${runs%_*}" != "$installed" ] || by="by the files of feltd $installed from before"
        echo "feltd: $name plays on $by, and starts anew once its round is over."
    done
    ;;
ended)
    tell_end "$2" || true # a full disk keeps no table from its next start
    # One that ends while files still change goes on by what it was started from.
    [ -e "$links/$2.installed" ] || exit 0
    alone
    [ -e "$links/$2.installed" ] || exit 0 # files have begun to change meanwhile
    case $SERVICE_RESULT in
    success) ;;
    timeout) echo "feltd: $2 took too long: its next start is by the version that is installed." ;;
    *) # so does one that failed in its round, as long as that helps
        echo >>"$links/$2.failed"
        [ "$(wc -l <"$links/$2.failed")" -ge $often ] || exit 0
        echo "feltd: $2 failed $often times since the upgrade: its next start is by the version that is installed."
        ;;
    esac
    let_go "$2"
    flock -u 9
    # Beside the table's start, which would wait for thousands of files: on a busy card longer than a stop may take.
    systemd-run --quiet --collect --no-block --nice=19 --property=IOSchedulingClass=idle /bin/sh "$0" tidy || true
    ;;
tidy)
    [ -d "$trees" ] || exit 0
    alone
    tidy
    ;;
forget)
    alone
    gone=$trees.gone-$$
    # Renamed first: one that tidies meanwhile would put something into a folder that is just being removed.
    [ ! -d "$trees" ] || mv "$trees" "$gone"
    rm -rf "$links"
    flock -u 9
    rm -rf "$gone" || rm -rf "$gone"
    ;;
esac
