// The tour in Pyodide: node tour.mjs FOLDER_OF_PYODIDE FOLDER_OF_WHEELS ROOT_OF_THE_REPOSITORY
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [home, wheels, root] = process.argv.slice(2);
const PACKAGES = ["numpy", "scipy", "pandas", "matplotlib", "ipython", "packaging"];

// Node would print the line of the script where it happened, which is all of Pyodide.
process.on("uncaughtException", (error) => {
  console.error(error.message);
  process.exit(1);
});

const { loadPyodide } = await import(pathToFileURL(join(home, "pyodide.mjs")));
const pyodide = await loadPyodide({ indexURL: home });
await pyodide.loadPackage(PACKAGES, { messageCallback: () => {} });
const site = pyodide.runPython("import site; site.getsitepackages()[0]");
for (const wheel of readdirSync(wheels)) {
  pyodide.unpackArchive(new Uint8Array(readFileSync(join(wheels, wheel))), "wheel", { extractDir: site });
}
pyodide.FS.mkdir("/calibviz");
pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root }, "/calibviz");
pyodide.runPython(`
import runpy, sys
sys.path.append("/calibviz/tests")
sys.argv = ["tour.py", "/calibviz/README.md"]
runpy.run_path("/calibviz/tests/lite/tour.py", run_name="__main__")
`);
