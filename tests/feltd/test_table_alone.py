"""What a table at work loads, in an interpreter of its own: nothing that only a page needs."""

import subprocess
import sys
from pathlib import Path

from tests.feltd.test_daemon_run import write

SHOWDOWN = Path(__file__).parents[1] / "drills" / "tas-2018-holdem" / "clean-a-split-pot-and-its-odd-chip.jsonl"
AT_WORK = """\
from feltd.table.host import loading
loading.load_for_a_table()
import asyncio, os, sys
from pathlib import Path
from feltd.books.drill import run_drill
from feltd.table.config.config import load_config
from feltd.table.daemon.daemon import DoorPlace, at_work, opened
from table_fsm.poker.hands import order

async def work(config, drill):
    async def up():
        return "no page"

    place = DoorPlace(Path(config).with_name("door"), os.getuid())
    with opened(load_config(Path(config))) as table:
        async with at_work(table, place, up):
            assert (await table.door.state()).devices
            assert run_drill(Path(drill), table.books).passed
            assert set(table.books.loaded) == {load_config(Path(config)).table.rulebook}
            assert order._high_table.cache_info().hits, "no hand was judged"

asyncio.run(work(*sys.argv[1:]))
assert "libcrypto" not in Path("/proc/self/maps").read_text(), "OpenSSL is loaded"
print(*{name.partition(".")[0] for name in sys.modules}, *(name for name in sys.modules if name.startswith("feltd.")))
"""
NOT_LOADED = {
    "pokerkit", "numpy",
    "fastapi", "starlette", "uvicorn", "httptools", "anyio", "jinja2", "prometheus_client", "argon2",
    "asyncpg", "websockets", "feltd.custody", "feltd.uplink", "feltd.floor",
    "click", "multiprocessing", "ssl", "_hashlib", "usb", "difflib", "email", "zipfile", "csv", "statistics",
    "bz2", "lzma",
    "feltd.page", "feltd.launcher", "feltd.simulated", "feltd.cli",
}  # fmt: skip


def test_a_table_at_work_loads_no_web_no_templates_no_passwords_and_no_library_of_hands(tmp_path: Path) -> None:
    config = write(tmp_path, port=1)
    done = subprocess.run(
        [sys.executable, "-c", AT_WORK, str(config), str(SHOWDOWN)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert {"table_fsm", "devices", "firmware_bridge", "feltd.table", "feltd.record"} <= loaded
    assert loaded & NOT_LOADED == set()


def test_pydantic_works_without_looking_for_plugins_and_one_that_is_loaded_stays() -> None:
    code = (
        "import sys; from feltd.table.host.loading import load_without_plugins as load; load(); load(); "
        "import pydantic; "
        "assert pydantic.TypeAdapter(dict[str, int]).validate_json('{\"a\": 1}') == {'a': 1}; "
        "assert 'importlib.metadata' not in sys.modules; "
        "del sys.modules['pydantic.plugin._loader']; import pydantic.plugin._loader as own; load(); "
        "assert sys.modules['pydantic.plugin._loader'] is own"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_pydantic_works_without_its_schemas_fields_and_typed_dicts_are_pythons_own_afterwards() -> None:
    code = (
        "import typing, typing_extensions as more; before = typing.TypedDict, more.TypedDict; "
        "from feltd.table.host.loading import load_without_fields_of_schemas as load; load(); "
        "assert (typing.TypedDict, more.TypedDict) == before; "
        "from pydantic_core import CoreConfig, SchemaValidator, core_schema; "
        "assert core_schema.StringSchema.__annotations__ == {}; assert type(CoreConfig(strict=True)) is dict; "
        "import pydantic; Point = more.TypedDict('Point', {'x': int}); "
        "assert pydantic.TypeAdapter(Point).validate_json('{\"x\": 1}') == {'x': 1}; "
        "assert pydantic.create_model('M', a=(list[Point], ...)).model_json_schema()['required'] == ['a']; "
        "strict = SchemaValidator(core_schema.int_schema(), CoreConfig(strict=True)); "
        "assert strict.validate_python(1) == 1; "
        "import pydantic_core as own; load(); assert __import__('sys').modules['pydantic_core'] is own"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_core_of_pydantic_that_is_loaded_stays_as_it_is() -> None:
    code = (
        "import pydantic_core.core_schema as own; from feltd.table.host import loading; "
        "loading.load_without_fields_of_schemas(); assert 'min_length' in own.StringSchema.__annotations__"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_tls_is_there_for_an_adapter_that_asks_for_it() -> None:
    code = (
        "from feltd.table.host.loading import load_without_openssl as load; load(); import asyncio.sslproto; "
        "assert asyncio.sslproto.ssl is None; import ssl; ssl.create_default_context(); load()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_archives_are_there_for_an_adapter_that_asks_for_them() -> None:
    code = (
        "from feltd.table.host.loading import load_without_archives as load; load(); import shutil, sys; "
        "assert 'lzma' not in sys.modules and 'bz2' not in sys.modules; "
        "import lzma, bz2; assert bz2.decompress(bz2.compress(b'a')) == b'a'; load()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
