"""Curves as an SVG file, without other programs: panels side by side, one legend."""
import math

COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf", "#7f7f7f"]
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 340, 300, 52, 42, 28


def steps(low, high, logarithmic):
    """Values for the marks of an axis."""
    if logarithmic:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        return [v for v in (f * 10.0 ** d for d in decades for f in (1, 2, 5)) if low <= v <= high * 1.0001]
    size = 10.0 ** math.floor(math.log10((high - low) / 3))
    size *= next(f for f in (1, 2, 5, 10) if (high - low) / (f * size) <= 5.5)
    return [k * size for k in range(math.ceil(low / size - 1e-9), math.floor(high / size + 1e-9) + 1)]


def axis(values, logarithmic):
    """Place of a value as a share of the axis, and the marks."""
    low, high = min(values), max(values)
    if not logarithmic:
        low, high = low - 0.03 * (high - low), high + 0.03 * (high - low)
    if low == high:
        low, high = 0.9 * low, 1.1 * high + 1e-12
    of = math.log10 if logarithmic else float
    return lambda v: (of(v) - of(low)) / (of(high) - of(low)), steps(low, high, logarithmic)


def panel(at, title, curves, names, x_label, y_label, log_x, log_y):
    """The text of one panel; curves: name -> list of (x, y)."""
    points = [p for c in curves.values() for p in c]
    place_x, marks_x = axis([p[0] for p in points], log_x)
    place_y, marks_y = axis([p[1] for p in points], log_y)
    x = lambda v: at + LEFT + (WIDTH - LEFT - 16) * place_x(v)
    y = lambda v: HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * place_y(v)
    out = [f'<text x="{at + WIDTH / 2:.0f}" y="16" text-anchor="middle" font-weight="bold">{title}</text>',
           f'<path d="M{at + LEFT} {TOP}V{HEIGHT - BOTTOM}H{at + WIDTH - 16}" fill="none" stroke="black"/>',
           f'<text x="{at + WIDTH / 2:.0f}" y="{HEIGHT - 6}" text-anchor="middle">{x_label}</text>',
           f'<text transform="translate({at + 12} {HEIGHT / 2:.0f}) rotate(-90)" text-anchor="middle">{y_label}</text>']
    last = -1e9
    for v in marks_x:
        if x(v) - last > 34:
            last = x(v)
            out.append(f'<path d="M{x(v):.1f} {HEIGHT - BOTTOM}v4" stroke="black"/><text x="{x(v):.1f}" '
                       f'y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{v:g}</text>')
    for v in marks_y:
        out.append(f'<path d="M{at + LEFT} {y(v):.1f}h-4" stroke="black"/><text x="{at + LEFT - 6}" '
                   f'y="{y(v) + 4:.1f}" text-anchor="end">{v:g}</text>')
    for name, curve in curves.items():
        colour = COLOURS[names.index(name) % len(COLOURS)]
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in curve)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        if len(curve) < 20:
            out += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="2.6" fill="{colour}"/>' for a, b in curve]
    return out


def draw(path, panels, x_label, y_label, log_x=False, log_y=False):
    """panels: title -> name -> list of (x, y)."""
    names = list(dict.fromkeys(n for curves in panels.values() for n in curves))
    wide = max(WIDTH * len(panels), 460)
    rows = (len(names) - 1) // 4 + 1
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {HEIGHT + 20 * rows + 6}" '
            'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>']
    for k, (title, curves) in enumerate(panels.items()):
        text += panel(WIDTH * k, title, curves, names, x_label, y_label, log_x, log_y)
    for k, name in enumerate(names):
        x, y = 20 + k % 4 * ((wide - 20) // 4), HEIGHT + 14 + 20 * (k // 4)
        text.append(f'<path d="M{x} {y - 4}h18" stroke="{COLOURS[k % len(COLOURS)]}" stroke-width="2.5"/>'
                    f'<text x="{x + 23}" y="{y}">{name}</text>')
    with open(path, "w") as f:
        f.write("\n".join(text) + "\n</svg>\n")
