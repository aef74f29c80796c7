"""The structures and prototypes of the Python package are those of the C header."""
import ctypes
import os
import re
import subprocess

import package
import specreg._c as c

header = os.path.join(os.environ["SOURCE_DIR"], "include/specreg/specreg.h")
text = re.sub(r"/\*.*?\*/", "", open(header).read(), flags=re.S)
prototypes = {
    name: (result.strip(), [p.strip() for p in parameters.split(",")])
    for result, name, parameters in re.findall(
        r"SPECREG_API\s+([\w\s]+?[\s*]+)(specreg_\w+)\(([^;]*)\);", text)
}


def test_every_function_is_declared_or_left_out():
    known = set(c.FUNCTIONS) | set(c.NOT_NEEDED)
    assert len(prototypes) > 80
    assert known == set(prototypes), known ^ set(prototypes)
    assert not set(c.FUNCTIONS) & set(c.NOT_NEEDED)


def kind(declared):
    """Of a C type: pointer, or its size and sort."""
    if "*" in declared or "_fn" in declared:
        return "pointer"
    base = declared.replace("const", "").split()
    plain = {"int64_t": "int 8", "size_t": "int 8", "int": "int 4", "double": "real 8", "void": "none",
             "specreg_status": "int 4", "unsigned": "int 4"}
    return plain[base[0]]


def kind_of(ours):
    if ours is None:
        return "none"
    if ours is ctypes.c_double:
        return "real 8"
    if ours in (ctypes.c_int64, ctypes.c_size_t, ctypes.c_int):
        return f"int {ctypes.sizeof(ours)}"
    return "pointer"


def test_types_agree():
    for name, (result, *parameters) in c.FUNCTIONS.items():
        declared, their = prototypes[name]
        their = [] if their == ["void"] else their
        assert kind_of(result) == kind(declared), name
        assert [kind_of(p) for p in parameters] == [kind(p) for p in their], name


def test_structures_agree():
    lines = []
    for name, structure in c.STRUCTURES.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for field, *_ in structure._fields_:
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), '
                         f"sizeof((({name} *)0)->{field}));")
    with open("sizes.c", "w") as f:
        f.write(f'#include <stdio.h>\n#include "{header}"\nint main(void)\n{{\n' + "\n".join(lines)
                + "\nreturn 0;\n}\n")
    subprocess.run([os.environ.get("CC", "cc"), "sizes.c", "-o", "sizes"], check=True)
    told = subprocess.run(["./sizes"], check=True, capture_output=True, text=True).stdout.split("\n")
    ours = []
    for name, structure in c.STRUCTURES.items():
        ours.append(f"{name} {ctypes.sizeof(structure)}")
        for field, *_ in structure._fields_:
            at = getattr(structure, field)
            ours.append(f"{name}.{field} {at.offset} {at.size}")
        declared = re.search(r"typedef struct %s \{(.*?)\}" % name, text, flags=re.S).group(1)
        fields = [re.search(r"\w+$", part.strip()).group() for statement in declared.split(";")
                  if statement.strip() for part in statement.split(",")]
        assert fields == [f for f, *_ in structure._fields_], (name, fields)
    assert ours == [line for line in told if line], list(zip(ours, told))


def test_status_values():
    from specreg._errors import _KINDS
    values = [int(v) for v in re.findall(r"X\(SPECREG_\w+, (-?\d+),", text)]
    assert sorted(_KINDS) == sorted(v for v in values if v != 0)


package.run(globals())
