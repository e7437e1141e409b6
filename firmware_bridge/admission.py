"""Check who is there; each wrong answer is a fault of its own (PROTOCOL.md, section 2)."""

from firmware_bridge.errors import FaultCode, FaultError
from firmware_bridge.facts import DeviceIdentity, LinkSpec
from firmware_bridge.messages import Hello
from firmware_bridge.reject import Reject


def admit(hello: Hello, spec: LinkSpec, version: int, versions: tuple[int, int]) -> DeviceIdentity:
    """Return the device's identity if its role, serial number and version are right.

    They are checked in this order. Raises FaultError.
    """
    if hello.role != spec.role:
        raise FaultError(
            FaultCode.WRONG_ROLE,
            f"a {hello.role} ({hello.serial}) where a {spec.role} belongs: plug in the right device",
        )
    if spec.serial is not None and hello.serial != spec.serial:
        raise FaultError(
            FaultCode.UNKNOWN_DEVICE,
            f"the device has serial number {hello.serial}, this slot is for {spec.serial}: plug in that one, "
            "or enter the new serial number",
        )
    if not hello.version_min <= version <= hello.version_max:
        raise unsupported(hello.version_min, hello.version_max, versions)
    if (best := min(hello.version_max, versions[1])) > version:
        raise FaultError(
            FaultCode.DOWNGRADE,
            f"a session of version {version} where both speak {best}: somebody on the wire lowers it, look there",
        )
    return DeviceIdentity(hello.role, hello.serial, hello.firmware, version, hello.boot_id, hello.persistent)


def unsupported(low: int, high: int, versions: tuple[int, int]) -> FaultError:
    """The device speaks versions `low` to `high`, and none of them is the controller's."""
    theirs, ours = f"{low} to {high}", f"{versions[0]} to {versions[1]}"
    old = "controller" if low > versions[1] else "device"
    text = f"the device speaks protocol versions {theirs}, the controller {ours}: update the {old}"
    return FaultError(FaultCode.UNSUPPORTED_VERSION, text)


def refused(reject: Reject, spec: LinkSpec) -> FaultError:
    """The fault for a device that could not read the request.

    What the device reports of itself is not proven; it only names the fault.
    """
    says = f"a device that says it is {reject.role} {reject.serial} refuses the key"
    if reject.role != spec.role:
        return FaultError(FaultCode.WRONG_ROLE, f"{says}; a {spec.role} belongs here: plug in the right device")
    if spec.serial is not None and reject.serial != spec.serial:
        return FaultError(FaultCode.UNKNOWN_DEVICE, f"{says}; {spec.serial} belongs here: plug in that one")
    return FaultError(FaultCode.WRONG_KEY, f"{says} of this slot: put the device's own key into the slot's key file")
