"""Writes messy.csv and messy_new.csv beside this file; see README.md."""
import datetime
import os
import random
import unicodedata

HEADER = ["", "Kunden-Nr.", "Datum", "Größe (m²)", "age", "town", "currency", "remark", "price"]
TOWNS = ["Köln", "Liège", "Bonn", "Łódź"]
START = datetime.date(2021, 1, 1)


def row(rng, number, town):
    when = START + datetime.timedelta(days=rng.randrange(900))
    size, age = round(rng.uniform(30, 180), 1), rng.randrange(80)
    has_age, has_town = rng.random() > 0.12, rng.random() > 0.06
    price = 0.8 * size + 10 * when.month + 40 * (town == "Köln") * has_town
    price += 25 * (town == "Liège") * has_town + 0.02 * (when - START).days
    price += (-age if has_age else 30) + rng.gauss(0, 3)
    form = rng.choice(["NFC", "NFD"])  # composed and decomposed accents
    remark = rng.choice(['"as ""new"""', '"two\r\nlines"', '"a, b"', "none", "NA", ""])
    return [str(number), "K-%04d/%s" % (rng.randrange(10000), number), when.strftime("%d.%m.%Y"),
            repr(size), str(age) if has_age else rng.choice(["", "NA", "?"]),
            unicodedata.normalize(form, town) if has_town else "", "EUR", remark, "%.2f" % price]


def write(name, rows):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), "wb") as f:
        text = "\r\n".join(",".join(r) for r in [HEADER] + rows) + "\r\n"
        f.write(b"\xef\xbb\xbf" + text.encode())


if __name__ == "__main__":
    source = random.Random(19)
    write("messy.csv", [row(source, i, source.choice(TOWNS)) for i in range(240)])
    write("messy_new.csv", [row(source, 1000 + i, source.choice(TOWNS)) for i in range(57)] +
          [row(source, 1057 + i, "Trier") for i in range(3)])
