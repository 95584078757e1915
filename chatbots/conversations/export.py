"""A conversation as Markdown, and an answer with its references for the clipboard (C9).

Untrusted text cannot break the document: questions are escaped. In answers, headings move below ours, an open code
block is closed, and HTML, links and definitions become text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from django.utils import timezone
from markdown_it import MarkdownIt

from chatbots.answering.explanations import explain_filling
from chatbots.answering.selected_text import UNTITLED_SELECTION
from chatbots.citations.markers import PLACEHOLDER, blank_out_code, replace_markers
from chatbots.citations.rendering import Quote, make_quote
from chatbots.conversations.disclosure import disclose_answers
from chatbots.models import Chat, Message, MessageSource, Mode
from corpus.reading.formulas import FORMULA

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~$&])")
_BULLET, _NUMBER = re.compile(r"^([-+=])"), re.compile(r"^(\d{1,9})([.)])")
_BREAKING = re.compile(r"(?<!\\)<(?=[A-Za-z/!?])|(?<=\])[(:]")  # begins HTML, a link or a definition
_FOREIGN = re.compile(r"<[A-Za-z/!?]|\][(:]")
_UNDERLINE = re.compile(r"[=-]+[ \t]*$")
_MARKDOWN = MarkdownIt("commonmark").enable("table")
_BLOCKS = MarkdownIt("commonmark").enable("table").disable("inline")  # twenty times faster
_DEEPEST = 3  # lowest level of our own headings


def export_chat(chat: Chat, messages: Sequence[Message]) -> str:
    """The conversation as Markdown: its questions and answers with their references, in order."""
    first = timezone.localtime(messages[0].created_at if messages else chat.created_at)
    parts = [
        f"# {_literal(chat.title)}",
        f"{_literal(chat.chatbot.name if chat.chatbot else UNTITLED_SELECTION)}, {first:%-d %b %Y}",
        f"*{disclose_answers(messages)}*" if messages else "",
    ]
    for number, message in enumerate(messages, start=1):
        parts += [f"## Question {number}", _quoted(message.question), "### Answer", *_answer(message)]
        if message.model_text:
            parts += ["*The model’s own text, without sources:*", _quoted(message.model_text)]
        references = [_reference(source, message) for source in message.sources.all() if source.is_cited]
        if references:
            parts += ["### References", *references]
        parts += list(_other_sources(message))
    return "\n\n".join(part for part in parts if part) + "\n"


def export_answer(message: Message) -> str:
    """An answer with its [n] and the list of the documents they cite."""
    listed = [
        f"[{source.number}] {_defused(', '.join([source.document_title, *_facts(source)]))}"
        for source in message.sources.all()
        if source.is_cited
    ]
    return "\n\n".join([*_answer(message), *(["\n".join(listed)] if listed else [])])


def export_file_name(title: str, *, extension: str = "md", untitled: str = "conversation") -> str:
    """The title as a file name: letters and digits of any script, without special characters."""
    kept = "".join(
        sign if unicodedata.category(sign)[0] in "LMN" or sign in "-_" else " "
        for sign in unicodedata.normalize("NFC", title)
    )
    name = "-".join(kept.split()).strip("-_")
    name = name.encode()[:150].decode(errors="ignore").rstrip("-_")  # systems allow 255 bytes
    return f"{name or untitled}.{extension}"


def _answer(message: Message) -> Iterator[str]:
    if not message.is_finished:
        yield "*The answer is being written.*"
        return
    if message.mode == Mode.GENERAL:
        yield f"*{Mode.GENERAL.label}*"
    if message.is_about_selection:
        yield f"*{Mode.SELECTION.label}*"
    if message.asked_page:
        yield f"*Only from the page “{_literal(message.asked_page['title'])}”*"
    if message.answer:
        yield _contained(_with_verdicts(message))
    if message.doubts:
        words = ", ".join(f"“{_literal(message.answer[start:end])}”" for start, end in message.unfounded)
        yield f"*{message.doubts.replace('(underlined)', f'({words})')}*"
    if message.notice:
        yield f"*{_literal(message.notice)}*"


def _with_verdicts(message: Message) -> str:
    """The answer with ? in weak citations and ✗ in those not found."""
    marks = {"weak": "?", "not found": "✗"}

    def cite(match: re.Match[str]) -> str:
        state, _ = message.support.get(match[2], ("", None))
        return f"[{match[1]}{marks.get(state, '')}]"

    return PLACEHOLDER.sub(cite, replace_markers(re.sub(r"\r\n?", "\n", message.answer)))


def _other_sources(message: Message) -> Iterator[str]:
    rest = [source for source in message.sources.all() if not source.is_cited]
    if message.searched_for:
        yield f"Searched for: {_literal(message.searched_for)}"
    if rest and message.is_finished and message.mode != Mode.REFUSED:
        yield "\n".join(["Also searched, not cited:", "", *(f"- [{one.number}] {_described(one)}" for one in rest)])
    if message.mode != Mode.REFUSED and (filled := explain_filling(message.chosen, message.name_kind)):
        yield _literal(" ".join(filled))
    for kind in message.unavailable:
        yield f"*{message.name_kind(kind).said} could not be searched this time.*"


def _reference(source: MessageSource, message: Message) -> str:
    extract = _extract(make_quote(source, message.answer))
    return f"[{source.number}] {_described(source)}\n\n{_quoted(extract)}"


def _described(source: MessageSource) -> str:
    facts = [f"**{_literal(source.document_title)}**", *map(_literal, _facts(source))]
    return f"{', '.join(facts)} ({source.named_kind.label}, {source.level})"


def _facts(source: MessageSource) -> list[str]:
    facts = [
        f"version {source.version}" if source.version else "",
        f"as of {source.revision}" if source.revision else "",
        source.where,
        source.address,
        "recognised from a scan" * source.is_recognised,
    ]
    return [fact for fact in facts if fact]


def _extract(found: Quote) -> str:
    rows = [" · ".join(f"{head}: {value}" if head else value for head, value in row) for row in found.rows]
    more = [f"and {found.more} more rows"] if found.more else []
    return "\n".join([*rows, *more]) or f"{found.before}{found.marked}{found.after}"


def _defused(text: str) -> str:
    """On one line; escaped if Markdown could read a link, a picture or HTML in it."""
    return _literal(text) if _FOREIGN.search(text) else " ".join(text.split())


def _literal(text: str) -> str:
    """On one line, with all Markdown characters escaped."""
    text = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return _NUMBER.sub(r"\1\\\2", _BULLET.sub(r"\\\1", text))


def _quoted(text: str) -> str:
    """Escaped line by line in a block quotation, indented by no-break spaces, which Markdown keeps."""
    written = [line.rstrip() for line in text.rstrip().strip("\n").splitlines()]
    lines = ["\u00a0" * (len(line) - len(line.lstrip())) + _literal(line) for line in written]
    ends = ["\\" if line and after else "" for line, after in pairwise([*lines, ""])]
    return "\n".join(f"> {line}{end}".rstrip(" ") for line, end in zip(lines, ends, strict=True))


def _contained(text: str) -> str:
    """An answer's Markdown that cannot affect the text after it; a quotation if that fails."""
    escaped = _escaped(text)
    return escaped if _is_contained(escaped) else _quoted(text)


def _escaped(text: str) -> str:
    plain = FORMULA.sub(lambda match: " " * len(match[0]), blank_out_code(text))
    for match in reversed(list(_BREAKING.finditer(plain))):
        text = f"{text[: match.start()]}\\{text[match.start() :]}"
    lines = text.split("\n")
    for token in _BLOCKS.parse("\n".join(lines)):
        first, end = token.map or (0, 0)
        if token.type == "heading_open" and token.markup.startswith("#"):
            deeper = "#" * min(6, len(token.markup) + _DEEPEST)
            lines[first] = lines[first].replace(token.markup, deeper, 1)
        elif token.type == "heading_open":
            lines[end - 1] = _UNDERLINE.sub("", lines[end - 1])
        elif token.type == "fence" and token.level == 0 and end == len(lines):
            is_closed = end - first > 1 and lines[-1].strip().startswith(token.markup)
            lines += [] if is_closed else [token.markup]
    return "\n".join(lines)


def _is_contained(text: str) -> bool:
    """Whether a heading after the text is still one, and the text has no HTML, link or heading as high as ours."""
    after = text.count("\n") + 2
    tokens = _MARKDOWN.parse(f"{text}\n\n# End\n")
    high = [token for token in tokens if token.type == "heading_open" and int(token.tag[1]) <= _DEEPEST]
    kinds = {one.type for token in tokens for one in (token, *(token.children or []))}
    return (
        [token.level for token in high] == [0]
        and high[0].map == [after, after + 1]
        and not kinds & {"html_block", "html_inline", "link_open", "image"}
    )
