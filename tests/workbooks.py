"""Workbooks as Excel and OpenDocument have them, written part by part."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
ODF = "urn:oasis:names:tc:opendocument:xmlns"


def write_zip(path: Path, parts: dict[str, str | bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(name, content)


def column(place: int) -> str:
    return (column(place // 26 - 1) if place >= 26 else "") + chr(65 + place % 26)


def cell(value: object, at: str) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return f'<c r="{at}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        return f'<c r="{at}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{at}"><v>{value!r}</v></c>'


def rows_of(table: dict[str, list]) -> str:
    rows = [list(table), *zip(*table.values(), strict=True)]
    return "".join(
        f'<row r="{i}">{"".join(cell(value, f"{column(j)}{i}") for j, value in enumerate(row))}</row>'
        for i, row in enumerate(rows, start=1)
    )


def xlsx_parts(sheets: dict[str, str], prologue: str = "") -> dict[str, str | bytes]:
    """The parts of a workbook whose sheets hold these rows of XML."""
    numbered = list(enumerate(sheets.items(), start=1))
    kinds = "".join(
        f'<Override PartName="/xl/worksheets/sheet{k}.xml" ContentType="{KIND}.worksheet+xml"/>' for k, _ in numbered
    )
    named = "".join(f'<sheet name={quoteattr(name)} sheetId="{k}" r:id="r{k}"/>' for k, (name, _) in numbered)
    links = "".join(
        f'<Relationship Id="r{k}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{k}.xml"/>' for k, _ in numbered
    )
    return {
        "[Content_Types].xml": f'{HEAD}<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>{kinds}</Types>',
        "_rels/.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{named}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{links}</Relationships>',
        **{
            f"xl/worksheets/sheet{k}.xml": f'{HEAD}{prologue}<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData>'
            "</worksheet>"
            for k, (_, rows) in numbered
        },
    }


def write_xlsx(path: Path, sheets: dict[str, dict[str, list]]) -> None:
    write_zip(path, xlsx_parts({name: rows_of(table) for name, table in sheets.items()}))


def ods_cell(value: object, more: str = "") -> str:
    if isinstance(value, str):
        return f'<table:table-cell office:value-type="string"{more}><text:p>{escape(value)}</text:p></table:table-cell>'
    return f'<table:table-cell office:value-type="float" office:value="{value!r}"{more}/>'


def ods_parts(rows: str) -> dict[str, str | bytes]:
    names = " ".join(f'xmlns:{name}="{ODF}:{name}:1.0"' for name in ("office", "table", "text", "manifest"))
    media = "application/vnd.oasis.opendocument.spreadsheet"
    return {
        "mimetype": media,
        "META-INF/manifest.xml": f"{HEAD}<manifest:manifest {names}>"
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{media}"/></manifest:manifest>',
        "content.xml": f"{HEAD}<office:document-content {names}><office:body><office:spreadsheet>"
        f'<table:table table:name="S">{rows}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>",
    }


def write_ods(path: Path, table: dict[str, list]) -> None:
    rows = [list(table), *zip(*table.values(), strict=True)]
    write_zip(
        path,
        ods_parts("".join(f"<table:table-row>{''.join(map(ods_cell, row))}</table:table-row>" for row in rows)),
    )
