"""The Debian package: what is in it (`layout`), of which locked wheels (`locked`), its bill of materials (`sbom`),
`make deb` (`build`), and `make apt-repository` (`repository`)."""
