# Nothing: it stands before a boot.py in the file system, which would keep main.py from being run.
