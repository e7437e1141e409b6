"""The pit page: every table of the floor on one page, over floord's socket. The shell is a table's page's."""
