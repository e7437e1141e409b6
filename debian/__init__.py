"""The Debian package: what is in it (`layout`), of which locked wheels (`locked`), and `make deb` (`build`)."""
