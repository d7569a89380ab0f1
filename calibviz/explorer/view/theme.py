"""The style sheet of the Explorer: colours follow JupyterLab's and Voila's theme, light or dark."""

from __future__ import annotations

from ...figures.styles import BLUE, VERMILION

TEXT = "var(--jp-ui-font-color1, #212121)"
FAINT = "var(--jp-ui-font-color2, #595959)"
LINE = "var(--jp-border-color2, #d0d0d0)"
FOCUS = "var(--jp-brand-color1, #1976d2)"
BACK = "var(--calibviz-back)"
SIDEBAR = 330  # pixels, with the gap between it and the panels
NARROW = 2 * SIDEBAR + 200
WIDE = ":is(.calibviz-panel-comparison, .calibviz-panel-instances, .calibviz-panel-likert)"


def rows_as_blocks(tables: str) -> str:
    """Rules that show each row of the tables in a container as a block, each cell below its heading: none is cut."""
    return f"""
  {tables} .calibviz-table > div {{ max-height: none; }}
  {tables} .calibviz-table :is(table, tbody) {{ display: block; }}
  {tables} .calibviz-table thead {{ position: absolute; clip-path: inset(50%); }}
  {tables} .calibviz-table tr {{
    display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); padding: 4px 0;
    border-bottom: 1px solid {LINE};
  }}
  {tables} .calibviz-table :is(td, tbody th) {{ text-align: left; border: none; padding: 2px 6px 2px 0; }}
  {tables} .calibviz-table tbody th {{ grid-column: 1 / -1; max-width: none; position: static; }}
  {tables} .calibviz-table td::before {{
    content: attr(data-column); display: block; font-size: 11px; color: {FAINT};
  }}
  {tables} .calibviz-table td small {{ white-space: pre-line; }}
  {tables} .calibviz-table svg {{ margin-left: 0; }}"""


STYLE_SHEET = f"""<style>
.calibviz-explorer {{
  --calibviz-back: var(--jp-layout-color0, #fff);
  container: calibviz-explorer / inline-size; position: relative; color: {TEXT};
}}
body[data-voila] .calibviz-explorer {{ --calibviz-back: var(--jp-layout-color1, #fff); }}
/* Only the tables scroll: what scrolls has to be reachable by keyboard, and nothing sticks inside of it. */
.calibviz-explorer, .calibviz-explorer .widget-box, .widget-box:has(.calibviz-explorer) {{ overflow: visible; }}
body:is([data-voila], [data-jp-theme-name])
  :is(.jp-Cell, .jp-OutputArea, .jp-OutputArea-child, .jp-OutputArea-output):has(.calibviz-explorer) {{
  overflow: visible; contain: none; /* else nothing could stick to the top of the notebook */
}}
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
.calibviz-status, .calibviz-waiting {{ margin-left: {SIDEBAR}px; }}
.calibviz-top :is(.refused, .calibviz-waiting) {{
  border: 1px solid {LINE}; border-left: 4px solid {VERMILION}; border-radius: 4px; padding: 6px 10px;
  background: {BACK}; box-shadow: 0 2px 8px rgb(0 0 0 / 30%); font-weight: 600; overflow-wrap: anywhere;
}}
.calibviz-top > .calibviz-waiting {{ border-left-color: {BLUE}; }}
/* The panels then do not show what the controls say. */
.calibviz-top:has(.refused, .calibviz-waiting) ~ .calibviz-body .calibviz-right {{ opacity: 0.4; }}
.calibviz-working {{ position: absolute; top: 0; left: 116px; width: 134px; color: {FAINT}; font-size: 12px; }}
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
  position: absolute; top: 1px; left: 256px; width: 58px; height: 24px; line-height: 24px; font-size: 12px;
  padding: 0 4px; margin: 0;
}}

.calibviz-body {{ display: flex; flex-flow: row wrap; align-items: flex-start; gap: 8px 12px; }}
.calibviz-controls {{ flex: 0 0 {SIDEBAR - 12}px; }}
.calibviz-controls .widget-html {{ border-top: 1px solid {LINE}; margin-top: 8px; padding-top: 4px; }}
.calibviz-controls > .widget-html:first-child {{ border-top: none; margin-top: 0; }}
.calibviz-right {{ flex: 1 1 480px; min-width: 0; container: calibviz-right / inline-size; }}
.calibviz-right > * {{ margin-left: 0; margin-right: 0; }}
@media (min-height: 600px) {{ /* the controls stay beside what they change */
  .calibviz-controls {{ position: sticky; top: 0; max-height: 100vh; overflow-y: auto !important; }}
}}
@container calibviz-explorer (max-width: {NARROW}px) {{
  .calibviz-controls {{
    position: static; flex: 1 1 100%; display: block; columns: {SIDEBAR - 12}px; max-height: none;
    overflow: visible !important;
  }}
  /* The verdict and its numbers come first, then the controls, then the panels that they change. */
  .calibviz-right {{ display: contents; }}
  .calibviz-right > * {{ flex: 1 1 100%; }}
  .calibviz-header, .calibviz-questions, .calibviz-numbers {{ order: -1; }}
  .calibviz-controls > * {{ break-inside: avoid; }}
  .calibviz-controls > .widget-html {{ break-after: avoid; }}
  .calibviz-status, .calibviz-waiting {{ margin-left: 0; }}
}}

.calibviz-header {{ background: {BACK}; z-index: 2; }}
.calibviz-header > * {{ margin: 0 0 2px 0; }}
@media (min-height: 600px) {{ /* what is looked at, and the verdict, stay in sight */
  .calibviz-explorer .calibviz-header {{ position: sticky; top: 0; }}
  body[data-voila] .calibviz-header {{ top: -10px; padding-top: 10px; }} /* what scrolls has so much padding there */
}}
.calibviz-words {{ font-size: 17px; font-weight: 600; }}
.calibviz-words .widget-html-content, .calibviz-advice .widget-html-content,
.calibviz-answer {{ font-weight: 600; }}
.calibviz-answer .widget-html-content, .calibviz-note .widget-html-content {{ white-space: normal; }}
.calibviz-advice .widget-html-content:not(:empty) {{ border-left: 4px solid {BLUE}; padding-left: 8px; }}
.calibviz-explorer
  :is(.calibviz-advice, .calibviz-answer, .calibviz-note, .calibviz-code):has(.widget-html-content:empty) {{
  display: none;
}}
.calibviz-code pre {{
  white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid {LINE}; border-radius: 4px; padding: 8px;
}}

.calibviz-explorer .jupyter-button {{ color: {TEXT}; border-radius: 4px; padding: 0 8px; }}
.calibviz-bar, .calibviz-chooser, .calibviz-leave, .calibviz-chips {{ display: flex; flex-flow: row wrap; }}
.calibviz-questions {{ display: flex; flex-flow: row wrap; gap: 6px; margin: 2px 0 6px 0; }}
.calibviz-explorer .calibviz-questions .jupyter-button {{
  flex: 1 1 190px; height: 34px; line-height: 32px; margin: 0; font-weight: 600; background: transparent;
  border: 1px solid {FAINT};
}}
.calibviz-explorer .calibviz-questions .jupyter-button.mod-active {{
  border-color: {BLUE}; box-shadow: inset 0 -3px 0 0 {BLUE};
}}
.calibviz-bar {{ justify-content: space-between; gap: 0 8px; margin: 4px 0; }}
.calibviz-bar .jupyter-button {{ height: 26px; line-height: 24px; font-size: 12px; }}
.calibviz-chooser .jupyter-button {{ background: transparent; border: 1px solid {LINE}; }}
.calibviz-chooser .jupyter-button.mod-active {{ border-color: {BLUE}; box-shadow: inset 0 -3px 0 0 {BLUE}; }}
.calibviz-explorer .calibviz-chips .jupyter-button {{ height: auto; white-space: normal; text-align: left; }}

/* In Jupyter's dark themes the arrow that ipywidgets draws is black on black. */
.calibviz-explorer .widget-dropdown > select {{
  background-image: linear-gradient(45deg, transparent 50%, {TEXT} 50%),
    linear-gradient(135deg, {TEXT} 50%, transparent 50%);
  background-position: calc(100% - 13px) 50%, calc(100% - 8px) 50%; background-size: 5px 5px;
  background-repeat: no-repeat;
}}
.calibviz-explorer select[multiple] option:checked {{ background: linear-gradient({BLUE}, {BLUE}); color: #fff; }}
.calibviz-explorer :is(.calibviz-confidence, .calibviz-output) .widget-readout {{ min-width: 88px; }}
.calibviz-own-controls {{ display: flex; flex-flow: row wrap; gap: 0 8px; }}
.calibviz-own-controls > .jupyter-widgets {{
  flex: 1 1 190px; width: auto !important; min-width: 0; max-width: 310px;
}}

.calibviz-panels {{
  min-width: 0; display: grid; gap: 8px; grid-auto-flow: dense;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, max(300px, 31%)), 1fr)); /* three columns at most */
}}
/* Four small ones: two by two, not three and a lone one. */
.calibviz-panels:has(> :nth-child(4):last-child):not(:has({WIDE})) {{
  grid-template-columns: repeat(auto-fit, minmax(min(100%, max(300px, 45%)), 1fr));
}}
@container calibviz-explorer (max-width: 1100px) {{ /* a table of eight columns would be cut */
  {rows_as_blocks(".calibviz-numbers")}
}}
@container calibviz-explorer (max-width: 560px) {{
  {rows_as_blocks(":is(.calibviz-panel-segments, .calibviz-panel-decision)")}
}}
@container calibviz-right (min-width: 610px) {{
  {WIDE} {{ grid-column: span 2; }}
}}
.calibviz-explorer .calibviz-panel {{
  border: 1px solid {LINE}; border-radius: 6px; padding: 6px 10px; margin: 0; overflow: hidden; min-width: 0;
}}
.calibviz-panel > .widget-box, .calibviz-panel .bqplot {{ margin: 0; min-width: 0; }}
.calibviz-panel-instances .calibviz-table > div {{ max-height: 520px; }}
.calibviz-panel-segments .calibviz-table > div {{ max-height: 350px; }}
.calibviz-note {{ color: {FAINT}; font-size: 12px; }}
.calibviz-legend {{ color: {FAINT}; font-size: 12px; line-height: 1.5; white-space: normal; }}
.calibviz-legend > span {{ display: inline-block; margin-right: 10px; white-space: nowrap; }}

.calibviz-explorer .bqplot {{
  --bq-axis-tick-text-fill: {FAINT}; --bq-axislabel-fill: {TEXT};
  --bq-axislabel-font: 12px var(--jp-ui-font-family, sans-serif);
  --bq-axis-tick-text-font: 11px var(--jp-ui-font-family, sans-serif);
  --bq-axis-tick-stroke: {LINE}; --bq-grid-color: {LINE}; --bq-axis-path-stroke: none; --bq-axis-rect-stroke: none;
  --bq-content-font-color: {TEXT}; --bq-mainheading-fill: {TEXT}; --bq-plotarea-background-fill: transparent;
}}
.calibviz-explorer .bqplot .axis path.domain {{ stroke: none; }} /* its ends run into the numbers */
.calibviz-tip {{
  position: absolute; z-index: 2; pointer-events: none; padding: 2px 8px; border: 1px solid {LINE}; border-radius: 4px;
  background: {BACK}; color: {TEXT}; font-size: 12px;
}}
.calibviz-explorer .toolbar_div {{ display: none !important; }} /* it covers the corner of confident predictions */
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
:is(.jp-Cell, .jp-Cell-outputWrapper, .jp-OutputArea, .jp-OutputArea-child, .jp-OutputArea-output):has(
  .calibviz-veil
) {{
  overflow: visible; contain: none;
}}
"""
