"""The style sheet of the Explorer: colours follow JupyterLab's and Voila's theme, light or dark."""

from __future__ import annotations

TEXT = "var(--jp-ui-font-color1, #212121)"
FAINT = "var(--jp-ui-font-color2, #595959)"
LINE = "var(--jp-border-color2, #d0d0d0)"

STYLE_SHEET = f"""<style>
.calibviz-explorer {{
  --bq-axis-tick-text-fill: {TEXT}; --bq-axislabel-fill: {TEXT}; --bq-axis-tick-stroke: {FAINT};
  --bq-axis-path-stroke: {FAINT}; --bq-axis-rect-stroke: none; --bq-grid-color: {LINE}; --bq-font: {TEXT};
  --bq-content-font-color: {TEXT}; --bq-mainheading-fill: {TEXT};
  color: {TEXT};
}}
.calibviz-explorer .bqplot text.axislabel {{ fill: {TEXT}; font-size: 12px; }}
.calibviz-explorer .bqplot .tick text {{ fill: {TEXT}; }}
.calibviz-explorer .bqplot .plotarea_background {{ fill: transparent; }}
.calibviz-explorer .bqplot .axis path.domain {{ stroke: none; }} /* its ends run into the numbers */
.calibviz-explorer .widget-dropdown > select {{ /* the arrow of ipywidgets is black on black in dark themes */
  background-image: linear-gradient(45deg, transparent 50%, {TEXT} 50%),
    linear-gradient(135deg, {TEXT} 50%, transparent 50%);
  background-position: calc(100% - 13px) 50%, calc(100% - 8px) 50%; background-size: 5px 5px;
  background-repeat: no-repeat;
}}
.calibviz-explorer .bqplot .tick line.grid {{ stroke: {LINE}; }}
.calibviz-explorer .toolbar_div {{ display: none !important; }} /* it covers the corner of confident predictions */
.calibviz-explorer .widget-html-content {{ line-height: 1.4; }}
.calibviz-body {{ flex-flow: row wrap; align-items: flex-start; }}
.calibviz-controls {{ flex: 0 0 324px; padding-right: 12px; }}
.calibviz-controls h3, .calibviz-panel h3 {{ font-size: 14px; font-weight: 600; margin: 6px 0 2px 0; }}
.calibviz-confidence .widget-readout {{ min-width: 88px; }}
.calibviz-right {{ flex: 1 1 480px; min-width: 0; }}
.calibviz-right > * {{ margin-right: 0; }}
.calibviz-words {{ font-size: 16px; font-weight: 600; }}
.calibviz-words .widget-html-content, .calibviz-advice .widget-html-content,
.calibviz-note .widget-html-content {{ white-space: normal; }}
.calibviz-advice .widget-html-content:not(:empty) {{ border-left: 4px solid #0072B2; padding-left: 8px; }}
.calibviz-note {{ color: {FAINT}; font-size: 12px; }}
.calibviz-chooser, .calibviz-leave, .calibviz-chips {{ display: flex; flex-flow: row wrap; }}
.calibviz-chooser {{ flex: 1 1 auto; }}
.calibviz-explorer .calibviz-chips .jupyter-button {{ height: auto; white-space: normal; text-align: left; }}
.calibviz-explorer .jupyter-button {{ color: {TEXT}; }}
.calibviz-explorer .jupyter-button.mod-active {{
  background: var(--jp-layout-color0, #fff); box-shadow: inset 0 -3px 0 0 #0072B2; font-weight: 600;
}}
.calibviz-own-controls {{ display: flex; flex-flow: row wrap; gap: 0 8px; }}
.calibviz-code pre {{ white-space: pre-wrap; overflow-wrap: anywhere; max-height: 300px; overflow: auto; }}
.calibviz-panels {{
  min-width: 0; display: grid; gap: 8px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, max(320px, 31%)), 1fr)); /* three columns at most */
}}
.calibviz-panel-comparison, .calibviz-panel-instances {{ grid-column: span 2; }}
@media (max-width: 1100px) {{
  .calibviz-panel-comparison, .calibviz-panel-instances {{ grid-column: auto; }}
}}
.calibviz-panel {{ border: 1px solid {LINE}; border-radius: 4px; padding: 4px 8px; overflow: hidden; }}
.calibviz-numbers {{ margin-bottom: 8px; }}
.calibviz-legend {{ color: {FAINT}; font-size: 12px; line-height: 1.5; white-space: normal; }}
.calibviz-legend > span {{ display: inline-block; margin-right: 10px; white-space: nowrap; }}
.calibviz-status {{
  min-height: 1.4em; font-weight: 600; position: sticky; top: 0; z-index: 2; background: var(--jp-layout-color0, #fff);
}}
.calibviz-working {{ height: 1.6em; color: {FAINT}; }}
.calibviz-status:has(.refused) ~ .calibviz-body .calibviz-right {{ opacity: 0.4; }} /* not what the controls say */
.calibviz-status .refused {{ border-left: 4px solid #D55E00; padding-left: 8px; }}
</style>"""
