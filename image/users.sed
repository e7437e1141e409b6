# Of the package's list of users (systemd-sysusers), each with a number that stays: the data partition has owners by number, and the
# system of an update must mean the same ones. A number is never changed, and never given to another user.
s/^u feltd - /u feltd 820 /
s/^u feltd-page - /u feltd-page 821 /
s/^u feltd-uplink - /u feltd-uplink 822 /
s/^u feltd-floor - /u feltd-floor 823 /
s/^u feltd-pit - /u feltd-pit 824 /
s/^u feltd-witness - /u feltd-witness 825 /
