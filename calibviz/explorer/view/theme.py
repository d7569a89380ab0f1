"""The style sheet of the Explorer: colours follow JupyterLab's and Voila's theme, light or dark."""

from __future__ import annotations

from ...figures import styles
from ...figures.styles import tone
from ...figures.svg import WIDTH
from . import grid

BLUE, GREEN, VERMILION = tone(styles.BLUE), tone(styles.GREEN), tone(styles.VERMILION)
GREY, PURPLE = tone(styles.GREY), tone(styles.PURPLE)
DARK = styles.tones("--calibviz-", dark=True)
TEXT = "var(--jp-ui-font-color1, #212121)"
FAINT = "var(--jp-ui-font-color2, #595959)"
LINE = "var(--jp-border-color2, #d0d0d0)"
FOCUS = "var(--jp-brand-color1, #1976d2)"
BACK = "var(--calibviz-back)"
SIDEBAR = 330  # pixels, with the gap between it and the panels
NARROW = 2 * SIDEBAR + 200
WITH_PICTURES = 960  # pixels that the first screen needs for cards with pictures
TARGET = 36  # pixels, the height of what a finger presses

TWO_COLUMNS = 700  # pixels that the first screen needs for its answers to stand beside the picture
START = ("header", "drawer", "advice", "kept", "panels", "questions", "bar", "code", "numbers")
ANSWERED = ("header", "drawer", "advice", "kept", "questions", "bar", "code", "panels", "numbers")


def areas(*names: str, beside: str = "") -> str:
    """The areas of a grid from top to bottom, where there is one that stands `beside` the others on the left."""
    return " ".join(f'"{beside} {name}"' if beside else f'"{name}"' for name in names if name != beside)


def placed(box: str) -> str:
    """Rules that put everything in a box into the area of its name; the drawer holds the controls."""
    classes = {name: "controls" if name == "drawer" else name for name in START}
    return "\n".join(f"{box} > .calibviz-{of} {{ grid-area: {name}; }}" for name, of in classes.items())


# The row of the questions is no higher than they are: a high picture beside them and the bar makes the row of the bar
# higher, and a drawer that is higher than all of these the last row.
START_ROWS = "repeat(3, auto) minmax(min-content, 0) auto auto 1fr"


def wide_start(beside: str) -> str:
    """What puts the answers of the first screen beside its picture, and other views below them."""
    rows = (
        "header header",
        "advice advice",
        "kept kept",
        "panels questions",
        "panels bar",
        "code code",
        "numbers numbers",
    )
    first = f"{SIDEBAR - 12}px " if beside else ""
    return (
        f"grid-template-columns: {first}minmax(0, 58fr) minmax(0, 42fr); grid-template-rows: {START_ROWS}; "
        f"grid-template-areas: {areas(*rows, beside=beside)};"
    )


WIDE_START, WIDE_START_BESIDE = wide_start(""), wide_start("drawer")


def small_pictures(start: str) -> str:
    """Rules that put the pictures of cards to the right of all that the cards say."""
    return (
        f"{start} .calibviz-question p {{ padding-right: {WIDTH + 20}px; }}\n  "
        f"{start} .calibviz-answer, {start} .calibviz-answer > div {{ position: static; }}\n  "
        f"{start} .calibviz-question svg {{ display: block; position: absolute; right: 12px; top: 50%; "
        "translate: 0 -50%; }"
    )


#: Of a list to choose from: in Jupyter's dark themes the arrow that ipywidgets draws is black on black.
ARROW = (
    f"background-image: linear-gradient(45deg, transparent 50%, {TEXT} 50%), "
    f"linear-gradient(135deg, {TEXT} 50%, transparent 50%); background-repeat: no-repeat; "
    "background-position: calc(100% - 13px) 50%, calc(100% - 8px) 50%; background-size: 5px 5px;"
)

STYLE_SHEET = f"""<style>
.calibviz-explorer {{
  --calibviz-back: var(--jp-layout-color0, #fff);
  container: calibviz-explorer / inline-size; position: relative; color: {TEXT};
}}
body[data-jp-theme-light="false"] .calibviz-explorer {{ {DARK} }}
body[data-voila] .calibviz-explorer {{ --calibviz-back: var(--jp-layout-color1, #fff); }}
/* Only the tables scroll: what scrolls has to be reachable by keyboard, and nothing sticks inside of it. */
.calibviz-explorer, .calibviz-explorer .widget-box {{ overflow: visible; }}
/* Else nothing could stick to the top of the notebook. Notebook puts long outputs into a box that scrolls, with a
   shadow as high as all of it; these rules outdo its own. */
body .calibviz-holder.calibviz-holder.calibviz-holder {{ overflow: visible; contain: none; max-height: none; }}
body .calibviz-holder.calibviz-holder.calibviz-holder::after {{ content: none; }}
.calibviz-explorer .widget-html-content {{ line-height: 1.4; }}
.calibviz-explorer h3 {{ font-size: 14px; font-weight: 600; line-height: 1.4; margin: 2px 0; }}
.calibviz-explorer :is(button, select, input, .noUi-handle, .widget-readout):focus-visible {{
  outline: 2px solid {FOCUS}; outline-offset: 1px;
}}

/* Refusals and signs of work lie above the rest, so that nothing moves when they come and go. */
.calibviz-explorer > .calibviz-top {{
  position: sticky; top: 0; z-index: 3; display: block; height: 0; margin: 0; overflow: visible;
}}
.calibviz-top > * {{ display: block; margin: 0; height: auto; }}
.calibviz-top :is(.refused, .calibviz-waiting) {{
  border: 1px solid {LINE}; border-left: 4px solid {VERMILION}; border-radius: 4px; padding: 6px 10px;
  background: {BACK}; box-shadow: 0 2px 8px rgb(0 0 0 / 30%); font-weight: 600; overflow-wrap: anywhere;
}}
.calibviz-top > .calibviz-waiting {{ border-left-color: {BLUE}; }}
/* The panels then do not show what the controls say. */
.calibviz-top:is(.is-refused, .is-waiting)
  ~ :is(.calibviz-body .calibviz-right, .calibviz-desk > :not(.calibviz-controls)) {{ opacity: 0.4; }}
.calibviz-top > .calibviz-signs {{ position: absolute; top: 0; left: 116px; width: 200px; }}
.calibviz-signs {{ display: flex; align-items: flex-start; gap: 6px; overflow: visible; height: 24px; }}
.calibviz-signs > * {{ margin: 0; }}
.calibviz-working {{ flex: 0 0 134px; color: {FAINT}; font-size: 12px; }}
.calibviz-working [role=status] {{
  background: {BACK}; padding: 4px 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis;
}}
.calibviz-job {{
  display: flex; flex-flow: row wrap; align-items: center; column-gap: 4px; line-height: 14px; font-size: 11px;
  background: {BACK};
}}
.calibviz-job > span:first-child {{
  flex: 0 0 100%; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; font-size: 12px;
}}
.calibviz-job progress {{ flex: 1; min-width: 0; height: 6px; }}
.calibviz-explorer .calibviz-cancel {{
  flex: 0 0 58px; height: 24px; line-height: 24px; font-size: 12px; padding: 0 4px; margin: 0;
}}

.calibviz-body {{ display: flex; flex-flow: row wrap; align-items: flex-start; gap: 8px 12px; }}
.calibviz-controls {{ flex: 0 0 {SIDEBAR - 12}px; }}
.calibviz-controls > * {{ flex: none; }} /* the drawer scrolls, and nothing in it is pressed together */
.calibviz-controls .widget-label {{ text-align: left; }}
.calibviz-explorer .calibviz-with-term > .widget-label {{
  line-height: 1.15; white-space: normal; height: auto; overflow: visible; align-self: flex-start; padding-top: 1px;
}}
.calibviz-explorer .calibviz-with-term:is(.widget-inline-hbox, .widget-hslider) {{
  height: auto; min-height: var(--jp-widgets-inline-height, 28px);
}}
.calibviz-explorer .widget-dropdown > select {{ height: var(--jp-widgets-inline-height, 28px); }}
.calibviz-explorer h3 .calibviz-term {{ display: inline; font-weight: 400; }}
.calibviz-term {{ display: block; color: {FAINT}; font-size: 11px; }}
.calibviz-controls input:placeholder-shown {{ text-overflow: ellipsis; }}
.calibviz-controls .calibviz-find {{ width: auto !important; }}
.calibviz-controls .calibviz-refusal {{
  border: none; border-left: 4px solid {VERMILION}; padding-left: 8px; font-weight: 600; overflow-wrap: anywhere;
}}
.calibviz-differs {{ font-size: 12px; }}
.calibviz-controls .widget-html {{ border-top: 1px solid {LINE}; margin-top: 8px; padding-top: 4px; }}
.calibviz-controls > .widget-html:first-child {{ border-top: none; margin-top: 0; }}
.calibviz-right {{ flex: 1 1 480px; min-width: 0; container: calibviz-right / inline-size; }}
.calibviz-right > * {{ margin-left: 0; margin-right: 0; }}
.calibviz-desk {{
  display: grid; gap: 0 12px; align-content: start; margin: 0; grid-template-columns: minmax(0, 1fr);
  grid-template-areas: {areas(*ANSWERED)};
}}
.calibviz-desk.calibviz-start {{ grid-template-areas: {areas(*START)}; }}
.calibviz-desk > * {{ margin-left: 0; margin-right: 0; min-width: 0; }}
{placed(".calibviz-desk")}
@container calibviz-explorer (min-width: {TWO_COLUMNS}px) {{ /* the first screen: the picture, and beside it answers */
  .calibviz-desk.calibviz-start:not(.calibviz-open) {{ {WIDE_START} }}
}}
@container calibviz-explorer (min-width: {NARROW}px) {{ /* the drawer stands beside what its controls change */
  .calibviz-desk.calibviz-open {{
    grid-template-columns: {SIDEBAR - 12}px minmax(0, 1fr); grid-template-areas: {areas(*ANSWERED, beside="drawer")};
    grid-template-rows: repeat({len(ANSWERED) - 2}, auto) 1fr;
  }}
  .calibviz-desk.calibviz-open.calibviz-start {{ grid-template-areas: {areas(*START, beside="drawer")}; }}
}}
@container calibviz-explorer (min-width: {TWO_COLUMNS + SIDEBAR}px) {{
  .calibviz-desk.calibviz-open.calibviz-start {{ {WIDE_START_BESIDE} }}
}}
@container calibviz-explorer (min-width: {TWO_COLUMNS}px) {{
  .calibviz-start > .calibviz-questions {{ flex-flow: column; align-self: start; }}
  .calibviz-start > .calibviz-panels {{ align-self: start; }} /* the drawer may be higher than the picture */
  .calibviz-start .calibviz-question {{ flex: 0 0 auto; }}
}}
@media (min-height: 600px) {{ /* the controls stay beside what they change */
  .calibviz-controls {{ position: sticky; top: 0; max-height: 100vh; overflow-y: auto !important; }}
}}
@container calibviz-explorer (max-width: {NARROW}px) {{
  .calibviz-controls {{
    position: static; flex: 1 1 100%; display: block; columns: {SIDEBAR - 12}px; max-height: none;
    overflow: visible !important;
  }}
  .calibviz-right {{ display: contents; }}
  .calibviz-right > * {{ flex: 1 1 100%; }}
  .calibviz-controls > * {{ break-inside: avoid; }}
  .calibviz-controls > .widget-html {{ break-after: avoid; }}
}}

.calibviz-header {{ background: {BACK}; z-index: 2; }}
.calibviz-header > * {{ margin: 0 0 2px 0; }}
@media (min-height: 600px) {{ /* what is looked at, and the verdict, stay in sight */
  .calibviz-explorer .calibviz-header {{ position: sticky; top: 0; }}
  body[data-voila] .calibviz-header {{ top: -10px; padding-top: 10px; }} /* what scrolls has so much padding there */
}}
@media (min-height: 600px) {{
  @container calibviz-explorer (max-width: 720px) {{
    .calibviz-explorer .calibviz-header {{ top: -{TARGET + 4}px; }}
    body[data-voila] .calibviz-header {{ top: -{TARGET + 20}px; }}
  }}
}}
.calibviz-header-row {{
  display: flex; flex-flow: row wrap; align-items: flex-start; justify-content: space-between; column-gap: 8px;
}}
.calibviz-header-row > :first-child {{ flex: 1 1 300px; min-width: 0; margin: 0; }}
.calibviz-explorer .calibviz-advanced {{
  height: 26px; line-height: 24px; margin: 0; background: transparent; border: 1px solid {FAINT};
}}
.calibviz-explorer .calibviz-advanced.mod-active {{ border-color: {BLUE}; box-shadow: inset 0 -3px 0 0 {BLUE}; }}
.calibviz-words {{ font-size: 17px; font-weight: 600; }}
.calibviz-evidence .widget-html-content {{
  display: flex; flex-flow: row wrap; align-items: center; gap: 0 12px; font-size: 12px; color: {FAINT};
}}
.calibviz-evidence span {{ display: inline-flex; align-items: center; gap: 4px; }}
.calibviz-evidence b {{ color: {TEXT}; font-variant-numeric: tabular-nums; }}
.calibviz-words .widget-html-content, .calibviz-advice .widget-html-content,
.calibviz-answer {{ font-weight: 600; }}
.calibviz-answer .widget-html-content, .calibviz-note .widget-html-content {{ white-space: normal; }}
.calibviz-advice .widget-html-content:not(:empty) {{ border-left: 4px solid {BLUE}; padding-left: 8px; }}
.calibviz-explorer .is-silent {{ display: none; }}
.calibviz-code pre {{
  white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid {LINE}; border-radius: 4px; padding: 8px;
}}

.calibviz-explorer :is(.jupyter-button, select, input) {{ font-family: inherit; }} /* Voila leaves them the browser's */
.calibviz-explorer .jupyter-button {{ color: {TEXT}; border-radius: 4px; padding: 0 8px; }}
.calibviz-bar, .calibviz-chooser, .calibviz-leave, .calibviz-chips {{ display: flex; flex-flow: row wrap; }}
.calibviz-questions {{ display: flex; flex-flow: row wrap; gap: 6px 8px; margin: 2px 0 6px 0; }}
.calibviz-question {{ flex: 1 1 190px; margin: 0; }}
.calibviz-explorer .calibviz-questions .jupyter-button {{
  width: auto !important; height: 34px; line-height: 32px; margin: 0; font-weight: 600; background: transparent;
  border: 1px solid {FAINT};
}}
.calibviz-start .calibviz-question {{
  position: relative; border: 1px solid {FAINT}; border-radius: 8px; padding: 4px 12px 8px 12px;
}}
.calibviz-explorer .calibviz-start .calibviz-question .jupyter-button {{
  border: none; padding: 0; text-align: left; font-size: 15px;
}}
.calibviz-start .calibviz-question .jupyter-button::after {{ /* all of the card can be clicked */
  content: ""; position: absolute; inset: 0; border-radius: 8px;
}}
.calibviz-start .calibviz-question:hover {{ border-color: {BLUE}; }}
.calibviz-start .calibviz-question .calibviz-answer {{ margin: 0; font-weight: 400; }}
.calibviz-question p {{ margin: 0; }}
.calibviz-question svg {{ display: none; }}
@container calibviz-explorer (min-width: {WITH_PICTURES}px) {{
  {small_pictures(".calibviz-start:not(.calibviz-open)")}
}}
@container calibviz-explorer (min-width: {WITH_PICTURES + SIDEBAR}px) {{
  {small_pictures(".calibviz-start.calibviz-open")}
}}
.calibviz-explorer .calibviz-questions .jupyter-button.mod-active {{
  border-color: {BLUE}; box-shadow: inset 0 -3px 0 0 {BLUE};
}}
.calibviz-bar {{ justify-content: space-between; align-content: flex-start; gap: 4px 8px; margin: 4px 0; }}
.calibviz-bar .jupyter-button {{ height: 26px; line-height: 24px; font-size: 12px; }}
.calibviz-chooser .jupyter-button {{ background: transparent; border: 1px solid {LINE}; }}
@container calibviz-explorer (max-width: {WITH_PICTURES}px) {{ /* else the last one would take a row to itself */
  .calibviz-explorer .calibviz-chooser .jupyter-button {{ padding: 0 5px; }}
}}
.calibviz-chooser .jupyter-button.mod-active {{ border-color: {BLUE}; box-shadow: inset 0 -3px 0 0 {BLUE}; }}
.calibviz-explorer .calibviz-chips .jupyter-button {{ height: auto; white-space: normal; text-align: left; }}

.calibviz-explorer .widget-dropdown > select {{ {ARROW} }}
/* What a browser writes there is a number that can be typed; its sign stands behind it. */
.calibviz-explorer .calibviz-percent .widget-readout::after {{ content: "\\a0%"; }}
.calibviz-explorer :is(.calibviz-confidence, .calibviz-output) .widget-readout {{ min-width: 88px; }}
.calibviz-own-controls {{ display: flex; flex-flow: row wrap; gap: 0 12px; }}
.calibviz-explorer .calibviz-own-controls .widget-label {{
  width: auto !important; max-width: 130px; text-align: left;
}}
.calibviz-explorer .calibviz-own-controls > * {{
  flex: 1 1 190px; width: auto !important; min-width: 0; max-width: 310px;
}}
.calibviz-explorer .calibviz-own-controls > .calibviz-with-term {{ flex-basis: 240px; }}
.calibviz-explorer .calibviz-own-controls > .jupyter-button {{ flex: none; }}
/* Else little of it would be left to slide along. */
.calibviz-explorer .calibviz-own-controls > .widget-hslider {{ flex-basis: 240px; }}
@container calibviz-panel (max-width: 420px) {{ /* they stand one below the other */
  .calibviz-explorer .calibviz-own-controls > :not(.jupyter-button) {{ flex-basis: 100%; max-width: none; }}
  .calibviz-explorer .calibviz-own-controls .widget-label {{ width: 110px !important; }}
}}

.calibviz-desk > .calibviz-panels {{ container: calibviz-right / inline-size; }}
/* As far below the panels as these are from each other. */
.calibviz-explorer .calibviz-panel.calibviz-numbers {{ margin-top: 8px; align-self: start; }}
@container calibviz-explorer (max-width: 720px) {{
  .calibviz-words {{ font-size: 16px; line-height: 21px; }}
  .calibviz-words .widget-html-content {{ line-height: inherit; }}
  /* What is pressed has a row of its own, which scrolls away; what is looked at, and the verdict, stay in sight. */
  .calibviz-header-row > .calibviz-subject {{ flex: 1 0 100%; order: 1; }}
  .calibviz-header-row > .calibviz-actions {{ flex: 1 1 auto; }}
  .calibviz-header-row {{ position: relative; }}
  /* A row for itself, also while there is no work: the numbers above it are not covered, and nothing moves. */
  .calibviz-header-row > .calibviz-signs {{ flex: 1 0 100%; min-width: 0; }}
  .calibviz-header-row > .calibviz-signs > .calibviz-working {{ flex: 1 1 0; min-width: 0; }}
  .calibviz-signs .calibviz-job {{ flex-wrap: nowrap; line-height: 24px; }}
  .calibviz-signs .calibviz-job > span:first-child {{ flex: 0 1 auto; min-width: 0; }}
  .calibviz-signs .calibviz-job progress {{ flex: 1 0 40px; }}
  .calibviz-explorer :is(.calibviz-actions > div:first-child > button, .calibviz-advanced) {{
    min-width: {TARGET}px; height: {TARGET}px;
  }}
  .calibviz-explorer .calibviz-advanced {{ line-height: {TARGET - 2}px; }}
}}
/* Room for the longest usual answer: what is moved or clicked below it stays where it is while it changes. */
@container calibviz-panel (min-width: 580px) {{
  .calibviz-panel-decision > .calibviz-answer > .widget-html-content {{ min-height: 3lh; }}
  .calibviz-panel-recalibration > .calibviz-answer > .widget-html-content {{ min-height: 2lh; }}
}}
@container calibviz-panel (min-width: 580px) {{ /* a wide answer: its pictures beside each other, not a high column */
  .calibviz-panel-decision > .calibviz-below {{
    display: grid; column-gap: 16px; align-items: start;
    grid-template:
      "curve coverage-title" auto "curve coverage" 1fr "acted-title acted-title" auto "acted acted" auto
      "table table" auto / 1fr 1fr;
  }}
  .calibviz-below > .calibviz-decision-curve {{ grid-area: curve; }}
  .calibviz-below > .calibviz-title-risk-coverage {{ grid-area: coverage-title; }}
  .calibviz-below > .calibviz-risk-coverage {{ grid-area: coverage; }}
  .calibviz-below > .calibviz-title-acted-on {{ grid-area: acted-title; }}
  .calibviz-below > .calibviz-acted-on {{ grid-area: acted; }}
  .calibviz-panel-decision > .calibviz-below > .calibviz-table {{ grid-area: table; }}
  .calibviz-panel-sensitivity > .calibviz-below {{
    display: grid; column-gap: 16px; align-items: start;
    grid-template: "error error" auto "bins-title sizes-title" auto "bins sizes" auto / 1fr 1fr;
  }}
  .calibviz-below > .calibviz-sensitivity {{ grid-area: error; }}
  .calibviz-below > .calibviz-title-points-per-bin {{ grid-area: bins-title; }}
  .calibviz-below > .calibviz-points-per-bin {{ grid-area: bins; }}
  .calibviz-below > .calibviz-title-sample-sizes {{ grid-area: sizes-title; }}
  .calibviz-below > .calibviz-sample-sizes {{ grid-area: sizes; }}
}}
@container calibviz-panel (min-width: 720px) {{
  .calibviz-panel-recalibration > .calibviz-below {{
    display: grid; grid-template-columns: minmax(300px, 1fr) auto; column-gap: 16px; align-items: start;
  }}
}}
@container calibviz-panel (max-width: 719.9px) {{ /* among others the map stands alone: Compare has the numbers, too */
  .are-many > .calibviz-panel-recalibration .calibviz-table {{ display: none; }}
}}
{grid.RULES}.calibviz-explorer .calibviz-panel {{
  container: calibviz-panel / inline-size;
  border: 1px solid {LINE}; border-radius: 6px; padding: 6px 10px; margin: 0; overflow: hidden; min-width: 0;
}}
.calibviz-panel > .widget-box, .calibviz-panel .bqplot {{ margin: 0; min-width: 0; }}
.calibviz-panel-instances .calibviz-table {{ --room: 520px; }}
.calibviz-panel-segments .calibviz-table {{ --room: 350px; }}
/* A few categories, before and after, and as many lenses as are compared at first. */
:is(.calibviz-panel-likert, .calibviz-panel-comparison) .calibviz-table {{ --room: 480px; }}
:is(.calibviz-numbers, .calibviz-panel-likert, .calibviz-panel-segments) .calibviz-table {{ --cell: 112px; }}
.calibviz-note {{ color: {FAINT}; font-size: 12px; }}
.calibviz-legend {{
  color: {FAINT}; font-size: 12px; line-height: 18px; display: flex; align-items: flex-start;
  width: 0; min-width: 100%; /* a long name asks for no more room than there is */
}}
.calibviz-keys {{
  flex: 0 1 auto; min-width: 0; display: flex; flex-flow: row wrap; column-gap: 10px; height: 18px; overflow: hidden;
}}
.calibviz-keys > span {{ flex: none; max-width: 100%; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }}
.is-unfolded .calibviz-keys {{ height: auto; }}
.is-unfolded .calibviz-keys > span {{ white-space: normal; }}
.calibviz-explorer .calibviz-legend > button {{
  flex: none; font: inherit; line-height: 14px; height: 18px; min-width: 24px; padding: 0 4px; margin-left: 4px;
  color: {TEXT}; background: transparent; border: 1px solid {FAINT}; border-radius: 4px; cursor: pointer;
}}
.calibviz-explorer .calibviz-legend > button[hidden] {{ display: none; }}
@container calibviz-explorer (max-width: 720px) {{
  .calibviz-explorer .calibviz-legend > button {{ /* for fingers: higher than the line, in which its frame stays */
    position: relative; min-width: {TARGET}px; height: {TARGET}px; margin: -9px 0 -9px 4px; border: none;
  }}
  .calibviz-legend > button::before {{
    content: ""; position: absolute; inset: 9px 0; border: 1px solid {FAINT}; border-radius: 4px;
  }}
}}

.calibviz-explorer .bqplot {{
  --bq-axis-tick-text-fill: {FAINT}; --bq-axislabel-fill: {TEXT};
  --bq-axislabel-font: 12px var(--jp-ui-font-family, sans-serif);
  --bq-axis-tick-text-font: 11px var(--jp-ui-font-family, sans-serif);
  --bq-axis-tick-stroke: {LINE}; --bq-grid-color: {LINE}; --bq-axis-path-stroke: none; --bq-axis-rect-stroke: none;
  --bq-content-font-color: {TEXT}; --bq-mainheading-fill: {TEXT}; --bq-plotarea-background-fill: transparent;
}}
.calibviz-explorer .bqplot .axis path.domain {{ stroke: none; }} /* its ends run into the numbers */
/* Pictures before and after: beside each other where there is room. */
.calibviz-panel > .calibviz-side-by-side {{
  display: grid; gap: 4px 12px; grid-template-columns: repeat(auto-fit, minmax(min(100%, max(260px, 40%)), 1fr));
  align-items: end; /* one title may take more lines than the other */
}}
.calibviz-side-by-side > .widget-box {{ margin: 0; min-width: 0; }}
.calibviz-zoom {{ display: flex; align-items: center; gap: 8px; overflow: visible; }}
.calibviz-zoom > .widget-hslider {{ flex: 1 1 auto; min-width: 0; margin: 0; }}
.calibviz-zoom .widget-label {{ width: auto !important; }}
.calibviz-explorer .calibviz-zoom .widget-readout {{ min-width: 88px; }}
.calibviz-explorer .calibviz-zoom .jupyter-button {{ flex: none; height: 26px; line-height: 24px; margin: 0; }}
.calibviz-handle {{
  position: absolute; width: 22px; height: 22px; margin: -11px 0 0 -11px; border-radius: 50%; pointer-events: none;
}}
.calibviz-handle:focus-visible {{ outline: 3px solid {FOCUS}; }}
.calibviz-pointed {{ pointer-events: none; }}
.calibviz-pointed path {{ fill: {BACK}; stroke: {PURPLE}; stroke-width: 2; }}
.calibviz-pointed circle {{ fill: none; stroke: {PURPLE}; stroke-width: 2; }}
.calibviz-bar-outline {{ pointer-events: none; stroke: {TEXT}; stroke-width: 2; }}
.calibviz-bar-stop {{ position: absolute; pointer-events: none; min-height: 4px; }}
.calibviz-bar-stop:focus-visible {{ outline: 3px solid {FOCUS}; outline-offset: 1px; }}
.calibviz-explorer .is-on-button, .calibviz-explorer .is-on-button .overlay {{ cursor: pointer; }}
.calibviz-tip {{
  position: absolute; z-index: 2; pointer-events: none; padding: 2px 8px; border: 1px solid {LINE}; border-radius: 4px;
  background: {BACK}; color: {TEXT}; font-size: 12px; white-space: pre-line; width: max-content; max-width: 60%;
}}
.calibviz-explorer .widget-hslider {{ position: relative; }}
.calibviz-refused {{ left: 0; top: 100%; width: auto; max-width: 100%; line-height: 1.3; border-color: {VERMILION}; }}
.calibviz-explorer .toolbar_div {{ display: none !important; }} /* it covers the corner of confident predictions */

/* Steps, and what is kept. */
.calibviz-explorer .calibviz-kept {{ margin-top: 6px; }}
.calibviz-kept-buttons {{ display: flex; flex-flow: row wrap; }}
.calibviz-notice {{ color: {FAINT}; font-size: 13px; }}
.calibviz-notice .widget-html-content {{ white-space: normal; }}
.calibviz-kept .calibviz-table > div {{ max-height: none; }}
.calibviz-kept .calibviz-table :is(td, th):nth-child(2) {{
  text-align: left; white-space: normal; grid-column: 1 / -1;
}}
@container calibviz-explorer (max-width: {NARROW}px) {{
  .calibviz-right > .calibviz-kept {{ order: -1; }}
}}
.calibviz-explorer:focus {{ outline: none; }} /* it takes the focus of clicks, for the keys of undo and redo */
.calibviz-explorer .calibviz-subject-row {{
  display: flex; flex-flow: row wrap; justify-content: flex-end; align-items: flex-start; gap: 0 8px; margin: 0;
}}
.calibviz-subject-row > .calibviz-subject {{ flex: 1 1 300px; min-width: 0; margin: 0; }}
.calibviz-subject-row > .calibviz-actions {{ flex: 0 0 auto; margin: 0; }}
</style>"""

#: Above a view that would not react. JupyterLab's outputs would keep the sentence from staying in sight.
VEIL_STYLE = f"""
.calibviz-page {{ position: relative; }}
.calibviz-veil {{
  position: absolute; inset: 0; z-index: 4; cursor: not-allowed;
  background: color-mix(in srgb, var(--jp-layout-color0, #fff) 70%, transparent);
}}
.calibviz-veil > div {{
  position: sticky; top: 16px; box-sizing: border-box; width: fit-content; min-width: min-content;
  max-width: calc(100% - 32px); margin: 16px auto;
  border: 1px solid {LINE}; border-left: 4px solid {VERMILION}; border-radius: 4px; padding: 12px 16px;
  background: var(--jp-layout-color0, #fff); box-shadow: 0 2px 12px rgb(0 0 0 / 40%); color: {TEXT};
  font-family: var(--jp-ui-font-family, sans-serif); font-size: 15px; font-weight: 600; line-height: 1.4;
  overflow-wrap: break-word; outline-offset: 2px;
}}
.calibviz-veil code {{ overflow-wrap: anywhere; }}
"""
