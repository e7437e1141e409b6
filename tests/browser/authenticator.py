"""Security keys that Chromium plays (CDP, WebAuthn): a person who touches whichever is plugged in."""

from playwright.sync_api import Page, expect

from tests.feltd.page_support import SECRET


class SecurityKey:
    """A security key in this tab. It signs as soon as a page asks it to."""

    def __init__(self, tab: Page) -> None:
        self._told = tab.context.new_cdp_session(tab)
        self._told.send("WebAuthn.enable")
        self._id = ""
        self.plug_in()

    def plug_in(self) -> None:
        """Plug in a key that no page has had yet."""
        options = {"protocol": "ctap2", "transport": "usb", "hasResidentKey": False, "hasUserVerification": False}
        added = self._told.send(
            "WebAuthn.addVirtualAuthenticator", {"options": {**options, "automaticPresenceSimulation": True}}
        )
        self._id = added["authenticatorId"]

    def pull_out(self) -> None:
        """Nothing is plugged in any more, and what the key has made is gone."""
        self._told.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": self._id})

    @property
    def signatures(self) -> list[int]:
        """How often each of its credentials has signed."""
        kept = self._told.send("WebAuthn.getCredentials", {"authenticatorId": self._id})
        return [credential["signCount"] for credential in kept["credentials"]]


def register(tab: Page, name: str) -> None:
    """On the page of one's account, by password."""
    tab.locator("#key-name").fill(name)
    tab.locator("#key-password").fill(SECRET)
    tab.get_by_role("button", name="Register a key").click()
    expect(tab.locator("#own-keys tr", has_text=name)).to_contain_text("Taken")


def sign_out(tab: Page) -> None:
    """As a person does."""
    tab.get_by_role("button", name="Sign out", exact=True).first.click()
    expect(tab.locator("#sign-in")).to_be_visible()


def give_password(tab: Page, name: str) -> None:
    """Fill in the sign-in page and send it."""
    tab.locator("#name").fill(name)
    tab.locator("#password").fill(SECRET)
    tab.get_by_role("button", name="Sign in").click()
