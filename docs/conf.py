"""The site: `sphinx-build -W docs site`, with the extra `docs` and without a network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parents[1] / "scripts"))

import made_pages

import calibviz as cv
from calibviz.app.playground.page import playground_page

project = "calibviz"
author = "The calibviz developers"
copyright = f"{author}, BSD-3-Clause"
version = release = cv.__version__

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx-mathjax-offline"]
exclude_patterns = ["_static"]
default_role = "code"

myst_enable_extensions = ["dollarmath", "html_image"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4  # as GitHub gives them
suppress_warnings = ["myst.header"]  # the parts of a README that stand on other pages

#: Notebooks show what they store, which tests hold against a run.
nb_execution_mode = "off"
nb_output_stderr = "remove"
#: Nothing answers a widget on this site: its still picture stands there, and no script of widgets is asked for.
nb_ipywidgets_js: dict[str, Any] = {}
nb_mime_priority_overrides = [("html", "application/vnd.jupyter.widget-view+json", None)]

add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the section Parameters has them
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_use_plots = False

html_theme = "pydata_sphinx_theme"
html_title = "calibviz"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_sidebars = {"index": [], "playground": []}
html_theme_options: dict[str, Any] = {
    "logo": {"text": "calibviz"},
    "github_url": made_pages.REPOSITORY,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "playground": []},
}


def of_the_site(app: Any, name: str, source: list[str]) -> None:
    """A page as it stands in the repository, with its links and pictures as the site has them."""
    if name == "notebooks":
        source[0] += made_pages.toctree(f"made/notebooks/{path.stem}" for path in made_pages.NOTEBOOKS)
    if name == "papers":
        source[0] += made_pages.toctree(f"made/papers/{paper}" for paper in made_pages.PAPERS)
    if not name.startswith(made_pages.FOLDER.name):
        page = f"docs/{name}.md"
        source[0] = made_pages.for_the_site(source[0], page, page)


def of_an_included_file(app: Any, path: Path, page: str, source: list[str]) -> None:
    included = (made_pages.DOCS / path).resolve().relative_to(made_pages.ROOT).as_posix()
    source[0] = made_pages.for_the_site(source[0], included, f"docs/{page}.md")


def beside_the_pages(app: Any, error: Exception | None) -> None:
    """Write the page that stands in the frame of playground.md, where a site of HTML was built."""
    if error is None and app.builder.format == "html":
        page = Path(app.outdir) / "playground" / "index.html"
        page.parent.mkdir(exist_ok=True)
        page.write_text(playground_page(), encoding="utf-8")


def setup(app: Any) -> None:
    app.connect("build-finished", beside_the_pages)
    app.connect("builder-inited", lambda app: made_pages.write())
    app.connect("source-read", of_the_site)
    app.connect("include-read", of_an_included_file)
    app.connect("missing-reference", made_pages.public_name)
