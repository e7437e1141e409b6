"""The pictures of the documentation: with the commonest colours alone, and several as one that moves."""

import base64

from playwright.sync_api import Browser, Route

from tests.small_png import Frame, animated, small

DECODED = """async (png) => {
    const data = Uint8Array.from(atob(png), (one) => one.charCodeAt(0));
    const decoder = new ImageDecoder({ data, type: "image/png" });
    await decoder.tracks.ready;
    await decoder.completed;
    const track = decoder.tracks.selectedTrack;
    const colours = [];
    for (let at = 0; at < track.frameCount; at += 1) {
        const { image } = await decoder.decode({ frameIndex: at });
        const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
        const drawn = canvas.getContext("2d");
        drawn.drawImage(image, 0, 0);
        colours.push([[2, 2], [30, 20]].map(([x, y]) => [...drawn.getImageData(x, y, 1, 1).data.slice(0, 3)].join()));
    }
    return { frames: track.frameCount, colours };
}"""


def test_a_moving_picture_is_what_its_frames_are(chromium: Browser) -> None:
    context = chromium.new_context(viewport={"width": 60, "height": 40})
    page = context.new_page()

    def blank(route: Route) -> None:
        route.fulfill(
            body="<body style='margin:0;background:#102030'><div id=a></div></body>", content_type="text/html"
        )

    page.route("http://localhost/", blank)  # of this machine: a browser decodes pictures for such pages alone
    page.goto("http://localhost/")
    shots = [page.screenshot()]
    mark = "one => { one.style.cssText = 'position:absolute;inset:10px 20px;background:#a02010' }"
    page.locator("#a").evaluate(mark)
    shots += [page.screenshot()] * 2
    page.locator("#a").evaluate("one => one.remove()")
    shots.append(page.screenshot())
    reader = context.new_page()
    made = animated([Frame(shot, 0.5) for shot in shots], reader, plays=3)
    told = page.evaluate(DECODED, base64.b64encode(made).decode())
    ground, marked = "16,32,48", "160,32,16"
    assert told == {
        "frames": 4,
        "colours": [[ground, ground], [ground, marked], [ground, marked], [ground, ground]],
    }
    assert small(shots[0], reader).startswith(b"\x89PNG")
    context.close()
