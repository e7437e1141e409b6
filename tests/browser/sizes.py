"""What of a page is out of its window, cut off, broken in the midst of a word, or lies over something else: found in
the browser, by what it draws."""

from typing import Any, Final

from playwright.sync_api import Page

SIZES: Final = {
    "wide": {"width": 1920, "height": 1080},
    "desk": {"width": 1280, "height": 800},
    "tablet": {"width": 768, "height": 1024},
    "tablet-across": {"width": 1024, "height": 768},
    "phone": {"width": 390, "height": 844},
}
"""The five screens that a page must fit."""

_FAULTS: Final = """() => {
    const width = document.documentElement.clientWidth;
    const bounds = (box) => ({ left: box.left, right: box.right, top: box.top, bottom: box.bottom });
    const meet = (a, b) => ({
        left: Math.max(a.left, b.left), right: Math.min(a.right, b.right),
        top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom),
    });
    const address = (one) => one.tagName.toLowerCase() + (one.id ? `#${one.id}` : "");
    const named = (one) => `${address(one)} "${one.textContent.trim().slice(0, 40)}"`;
    const unseen = (one) => one.closest(".unseen, .skip, dialog:not([open])")
        || !one.checkVisibility({ visibilityProperty: true, opacityProperty: true })
        || getComputedStyle(one).clipPath !== "none";
    // What scrolls shows a part of what is in it.
    const within = (one, box) => {
        let part = box, scrolls = false;
        for (let above = one.parentElement; above && above !== document.body; above = above.parentElement) {
            const style = getComputedStyle(above);
            if (style.clipPath !== "none") return [null, true];
            if (!["auto", "scroll"].includes(style.overflowX)) continue;
            scrolls = true;
            part = meet(part, bounds(above.getBoundingClientRect()));
            for (const stuck of above.children) {  // what scrolls goes on behind what stays at the edge
                const before = one.compareDocumentPosition(stuck) & Node.DOCUMENT_POSITION_FOLLOWING;
                if (!before || getComputedStyle(stuck).position !== "sticky") continue;
                part = { ...part, bottom: Math.min(part.bottom, stuck.getBoundingClientRect().top) };
            }
        }
        return [part.right > part.left && part.bottom > part.top ? part : null, scrolls];
    };
    const faults = [], drawn = [];
    // A column of a few letters. A digest or an address is no word of people: it is longer, and may be broken.
    const broken = (one, text) => {
        const range = document.createRange();
        for (const word of text.data.matchAll(/\\S+/g)) {
            if (word[0].length > 20 || /[-/…]/.test(word[0])) continue;
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
            if (tops.size > 1) faults.push(`a word is broken: ${named(one)}`);
        }
    };
    const wide = document.documentElement.scrollWidth;
    if (wide > width + 1) faults.push(`the page pans sideways: ${wide} px in ${width} px`);
    const top = document.querySelector("dialog:modal") ?? document.body;  // what lies behind a dialog, it covers
    for (const one of top.querySelectorAll("*")) {
        if (unseen(one)) continue;
        const whole = one.getBoundingClientRect();
        const [part, scrolls] = within(one, bounds(whole));
        if (part === null) continue;
        const beyond = !scrolls && whole.width > 1 && (part.right > width + 1 || part.left < -1);
        if (beyond) faults.push(`out of the window: ${named(one)}`);
        const texts = [...one.childNodes].filter((node) => node.nodeType === 3 && node.textContent.trim());
        const hides = texts.length && ["hidden", "clip"].includes(getComputedStyle(one).overflowX);
        if (hides && one.scrollWidth > one.clientWidth + 1) faults.push(`cut off: ${named(one)}`);
        if (["BUTTON", "INPUT", "SELECT", "TEXTAREA"].includes(one.tagName)) drawn.push({ one, ...part });
        for (const text of texts) {
            const range = document.createRange();
            range.selectNodeContents(text);
            const lines = range.getClientRects();
            if (lines.length > 1) broken(one, text);
            for (const line of lines) {
                const [seen] = within(one, bounds(line));
                if (seen) drawn.push({ one, ...seen });
            }
        }
    }
    drawn.sort((a, b) => a.top - b.top);
    drawn.forEach((a, at) => {
        for (const b of drawn.slice(at + 1)) {
            if (b.top >= a.bottom - 2) break;
            if (a.one.contains(b.one) || b.one.contains(a.one)) continue;
            const both = meet(a, b);
            const blank = 0.15 * (a.bottom - a.top + b.bottom - b.top);  // above and below a line's letters
            const over = both.right - both.left > 2 && both.bottom - both.top > Math.max(3, blank);
            if (over) faults.push(`one over the other: ${named(a.one)}, ${named(b.one)}`);
        }
    });
    return [...new Set(faults)].slice(0, 20);
}"""


def faults_of_layout(tab: Page) -> list[str]:
    """Say what stands out of the window, what is cut off, which words are broken, and which texts and controls lie over
    each other."""
    found: list[Any] = tab.evaluate(_FAULTS)
    return [str(fault) for fault in found]


def faults_at_each_size(tab: Page) -> dict[str, list[str]]:
    """The same at each of the five screens, by its name: those alone that have any."""
    found = {}
    for size, viewport in SIZES.items():
        tab.set_viewport_size(viewport)  # type: ignore[arg-type]  # a plain dict is what it takes
        tab.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        found[size] = faults_of_layout(tab)
    return {size: faults for size, faults in found.items() if faults}
