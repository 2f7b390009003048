"""The Python that the reader's browser needs: exactly the modules that a figure imports, and nothing else."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]

# Installed here, left out there. A test imports and uses all figures with these set to None.
LEFT_OUT = ("bokeh", "panel", "pandas", "tornado", "jinja2", "markupsafe", "PIL", "requests", "yaml", "contourpy")

LIST_MODULES = """
import sys
sys.modules.update(dict.fromkeys({left_out}))
from export import inside
for slug in {slugs}:
    inside.open(slug)
    inside.hear('{{"seq": 1, "figures": {{"%s": {{"code": true, "csv": true, "numbers": true}}}}}}' % slug)
here, standard = {root!r}, tuple(sys.stdlib_module_names) + ("numpy", "__main__")
for name, module in sorted(sys.modules.items()):
    path = getattr(module, "__file__", None)
    if path and path.endswith(".py") and not name.startswith("_") and name.split(".")[0] not in standard:
        print(name, path)
"""


def modules(slugs: Sequence[str]) -> dict[str, Path]:
    """Path in the archive → file: what a fresh Python has imported once these figures have answered a message."""
    program = LIST_MODULES.format(left_out=LEFT_OUT, slugs=list(slugs), root=str(ROOT))
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Path] = {}
    for line in run.stdout.splitlines():
        name, path = line.split(" ", 1)
        file = Path(path)
        inner = name.replace(".", "/") + ("/__init__.py" if file.name == "__init__.py" else ".py")
        found[inner] = file
        if file.is_relative_to(ROOT):  # our packages read JSON files beside their modules
            found |= {f"{Path(inner).parent}/{data.name}": data for data in file.parent.glob("*.json")}
    return found


def write(target: Path, pyodide: Path, slugs: Sequence[str]) -> tuple[int, bool]:
    """Write the archive; say how many modules are in it, and whether they are compiled."""
    files = modules(slugs)
    target.write_bytes(tar({name: path.read_bytes() for name, path in files.items()}))
    return sum(name.endswith(".py") for name in files), compile_with(pyodide, target)


def tar(files: dict[str, bytes]) -> bytes:
    """A plain archive, the same bytes for the same files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in sorted(files.items()):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def compile_with(pyodide: Path, archive: Path) -> bool:
    """Compile inside Pyodide, whose Python may be another than ours. Needs Node.js; without it the sources stay."""
    node = shutil.which("node")
    if node is None:
        return False
    script = Path(__file__).with_name("compile.mjs")
    run = subprocess.run([node, script, pyodide.resolve(), archive.resolve()], capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"compile.mjs: {run.stderr[-2000:]}")
    return True
