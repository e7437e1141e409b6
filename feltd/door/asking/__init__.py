"""The page's end of the socket: the table asked from another process."""
