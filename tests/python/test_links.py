"""Every link between the pages of the documentation leads to a file that exists and, if it names one,
to a heading of that page."""
import os
import re
import sys

SOURCE = os.environ["SOURCE_DIR"]


def pages():
    for folder, folders, files in os.walk(SOURCE):
        folders[:] = [f for f in folders if not f.startswith((".", "build")) and f not in ("shared", "node_modules")]
        for name in files:
            if name.endswith(".md"):
                yield os.path.join(folder, name)


def prose(path):
    """The text of a page without its blocks of code."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^```.*?^```", "", file.read(), flags=re.S | re.M)


def anchors(path):
    """The names that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", prose(path), re.M)
    return {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-") for h in headings}


def broken(path):
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if re.match(r"https?:", link):
            continue
        name, _, heading = link.partition("#")
        there = os.path.join(os.path.dirname(path), name) if name else path
        if not os.path.exists(there):
            yield f"{link}: no such file"
        elif heading and heading not in anchors(there):
            yield f"{link}: no such heading"


found = list(pages())
wrong = [f"{os.path.relpath(page, SOURCE)}: {what}" for page in found for what in broken(page)]
print("\n".join(wrong) or f"all links of {len(found)} pages lead somewhere")
if len(found) < 10:
    wrong.append("too few pages")
sys.exit(1 if wrong else 0)
