// node compile.mjs PYODIDE ARCHIVE: replace the .py files of a tar by .pyc files of Pyodide's own Python.
import {readFile, writeFile} from "node:fs/promises"
import {pathToFileURL} from "node:url"

const [pyodide, archive] = process.argv.slice(2)
const {loadPyodide} = await import(pathToFileURL(`${pyodide}/pyodide.mjs`))
const python = await loadPyodide({indexURL: `${pyodide}/`})
python.FS.writeFile("/in.tar", await readFile(archive))
python.runPython(`
import compileall, pathlib, tarfile
with tarfile.open("/in.tar") as tar:
    tar.extractall("/lab", filter="data")
if not compileall.compile_dir("/lab", legacy=True, quiet=1, stripdir="/lab", invalidation_mode=None):
    raise SystemExit("a module does not compile")
with tarfile.open("/out.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
    for path in sorted(pathlib.Path("/lab").rglob("*")):
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts:
            tar.add(path, path.relative_to("/lab").as_posix())
`)
await writeFile(archive, python.FS.readFile("/out.tar"))
