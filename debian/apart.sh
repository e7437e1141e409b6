#!/bin/sh
# From one unit to two, and back: up to 0.2 table and page were one process, feltd.service.
#   apart.sh         by postinst: makes the page's folder, and takes over what is there of the one unit
#   apart.sh back    by prerm before 0.2 comes in place of this version
set -e

system=/etc/systemd/system
wants=$system/multi-user.target.wants
shipped=/usr/lib/systemd/system

# The file of a unit, by what follows its name: .service, or @8.service.
file_of() {
    case $1 in
    @*) echo @.service ;;
    *) echo .service ;;
    esac
}

# The page's folder within a table's, made by the table's user and given away. Root gives the folder in which it stands, and only
# if that is the table's user's to give: whatever lies at its path by then is not touched.
own_folder() {
    [ -d "$1/page" ] && return
    runuser -u feltd -- chmod o+x "$1"
    runuser -u feltd -- mkdir -m 0750 "$1/page"
    (cd "$1/page" && chown --from=feltd feltd-page:feltd-page .)
}

# carry FROM-USER FROM-FOLDER TO-USER TO-FOLDER: accounts and the page's certificate, where they are newer. Each is read and written
# by the user whose folder it is: root follows no link that one of them laid. They stay where they were, for going back.
carry() {
    for name in accounts.json page-certificate.pem page-certificate.key; do
        [ -e "$2/$name" ] || continue
        [ -e "$4/$name" ] && ! [ "$2/$name" -nt "$4/$name" ] && continue
        runuser -u "$1" -- cat "$2/$name" |
            runuser -u "$3" -- sh -c 'umask 077; cat >"$1.new"; [ -s "$1.new" ] && mv "$1.new" "$1"' sh "$4/$name"
    done
}

if [ "$1" = back ]; then
    for link in "$wants"/felt-table.service "$wants"/felt-table@*.service; do
        [ -L "$link" ] || continue
        name=${link##*/felt-table}
        ln -sf "$shipped/feltd$(file_of "$name")" "$wants/feltd$name"
        rm -f "$link" "$wants/felt-page$name"
    done
    for page in /var/lib/feltd/page /var/lib/feltd/*/page; do
        carry feltd-page "$page" feltd "${page%/page}"
    done
    exit 0
fi

# What started with the power starts with it again.
for link in "$wants"/feltd.service "$wants"/feltd@*.service; do
    [ -L "$link" ] || continue
    name=${link##*/feltd}
    for half in felt-table felt-page; do
        ln -sf "$shipped/$half$(file_of "$name")" "$wants/$half$name"
    done
    rm "$link"
done

# What `systemctl edit feltd` had is the table's; the networks that may come are the page's.
for old in "$system"/feltd.service.d "$system"/feltd@*.service.d; do
    name=${old##*/feltd}
    [ -d "$old" ] && ! [ -e "$system/felt-table$name" ] || continue
    cp -a "$old" "$system/felt-table$name"
    if grep -qs '^IPAddressAllow=' "$old"/*.conf; then
        mkdir -p "$system/felt-page$name"
        { echo "[Service]" && grep -h '^IPAddressAllow=' "$old"/*.conf; } >"$system/felt-page$name/override.conf"
    fi
    echo "feltd: what $old sets is now set by felt-table$name and felt-page$name: look whether each has what is meant for it."
done

for state in /var/lib/feltd /var/lib/feltd/*/; do
    state=${state%/}
    ! [ -L "$state" ] || continue
    # Another table's folder is told by its people: not every folder there is one, and that of a page is none.
    [ "$state" = /var/lib/feltd ] || [ -e "$state/accounts.json" ] || continue
    [ "${state%/page}" = "$state" ] || continue
    own_folder "$state"
    carry feltd "$state" feltd-page "$state/page"
    # The index of the record is the page's now, which makes it anew.
    runuser -u feltd -- sh -c 'rm -f "$1"/*.index "$1"/*.index-wal "$1"/*.index-shm' sh "$state"
done
