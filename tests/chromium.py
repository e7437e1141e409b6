"""Which Chromium the tests and the bench drive: Debian's own, the one without a window where it is installed.

Both are of one source and one version. The other one draws the frame of a window around each page, which takes a
processor nearly as long as the page.
"""

import shutil
from typing import Final

CHROMIUM: Final = shutil.which("chromium-headless-shell") or shutil.which("chromium")
REMEDY: Final = "no chromium on this machine: apt install chromium-headless-shell"
