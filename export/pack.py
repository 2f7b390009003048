"""The Python that the reader's browser needs: exactly the modules that a figure imports, and nothing else."""

from __future__ import annotations

import compileall
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from py_compile import PycInvalidationMode

from .pyodide import PUBLIC_PYTHON, Pyodide

ROOT = Path(__file__).parents[1]
UNCHECKED = PycInvalidationMode.UNCHECKED_HASH

# Installed here, left out there. A test imports and uses all figures with these set to None.
LEFT_OUT = ("bokeh", "panel", "pandas", "tornado", "jinja2", "markupsafe", "PIL", "requests", "yaml", "contourpy")

LOCAL = ("sitecustomize", "usercustomize")  # of this machine's Python

LIST_MODULES = """
import sys
sys.modules.update(dict.fromkeys({left_out}))
from export import inside
inside.schedule('{{"cards": {{}}}}')
for slug in {slugs}:
    inside.open(slug)
    inside.hear('{{"seq": 1, "figures": {{"%s": {{"code": true, "csv": true, "numbers": true}}}}}}' % slug)
here, standard = {root!r}, tuple(sys.stdlib_module_names) + ("numpy", "__main__")
for name, module in sorted(sys.modules.items()):
    path = getattr(module, "__file__", None)
    if path and path.endswith(".py") and not name.startswith("_") and name.split(".")[0] not in standard + {local}:
        print(name, path)
"""


def modules(slugs: Sequence[str]) -> dict[str, Path]:
    """Path in the archive → file: what a fresh Python has imported once figures and review have answered a message."""
    program = LIST_MODULES.format(left_out=LEFT_OUT, local=LOCAL, slugs=list(slugs), root=str(ROOT))
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Path] = {}
    for line in run.stdout.splitlines():
        name, path = line.split(" ", 1)
        file = Path(path)
        inner = name.replace(".", "/") + ("/__init__.py" if file.name == "__init__.py" else ".py")
        found[inner] = file
        data = file.with_suffix(".json")  # some modules read a file of their own name
        if data.is_file():
            found[inner.removesuffix(".py") + ".json"] = data
    return found


def write(target: Path, pyodide: Pyodide, slugs: Sequence[str]) -> tuple[int, str]:
    """Write the archive; say how many modules are in it, and how they are compiled."""
    files = modules(slugs)
    content = {name: path.read_bytes() for name, path in files.items()}
    said = "not compiled"
    if pyodide.folder is None and sys.version_info[:2] == PUBLIC_PYTHON:
        content, said = compiled(content), "compiled"
    target.write_bytes(tar(content))
    if pyodide.folder is not None:
        ok = compile_with(pyodide.folder, target)
        said = "compiled by Pyodide's own Python" if ok else "not compiled (install Node.js to compile them)"
    return sum(name.endswith(".py") for name in files), said


def compiled(content: dict[str, bytes]) -> dict[str, bytes]:
    """The same files, modules compiled by this Python, which must be of the same minor version as Pyodide's."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for inner, source in content.items():
            (folder / inner).parent.mkdir(parents=True, exist_ok=True)
            (folder / inner).write_bytes(source)
        compileall.compile_dir(folder, legacy=True, quiet=1, stripdir=name, invalidation_mode=UNCHECKED)
        files = [f for f in folder.rglob("*") if f.is_file() and f.suffix != ".py" and f.parent.name != "__pycache__"]
        return {f.relative_to(folder).as_posix(): f.read_bytes() for f in files}


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
