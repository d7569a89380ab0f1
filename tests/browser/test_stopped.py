"""A page whose kernel or server has ended says so and does not react; one whose kernel is busy says that."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from calibviz.explorer.view.page.stopped import BUSY, ENDED_COMMAND, SILENT, STOPPED, UNHEARD

from .explorer import DIGITS, control, open_drawer, open_explorer, press, settle, shown, wait_for_change
from .jupyter_servers import LAB, NOTEBOOK, VOILA, JupyterServer
from .pages import LabPages, NotebookPages, Pages, VoilaPages, of_a_shared_machine

#: Five seconds, and what the tests themselves take of them; Jupyter looks for dead kernels every three seconds.
SOON = 1000 * of_a_shared_machine(5 + 2)
RESTARTED = SOON + 3000

HOSTS = {"voila": (VOILA, VoilaPages), "lab": (LAB, LabPages), "notebook": (NOTEBOOK, NotebookPages)}
BINS = ".calibviz-bins .widget-readout"
REACTS = """([x, y]) => {
    const hit = document.elementFromPoint(x, y);
    return hit?.closest(".calibviz-explorer") && !hit.closest(".calibviz-veil");
}"""
COUNT_VEILS = """() => {
    window.veils = 0;
    new MutationObserver(() => { window.veils += document.querySelectorAll(".calibviz-veil").length; })
        .observe(document.body, { childList: true, subtree: true });
}"""
WATCH = """() => {
    const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
    Object.assign(window, { statuses: [], probes: 0 });
    kernel.statusChanged.connect((_, status) => window.statuses.push(status));
    kernel.anyMessage.connect((_, { msg }) => { window.probes += msg.header.msg_type === "kernel_info_reply"; });
}"""
KERNEL = "(window.jupyterapp.shell.currentWidget.sessionContext.session.kernel)"

Own = Callable[..., Pages]


@pytest.fixture
def own(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Own]:
    """Pages of a server of their own, which may be ended."""
    made: list[tuple[Pages, JupyterServer]] = []

    def start(host: str, restarts: bool = False) -> Pages:
        command, kind = HOSTS[host]
        server = JupyterServer(command, tmp_path_factory.mktemp(host), restarts)
        made.append((kind(browser, server), server))
        return made[-1][0]

    yield start
    for pages, server in made:
        server.resume()
        pages.close(may_complain=True)  # every request to a server that has ended is an error in the browser
        server.stop()


def veil(page: Page) -> Locator:
    return page.locator(".calibviz-veil")


def expect_covered(page: Page, sentence: str, timeout: float = SOON) -> None:
    """Expect one veil with a sentence, and that nothing under it takes a click or a key."""
    expect(veil(page)).to_have_text(sentence, timeout=timeout)
    expect(page.get_by_role("alert").filter(has_text=sentence)).to_be_visible()
    before = page.locator(BINS).all_inner_texts()
    has_drawer = page.locator(".calibviz-controls").is_visible()
    handle = page.locator(".calibviz-bins .noUi-handle")
    if not handle.is_visible():  # in a view that was saved, the drawer may never have been opened
        handle = page.locator(".calibviz-advanced")
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box is not None
    assert not page.evaluate(REACTS, [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])
    handle.evaluate("handle => handle.focus()")
    assert handle.evaluate("handle => document.activeElement !== handle")
    page.keyboard.press("ArrowRight")
    assert page.locator(BINS).all_inner_texts() == before
    page.keyboard.press("Enter")
    assert page.locator(".calibviz-controls").is_visible() == has_drawer


def expect_alive(page: Page) -> None:
    """Expect that nothing covers the view, and that it follows a control."""
    expect(veil(page)).to_have_count(0)
    expect(page.locator("[inert]")).to_have_count(0)
    settle(page)
    if not page.locator(".calibviz-controls").is_visible():  # a view that was made anew
        open_drawer(page)
    before = shown(page)
    press("bins", "ArrowRight")(page)
    wait_for_change(page, before, ["reliability"])


@pytest.mark.parametrize("host", HOSTS)
def test_a_kernel_that_was_replaced_covers_the_view_for_good(own: Own, host: str) -> None:
    pages = own(host, restarts=True)
    page = open_explorer(pages)
    control(page, "bins").locator(".noUi-handle").focus()
    pages.server.stop_kernels()
    sentence = STOPPED["voila" if host == "voila" else "notebook"]["stopped"]
    expect(veil(page)).to_have_text(sentence, timeout=RESTARTED)
    if host == "voila":
        assert page.evaluate("document.activeElement.getAttribute('role')") == "alert"
        expect_covered(page, sentence)
        return
    page.get_by_role("dialog").get_by_role("button", name="Ok").click()
    page.wait_for_function(f"{KERNEL}.status === 'idle' && {KERNEL}.connectionStatus === 'connected'")
    expect_covered(page, sentence)  # the new kernel knows nothing of these widgets
    assert isinstance(pages, LabPages)
    assert pages.run(page) == []
    expect_alive(page)


def test_a_kernel_that_someone_else_shut_down_covers_the_view(lab: Pages) -> None:
    page = open_explorer(lab)
    kernel = page.evaluate(f"{KERNEL}.id")
    other = lab([])
    other.evaluate("id => window.jupyterapp.serviceManager.kernels.shutdown(id)", kernel)
    expect_covered(page, STOPPED["notebook"]["stopped"])
    for opened in (page, other):
        opened.close()
    lab.errors.clear()  # Lab asks for the kernel that has gone


@pytest.mark.parametrize("host", ["voila", "lab"])
def test_what_does_not_answer_covers_the_view_until_it_does_and_what_was_killed_for_good(own: Own, host: str) -> None:
    """First the kernel is frozen, then the server is silent, then it is killed."""
    pages = own(host)
    page = open_explorer(pages)
    settle(page)
    (kernel,) = pages.server.kernels()
    for _ in range(2):  # and again
        kernel.suspend()
        expect_covered(page, UNHEARD)
        kernel.resume()
        expect(veil(page)).to_have_count(0)
    expect_alive(page)
    control(page, "bins").locator(".noUi-handle").focus()
    pages.server.suspend()
    expect_covered(page, SILENT)
    pages.server.resume()
    expect_alive(page)
    pages.server.kill()
    expect_covered(page, STOPPED["voila" if host == "voila" else "notebook"]["ended"])


def test_looking_at_a_kernel_is_nobodys_work_and_one_that_is_restarted_covers_the_view(lab: LabPages) -> None:
    """Jupyter shows nothing of a look, and does not count it where it ends what nobody uses."""
    page = open_explorer(lab)
    settle(page)
    page.evaluate(WATCH)
    at_work = "async () => (await (await fetch(`/api/kernels/${kernel.id}`)).json()).last_activity"
    page.evaluate(f"window.kernel = {KERNEL}")
    before = page.evaluate(at_work)
    page.wait_for_function("window.probes > 2")
    assert page.evaluate("window.statuses") == []
    assert page.evaluate(at_work) == before
    page.evaluate("void window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    expect_covered(page, STOPPED["notebook"]["stopped"])
    page.wait_for_function(f"{KERNEL}.status === 'idle'")
    expect_covered(page, STOPPED["notebook"]["stopped"])
    assert lab.run(page) == []
    expect_alive(page)


def test_a_page_that_was_offline_comes_back(voila: Pages) -> None:
    page = open_explorer(voila)
    settle(page)
    handle = control(page, "bins").locator(".noUi-handle")
    handle.focus()
    page.context.set_offline(True)
    expect_covered(page, SILENT)
    page.context.set_offline(False)
    expect(veil(page)).to_have_count(0)
    expect(handle).to_be_focused()
    expect_alive(page)
    voila.errors.clear()  # what was asked for while offline


def test_a_page_that_slept_while_its_server_ended(own: Own) -> None:
    pages = own("voila")
    page = open_explorer(pages)
    page.context.new_cdp_session(page).send("Page.setWebLifecycleState", {"state": "frozen"})
    pages.server.kill()
    page.context.new_cdp_session(page).send("Page.setWebLifecycleState", {"state": "active"})
    expect_covered(page, STOPPED["voila"]["ended"])


def test_a_kernel_that_is_busy_has_not_stopped(host: Pages) -> None:
    """Not even where no other thread can run Python meanwhile, as in the second wait."""
    slow = (
        "import ctypes, time\nwaits = iter([time.sleep, ctypes.PyDLL(None).sleep])\n"
        "explorer.state.observe(lambda _: next(waits)(8), 'bins')\nexplorer"
    )
    page = open_explorer(host, DIGITS + slow)
    settle(page)
    page.evaluate(COUNT_VEILS)
    waiting = page.locator(".calibviz-waiting")
    for _ in range(2):
        press("bins", "ArrowRight")(page)
        expect(waiting).to_have_text(BUSY)
        expect(waiting).to_have_count(0)
        settle(page)
    assert page.evaluate("window.veils") == 0


def test_the_page_of_a_command_names_it(own: Own) -> None:
    pages = own("voila")
    command = "calibviz demo --port 8000"
    page = open_explorer(pages, f"from calibviz.app.demo import demo\ndemo('', {command!r})")
    pages.server.kill()
    expect_covered(page, ENDED_COMMAND.format(command=command).replace("`", ""))
    chooser = page.locator(".calibviz-data button").first
    assert chooser.evaluate("button => button.closest('[inert]') !== null")


@pytest.mark.parametrize("first", ["", "lab.children[-1].close(); time.sleep(1); "], ids=["at once", "one by one"])
def test_a_view_that_is_closed_leaves_the_page(lab: Pages, first: str) -> None:
    """Its widgets are closed one by one, and the page may hear of the last a while after the first."""
    page = lab(["import calibviz as cv, time\nlab = cv.SimulationLab()\nlab"])
    expect(page.locator(".calibviz-explorer svg path.line[d]").first).to_be_attached()
    page.evaluate(f"{KERNEL}.requestExecute({{ code: '{first}lab.close()' }}).done.then(() => null)")
    expect(page.locator(".calibviz-explorer")).to_have_count(0)
    expect(page.locator(".calibviz-still")).to_be_visible()


def test_a_view_that_was_saved_with_its_notebook_is_covered(own: Own) -> None:
    """Jupyter can save the state of widgets too, and shows them without a kernel as if they were alive."""
    pages = own("lab")
    assert isinstance(pages, LabPages)
    page = open_explorer(pages)
    page.evaluate("window.jupyterapp.commands.execute('@jupyter-widgets/jupyterlab-manager:saveWidgetState')")
    assert pages.run(page) == []
    page = pages.reopen(page)
    expect(page.locator(".calibviz-explorer")).to_have_count(1)
    expect_covered(page, STOPPED["notebook"]["stopped"])
