"""Root's work on files in folders of others, done with the right of the folder's owner and no more.

The owner of a folder can lay links, pipes and other folders there while root works in it. With root's right such a link
has a file of root's given away, copied out or written over. With the owner's right it reaches what the owner reaches.

Root keeps its right only where nobody else can change anything on the way: each folder from `/` on belongs to root, and
no other user may write there, or may at most add to it (as in `/tmp`). Links on such a way are followed if root laid
them; on any other way a link is refused, because it says whose folder the place is in.
"""

import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from feltd.text.errors import FeltdError

_ROOT: Final = 0
_NO_GROUP: Final = 65534
_MOST_LINKS: Final = 40
"""As the kernel follows at most."""
_LOOK: Final = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class PlaceError(FeltdError):
    """A place in which root does no work: it cannot be known whose it is, or it is somebody else's."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A user, and the group for one who is not in this machine's list of users."""

    uid: int
    gid: int

    @property
    def name(self) -> str:
        """The user's name; the number where the machine knows none."""
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return str(self.uid)


@contextmanager
def as_owner_of(place: Path) -> Iterator[None]:
    """Where root runs this, do the block as the user in whose folder `place` is; for other users nothing changes.

    `place`: a file or folder, there or not. The whole process, its threads too, has the effective user, group and
    groups of that user meanwhile; the real user stays root. Raises PlaceError.
    """
    owner = Owner(os.geteuid(), os.getegid()) if os.geteuid() != _ROOT else owner_of(place)
    if owner.uid == os.geteuid():
        yield
        return
    before = os.getegid(), os.getgroups()
    gid, groups = _groups_of(owner)
    try:
        os.setgroups(groups)
        os.setegid(gid)
        os.seteuid(owner.uid)
    except OSError as fault:
        _become_root(*before)
        raise PlaceError(
            f"{place}: is in a folder of {owner.name}, whom this process may not become: {fault.strerror}; run it as "
            f"that user (sudo -u {owner.name} …)"
        ) from None
    try:
        yield
    finally:
        os.seteuid(_ROOT)
        _become_root(*before)


def require_own(place: Path, remedy: str) -> None:
    """Raise PlaceError where root runs this and `place` is in a folder of somebody else. `remedy`: words for it."""
    if os.geteuid() != _ROOT:
        return
    owner = owner_of(place)
    if owner.uid != _ROOT:
        raise PlaceError(f"{place}: is in a folder of {owner.name}, and this runs as root: {remedy}")


def owner_of(place: Path) -> Owner:
    """The user in whose folder a place is: who can change what root would meet there.

    That is root only where nobody else can. A folder that is not there yet belongs to whom the nearest one above does.
    Raises PlaceError for a link that somebody else may have laid, and for root's folder in a folder of others.
    """
    try:
        with ExitStack() as opened:
            return _walked(place, opened)
    except OSError as fault:
        raise PlaceError(f"{place}: cannot be looked at: {fault.strerror}") from None


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder on the way. `alone`: nobody but root can put another in the place of this one or of root's in it."""

    descriptor: int
    state: os.stat_result
    alone: bool

    @property
    def shared(self) -> bool:
        return bool(stat.S_IMODE(self.state.st_mode) & 0o022)


def _walked(place: Path, opened: ExitStack) -> Owner:
    names, links, within = list(reversed(place.absolute().parts[1:])), 0, None
    way = [_entered("/", None, opened)]
    while names:
        here, name = way[-1], names.pop()
        if name == "..":
            del way[max(1, len(way) - 1) :]
            continue
        try:
            found = os.stat(name, dir_fd=here.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            break
        if stat.S_ISDIR(found.st_mode):
            way.append(_entered(name, here, opened))
        elif stat.S_ISLNK(found.st_mode):
            links += 1
            if not here.alone or found.st_uid != _ROOT or links > _MOST_LINKS:
                raise PlaceError(
                    f"{place}: {name} on the way there is a link, and not only root can change it: name the place to "
                    "which it leads, or take it away"
                )
            target = PurePath(os.readlink(name, dir_fd=here.descriptor))
            if target.is_absolute():
                del way[1:]
            names += [part for part in reversed(target.parts) if part != target.anchor]
        else:
            within = found
            break
    return _owner(place, way[-1], within)


def _owner(place: Path, folder: _Folder, file: os.stat_result | None) -> Owner:
    """Whose a place is, by the last folder on the way and, in one that is shared, by the file there."""
    if folder.alone:
        state = file if file is not None and folder.shared else folder.state
        return Owner(state.st_uid, state.st_gid)
    if folder.state.st_uid == _ROOT:
        raise PlaceError(
            f"{place}: is in a folder of root's that others can move or write in: give that folder to the user whose "
            "the folder around it is, or let root alone write there"
        )
    return Owner(folder.state.st_uid, folder.state.st_gid)


def _entered(name: str, above: _Folder | None, opened: ExitStack) -> _Folder:
    descriptor = os.open(name, _LOOK, dir_fd=None if above is None else above.descriptor)
    opened.callback(os.close, descriptor)
    state = os.fstat(descriptor)
    mode = stat.S_IMODE(state.st_mode)
    roots = state.st_uid == _ROOT and (not mode & 0o022 or bool(mode & stat.S_ISVTX))
    return _Folder(descriptor, state, roots and (above is None or above.alone))


def _groups_of(owner: Owner) -> tuple[int, list[int]]:
    """A user's own group and all groups."""
    try:
        known = pwd.getpwuid(owner.uid)
    except KeyError:
        gid = owner.gid or _NO_GROUP
        return gid, [gid]
    return known.pw_gid, os.getgrouplist(known.pw_name, known.pw_gid)


def _become_root(gid: int, groups: list[int]) -> None:
    """Take the groups of before again; the effective user is root."""
    os.setegid(gid)
    os.setgroups(groups)
