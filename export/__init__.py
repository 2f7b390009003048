"""The lesson as a folder of files: `python -m export OUT --pyodide FOLDER`. Python runs in the reader's browser."""
