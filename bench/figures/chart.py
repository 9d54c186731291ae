"""Curves with logarithmic or linear axes, and what is said under them."""
import math

from figures.results import size_name
from report.page import COLOURS, element, svg, text_of, title

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 860, 330, 70, 14, 270, 44


class Curve:
    """`like`: the numbers are the paper's, drawn dashed in the colour of the curve of that name; "": in one of its own."""

    def __init__(self, name, points, like=None):
        self.name, self.points, self.like = name, [point for point in points if point.median > 0], like

    @property
    def of_paper(self):
        return self.like is not None


class Axis:
    def __init__(self, values, low, high, logarithmic):
        self.low, self.high, self.logarithmic = low, high, logarithmic
        if logarithmic:
            values = [value for value in values if value > 0]  # HPC Challenge's figure of a failed run is -1
        least, most = min(values), max(values)
        if logarithmic:
            self.first, self.last = math.floor(math.log10(least)), math.ceil(math.log10(most))
            self.last = max(self.last, self.first + 1)
        else:
            self.first, self.last = min(0, least), most * 1.05 or 1

    def place(self, value):
        at = math.log10(max(value, 10 ** self.first)) if self.logarithmic else value
        return round(self.low + (at - self.first) / (self.last - self.first) * (self.high - self.low), 1)

    def ticks(self):
        if self.logarithmic:
            return [10 ** power for power in range(self.first, self.last + 1)]
        step = 10 ** math.floor(math.log10(self.last / 4 or 1))
        step = next(step * factor for factor in (1, 2, 5, 10) if self.last / (step * factor) <= 8)
        return [step * i for i in range(int(self.last / step) + 1)]


def marks(curves):
    """Values of x that are marked, of the curve that has most of them."""
    values = max((sorted(point.x for point in curve.points) for curve in curves), key=len)
    return values[::len(values) // 11 + 1]


def curve_of(curve, colour, x, y):
    places = [(x.place(point.x), y.place(point.median)) for point in curve.points]
    parts = [element("polyline", "", points=" ".join(f"{a},{b}" for a, b in places), fill="none", stroke=colour,
                     stroke_width=1.6, stroke_dasharray="5 4" if curve.of_paper else "none")]
    for point, (a, b) in zip(curve.points, places):
        if point.most > point.least:
            parts.append(element("line", "", x1=a, x2=a, y1=y.place(point.least), y2=y.place(point.most),
                                 stroke=colour))
        told = f"{curve.name}, {size_name(point.x)}: {point.median:.4g} ({point.least:.4g} to {point.most:.4g})"
        parts.append(element("circle", title(told), cx=a, cy=b, r=3, fill="#fff" if curve.of_paper else colour,
                             stroke=colour))
    return "".join(parts)


def chart(label, x_name, y_name, curves, log_x=True, log_y=True, bytes_on_x=False, lines=()):
    """`lines`: values of x that are marked, each with what they are."""
    curves = [curve for curve in curves if curve.points]
    if not curves:
        return element("p", text_of(f"{label}: nothing was measured here."))
    x = Axis([point.x for curve in curves for point in curve.points], LEFT, WIDTH - RIGHT, log_x)
    y = Axis([value for curve in curves for point in curve.points for value in (point.least, point.most)],
             HEIGHT - BOTTOM, TOP, log_y)
    parts = []
    for tick in y.ticks():
        parts.append(element("line", "", x1=LEFT, x2=WIDTH - RIGHT, y1=y.place(tick), y2=y.place(tick),
                             stroke="#e5e5e5"))
        parts.append(element("text", f"{tick:g}", x=LEFT - 6, y=y.place(tick) + 4, text_anchor="end"))
    for tick in marks(curves):
        name = size_name(tick) if bytes_on_x else f"{tick:g}"
        parts.append(element("text", name, x=x.place(tick), y=HEIGHT - BOTTOM + 16, text_anchor="middle"))
    parts.append(element("text", text_of(x_name), x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 8, text_anchor="middle"))
    parts.append(element("text", text_of(y_name), x=14, y=HEIGHT / 2, text_anchor="middle",
                         transform=f"rotate(-90 14 {HEIGHT / 2})"))
    for value, words in lines:
        if x.low <= x.place(value) <= x.high:
            place = x.place(value)
            parts.append(element("line", "", x1=place, x2=place, y1=TOP, y2=HEIGHT - BOTTOM, stroke="#999",
                                 stroke_dasharray="1 3"))
            parts.append(element("text", text_of(words), x=place + 3, y=TOP + 10))
    own = {}
    for number, curve in enumerate(curves):
        colour = own.get(curve.like) or COLOURS[len(own) % len(COLOURS)]
        own.setdefault(curve.name, colour)
        row = TOP + 10 + 17 * number
        parts.append(curve_of(curve, colour, x, y))
        parts.append(element("line", "", x1=WIDTH - RIGHT + 14, x2=WIDTH - RIGHT + 38, y1=row - 4, y2=row - 4,
                             stroke=colour,
                             stroke_width=2, stroke_dasharray="5 4" if curve.of_paper else "none"))
        parts.append(element("text", text_of(curve.name), x=WIDTH - RIGHT + 44, y=row))
    return element("p", element("b", text_of(label))) + svg(WIDTH, HEIGHT, "".join(parts), label)


def digits(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


class Bound:
    """A figure that tells whether a paper's sentence holds here: it does from `least` to `most`, and not beside them.
    `there`: the paper's. Where the paper says no more than "faster" or "slower", the bound on the other side is where
    the figure cannot be right."""

    def __init__(self, words, value, least, most, there=None):
        self.words, self.value, self.least, self.most, self.there = words, value, least, most, there

    def text(self):
        paper = f"; the paper: {digits(self.there)}" if self.there is not None else ""
        return f"{self.words} {digits(self.value)} (holds from {digits(self.least)} to {digits(self.most)}{paper})"

    def holds(self):
        return self.least <= self.value <= self.most


def over(above, below):
    """Their ratio; None: one of them is missing."""
    return above / below if above and below else None


SHAPE = "The shape holds here: ", "The shape does not hold here: "
BAR = "The bar is met here: ", "The bar is missed here: "


def verdict(sentence, bounds, more="", words=SHAPE):
    """Whether what the paper says is seen here: what it says, and the figures that tell, all of which are in bounds."""
    if not bounds or any(bound.value is None for bound in bounds):
        return element("p", text_of(f"Not enough was measured here to tell whether {sentence}."))
    holds = all(bound.holds() for bound in bounds)
    told = f"{sentence}. Measured: {', '.join(bound.text() for bound in bounds)}.{more}"
    return element("p", (element("b", words[0]) if holds else element("b", words[1], class_="warning")) + text_of(told))


def about(paper, here, ran=""):
    """What the paper did and found, what was done here, and, from the results, what was run of it."""
    return (element("p", element("i", "The paper: ") + text_of(paper)) +
            element("p", element("i", "Here: ") + text_of(here)) + ran)
