"""Lists of records as tables of pandas, where it is installed."""
from __future__ import annotations

from typing import Any


def words(value: Any) -> Any:
    """A kernel or filter as one text, for a column of a table."""
    if isinstance(value, dict) and "name" in value:
        numbers = ",".join(f"{k}={v}" for k, v in value.items() if k not in ("name", "terms"))
        terms = " + ".join(str(words(term)) for term in value.get("terms", []))
        return terms or value["name"] + (":" + numbers if numbers else "")
    return value


def frame(rows: list[dict[str, Any]]) -> Any:
    """A DataFrame, or without pandas the list itself; a kernel's width becomes a column `sigma`."""
    flat = []
    for row in rows:
        kernel = row.get("kernel")
        sigma = {"sigma": kernel["sigma"]} if isinstance(kernel, dict) and "sigma" in kernel else {}
        flat.append({**{key: words(value) for key, value in row.items()}, **sigma})
    try:
        import pandas
    except ImportError:
        return flat
    return pandas.DataFrame(flat)
