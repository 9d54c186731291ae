"""Elements of a page of HTML: well-formed XML, with figures in SVG, and no scripts."""
import html
import sys

COLOURS = ("#3b6fb6", "#d9822b", "#4f9d5d", "#b8473d", "#8464a8", "#8a6650", "#cf74b0", "#9a9a3a", "#2f9fae", "#444444",
           "#a3005c", "#5a7d00")

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; max-width: 1080px; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.5em; margin-bottom: 0 } h2 { font-size: 1.15em; margin: 2em 0 .3em; border-bottom: 1px solid #ccc }
p { margin: .4em 0; max-width: 48em } .warning { color: #a02b1f; font-weight: 600 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums } th { font-weight: 600; text-align: right }
td { text-align: right; padding: .1em .8em; border-top: 1px solid #e5e5e5 } th { padding: .1em .8em }
td:first-child, th:first-child { text-align: left; padding-left: 0 }
svg { display: block; margin: .6em 0; max-width: 100%; height: auto } svg text { font: 11px system-ui, sans-serif; fill: #333 }
.side { display: flex; flex-wrap: wrap; gap: 1.5em }
"""


def fail(text):
    sys.exit("dart-report: " + text)


def text_of(value):
    return html.escape(str(value), quote=True)


def element(name, content="", **attributes):
    """An element of XML; `_` in names of attributes stands for `-`."""
    words = "".join(f' {key.strip("_").replace("_", "-")}="{text_of(value)}"' for key, value in attributes.items())
    return f"<{name}{words}>{content}</{name}>"


def title(text):
    return element("title", text_of(text))


def number(value):
    """In three digits, with a prefix."""
    for prefix, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {prefix}"
    return f"{value:.3g}"


def duration(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def svg(width, height, content, label):
    return element("svg", title(label) + content, viewBox=f"0 0 {width} {height}", width=width, height=height, role="img")


def table(head, rows):
    line = "".join(element("th", text_of(word)) for word in head)
    body = "".join(element("tr", "".join(element("td", text_of(word)) for word in row)) for row in rows)
    return element("table", element("tr", line) + body)


def page(heading, parts):
    body = element("h1", text_of(heading)) + "".join(parts)
    head = '<meta charset="utf-8"/>' + title(heading) + element("style", STYLE)
    return "<!DOCTYPE html>\n" + element("html", element("head", head) + element("body", body), lang="en") + "\n"
