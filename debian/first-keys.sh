#!/bin/sh
# By postinst, after the tables were started: prints the first key of each table's record, which whoever installs keeps elsewhere.
# The files of heads are the table's user's: its right reads them, and nothing but a first key of theirs reaches the terminal.
set -e

etc=/etc/feltd
state=/var/lib/feltd

# print FOLDER: a pipe that the table's user laid there would be read for ever: hence the end.
print() {
    for heads in "$1"/*.heads; do
        [ -f "$heads" ] || continue
        key=$(timeout 5 runuser -u feltd -- head -c 320 -- "$heads" 2>/dev/null |
            sed -n '1s/^feltd-heads 1 [0-9a-f]\{32\} \([0-9a-f]\{64\}\)$/\1/p') || true
        name=$(printf '%s' "${heads%.heads}" | tr -cd 'A-Za-z0-9/._-')
        [ -z "$key" ] || echo "feltd: first key of the record $name: $key"
        [ -z "$key" ] || printed=yes
    done
}

print "$state"
for folder in "$state"/*/; do
    folder=${folder%/}
    # Records that were put aside lie in folders of their own: the key to keep is that of the one that is written.
    [ -f "$etc/${folder##*/}.toml" ] && ! [ -L "$folder" ] && print "$folder"
done
[ -z "$printed" ] || echo "feltd: write it down and keep it elsewhere: it proves the record (feltd journal verify --first-key)."
