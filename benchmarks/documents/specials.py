"""Files that no markup describes: text boxes, forms, columns, comments, hidden columns, page labels and so on."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def write_nfd(path: Path, spec: Mapping[str, Any]) -> None:
    """Write a text with each accent as a sign of its own, as macOS does."""
    path.write_text(unicodedata.normalize("NFD", spec["text"]), encoding="utf-8")


def write_raw(path: Path, spec: Mapping[str, Any]) -> None:
    """Write a text as it stands."""
    path.write_text(spec["text"], encoding="utf-8")


def write_text_box(path: Path, spec: Mapping[str, Any]) -> None:
    import docx
    from docx.oxml import parse_xml

    document = docx.Document()
    document.add_heading(spec["title"])
    paragraph = document.add_paragraph(spec["text"])
    box = (
        f'<w:r {_W} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
        'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
        'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
        'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        '<mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><a:graphic><a:graphicData '
        'uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:txbx><w:txbxContent>'
        f"<w:p><w:r><w:t>{spec['box']}</w:t></w:r></w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData>"
        "</a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>"
        f"<w:p><w:r><w:t>{spec['box']}</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    paragraph._p.append(parse_xml(box))
    document.save(str(path))


def write_header(path: Path, spec: Mapping[str, Any]) -> None:
    import docx

    document = docx.Document()
    section = document.sections[0]
    section.header.paragraphs[0].text = spec["header"]
    section.footer.paragraphs[0].text = spec["footer"]
    document.add_heading(spec["title"])
    document.add_paragraph(spec["text"])
    document.save(str(path))


def write_clauses(path: Path, spec: Mapping[str, Any]) -> None:
    """Number clauses by a list of several levels: “%1.”, “%1.%2”. A line that begins with a tab is on the second."""
    import docx
    from docx.oxml import OxmlElement, parse_xml
    from docx.oxml.ns import qn

    document = docx.Document()
    numbering = document.part.numbering_part.element
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="{text}"/></w:lvl>'
        for level, text in enumerate(["%1.", "%1.%2"])
    )
    numbering.insert(0, parse_xml(f'<w:abstractNum {_W} w:abstractNumId="90">{levels}</w:abstractNum>'))
    numbering.append(parse_xml(f'<w:num {_W} w:numId="90"><w:abstractNumId w:val="90"/></w:num>'))
    document.add_heading(spec["title"])
    for line in spec["lines"]:
        paragraph = document.add_paragraph(line.strip())
        properties = paragraph._p.get_or_add_pPr()
        number = OxmlElement("w:numPr")
        for name, value in (("w:ilvl", str(int(line.startswith("\t")))), ("w:numId", "90")):
            child = OxmlElement(name)
            child.set(qn("w:val"), value)
            number.append(child)
        properties.append(number)
    document.save(str(path))


def write_formula(path: Path, spec: Mapping[str, Any]) -> None:
    """Write a paragraph that ends with a formula of Office's own markup."""
    import docx
    from docx.oxml import parse_xml

    document = docx.Document()
    document.add_heading(spec["title"])
    for text, formula in spec["formulas"]:
        math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
        document.add_paragraph(f"{text} ")._p.append(parse_xml(f"<m:oMath {math}>{formula}</m:oMath>"))
    document.save(str(path))


def write_columns(path: Path, spec: Mapping[str, Any]) -> None:
    """Draw two columns line by line."""
    page = _canvas(path)
    page.drawString(60, 780, spec["title"])
    for number, (left, right) in enumerate(zip(spec["left"], spec["right"], strict=True)):
        page.drawString(60, 740 - 16 * number, left)
        page.drawString(320, 740 - 16 * number, right)
    page.save()


def write_lines(path: Path, spec: Mapping[str, Any]) -> None:
    """Draw lines of text as they are."""
    page = _canvas(path)
    for number, line in enumerate(spec["lines"]):
        page.drawString(60, 780 - 16 * number, line)
    page.save()


def write_watermark(path: Path, spec: Mapping[str, Any]) -> None:
    page = _canvas(path)
    page.saveState()
    page.setFont("Helvetica-Bold", 80)
    page.setFillGray(0.85)
    page.translate(150, 300)
    page.rotate(45)
    page.drawString(0, 0, spec["mark"])
    page.restoreState()
    page.setFont("Helvetica-Bold", 20)
    page.drawString(60, 780, spec["title"])
    page.setFont("Helvetica", 11)
    for number, line in enumerate(spec["lines"]):
        page.drawString(60, 740 - 16 * number, line)
    page.save()


def write_sideways(path: Path, spec: Mapping[str, Any]) -> None:
    """Draw a ruled table turned by 90 degrees on an upright page."""
    from reportlab.lib import colors
    from reportlab.platypus import Table

    page = _canvas(path)
    page.drawString(60, 800, spec["title"])
    page.translate(300, 200)
    page.rotate(90)
    table = Table(spec["rows"], colWidths=110, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
    table.wrapOn(page, 500, 300)
    table.drawOn(page, 0, 0)
    page.save()


def write_form(path: Path, spec: Mapping[str, Any]) -> None:
    page = _canvas(path)
    page.drawString(60, 800, spec["title"])
    for number, (label, value) in enumerate(spec["fields"]):
        page.drawString(60, 760 - 30 * number, label)
        page.acroForm.textfield(name=f"field{number}", value=value, x=240, y=752 - 30 * number, width=240, height=20)
    page.save()


def write_sheets(path: Path, spec: Mapping[str, Any]) -> None:
    """Write the cells of a sheet, with hidden columns and comments."""
    from openpyxl import Workbook
    from openpyxl.comments import Comment

    book = Workbook()
    sheet: Any = book.active
    sheet.title = spec.get("title", "Sheet")
    for i, row in enumerate(spec["rows"], 1):
        for j, cell in enumerate(row, 1):
            if cell != "":
                sheet.cell(i, j).value = cell
    for area in spec.get("merged", []):
        sheet.merge_cells(area)
    for column in spec.get("hidden_columns", []):
        sheet.column_dimensions[column].hidden = True
    for cell, text in spec.get("comments", {}).items():
        sheet[cell].comment = Comment(text, "Office")
    book.save(path)


def _canvas(path: Path) -> Any:
    from reportlab.pdfgen.canvas import Canvas

    return Canvas(str(path), invariant=1)


BUILDERS: dict[str, Callable[[Path, Mapping[str, Any]], None]] = {
    "nfd": write_nfd, "raw": write_raw, "text_box": write_text_box, "header": write_header, "clauses": write_clauses,
    "formula": write_formula, "columns": write_columns, "lines": write_lines, "watermark": write_watermark,
    "sideways": write_sideways, "form": write_form, "sheets": write_sheets,
}  # fmt: skip
