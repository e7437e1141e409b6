"""The package's bill of materials: it is CycloneDX 1.6, and has what the lock has."""

import json
import re
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from debian.layout import ROOT
from debian.locked import EXTRAS, locked, needed_names, pins
from debian.sbom import bill_of_materials, hashes_of_wheels

SCHEMAS = Path(__file__).parent / "cyclonedx"
EPOCH = 1_700_000_000


def schema(name: str) -> dict[str, Any]:
    return dict(json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def blocks() -> dict[str, str]:
    return locked(ROOT / "requirements.lock", needed_names("feltd", EXTRAS))


@pytest.fixture(scope="module")
def bill(blocks: dict[str, str]) -> dict[str, Any]:
    return dict(json.loads(bill_of_materials("9.9.9", "all", EPOCH, blocks, ())))


def by_name(bill: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in bill["components"]}


def faults(bill: dict[str, Any]) -> list[str]:
    known = [(f"http://cyclonedx.org/schema/{name}.schema.json", schema(name)) for name in ("spdx", "jsf-0.82")]
    validator = jsonschema_rs.Draft7Validator(schema("bom-1.6"), registry=jsonschema_rs.Registry(known))
    return [fault.message for fault in validator.iter_errors(bill)]


def test_it_is_cyclonedx(bill: dict[str, Any]) -> None:
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert faults(bill) == []


@pytest.mark.parametrize("part", ["bomFormat", "specVersion"])
def test_the_schema_refuses_what_is_none(bill: dict[str, Any], part: str) -> None:
    assert faults({name: value for name, value in bill.items() if name != part})
    assert faults(bill | {"components": [{"type": "library"}]})
    assert faults(bill | {"components": [{"type": "library", "name": "x", "hashes": [{"alg": "SHA-256"}]}]})


def test_each_library_of_the_package_is_in_it_with_version_purl_hashes_and_licence(
    bill: dict[str, Any], blocks: dict[str, str]
) -> None:
    components = by_name(bill)
    assert {f"{one['name']}=={one['version']}" for one in bill["components"]} == set(pins(blocks.values()))
    for name, one in components.items():
        assert one["purl"] == f"pkg:pypi/{name}@{one['version']}"
        assert one["version"] == version(name), f"{name}: installed here is another version than the lock has"
        [published] = [told for told in one["externalReferences"] if told["type"] == "distribution"]
        in_lock = re.findall(r"sha256:([0-9a-f]{64})", blocks[name])
        assert [told["content"] for told in published["hashes"]] == in_lock != []
        assert one["licenses"], f"{name}: names no licence"


def test_licences_are_the_expressions_or_names_that_libraries_state(bill: dict[str, Any]) -> None:
    components = by_name(bill)
    assert components["cryptography"]["licenses"] == [{"expression": "Apache-2.0 OR BSD-3-Clause"}]
    assert components["pyserial"]["licenses"] == [{"license": {"name": "BSD License"}}]


def test_each_says_what_it_needs_and_nothing_that_is_not_there(bill: dict[str, Any]) -> None:
    needs = {one["ref"]: one["dependsOn"] for one in bill["dependencies"]}
    known = {one["bom-ref"] for one in bill["components"]}
    assert needs.keys() == known | {bill["metadata"]["component"]["bom-ref"]}
    assert {ref for refs in needs.values() for ref in refs} == known  # each is needed by something
    components = by_name(bill)
    assert components["cffi"]["purl"] in needs[components["argon2-cffi-bindings"]["purl"]]
    assert components["libosdp"]["purl"] in needs[bill["metadata"]["component"]["bom-ref"]]


def test_a_library_that_was_installed_from_its_makers_wheel_has_that_wheels_hash(tmp_path: Path) -> None:
    (tmp_path / "idna-3.20-py3-none-any.whl").write_bytes(b"the maker's")
    (tmp_path / "six-1.17.0-py3-none-any.whl").write_bytes(b"built here")
    makers = sha256(b"the maker's").hexdigest()
    blocks = {
        "idna": f"idna==3.20 \\\n    --hash=sha256:{makers} \\\n    --hash=sha256:{'0' * 64}",
        "six": f"six==1.17.0 \\\n    --hash=sha256:{'1' * 64}",
    }
    bill = dict(json.loads(bill_of_materials("1", "all", EPOCH, blocks, hashes_of_wheels(tmp_path))))
    assert by_name(bill)["idna"]["hashes"] == [{"alg": "SHA-256", "content": makers}]
    assert "hashes" not in by_name(bill)["six"]
    assert faults(bill) == []


def test_what_is_compiled_into_a_library_is_told_where_it_says_so(bill: dict[str, Any]) -> None:
    own = [told["url"] for told in by_name(bill)["cryptography"]["externalReferences"] if told["type"] == "bom"]
    assert own
    assert all(url.startswith("file:///opt/feltd/lib/python3.") and ".dist-info/sboms/" in url for url in own)


def test_the_same_package_has_the_same_bill(blocks: dict[str, str]) -> None:
    one, two = (bill_of_materials("0.4.0+1", "arm64", EPOCH, blocks, ()) for _ in range(2))
    assert one == two
    assert json.loads(one)["metadata"]["component"]["purl"] == "pkg:generic/feltd@0.4.0%2B1?arch=arm64"
    assert json.loads(one)["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
