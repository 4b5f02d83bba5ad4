"""Small instructions that change a source that is not ours: after, before or in the place of some code these lines.

The code, the anchor, is found by its words: spaces, line breaks, comments and, as in CMake, capitals make no
difference. An anchor that is not there, or there more than once, raises EditError, which names the source and it.
"""

import re


class EditError(Exception):
    pass


class Edit:
    def __init__(self, place, anchor, lines):
        self.place, self.anchor, self.lines = place, anchor, lines

    def pattern(self):
        words = re.findall(r"\w+|[^\w\s]", self.anchor)
        pattern = re.escape(words[0])
        for before, word in zip(words, words[1:]):
            space = r"\s+" if before[-1].isalnum() and word[0].isalnum() else r"\s*"
            pattern += space + re.escape(word)
        return (r"(?<!\w)" if words[0][0].isalnum() else "") + pattern + (r"(?!\w)" if words[-1][-1].isalnum() else "")

    def apply(self, text, source):
        """Whole lines are inserted, with the indentation of the anchor's first line."""
        found = list(re.finditer(self.pattern(), without_comments(text), re.IGNORECASE))
        if len(found) != 1:
            how_often = "is not there" if not found else f"is there {len(found)} times"
            raise EditError(f"{source}: the code '{self.anchor}' {how_often}; expected once. Is this another version of"
                            " deal.II's examples?")
        begin, end = found[0].span()
        first = text.rfind("\n", 0, begin) + 1
        last = text.find("\n", end) + 1 or len(text)
        indent = re.match(r"[ \t]*", text[first:]).group()
        new = "".join(f"{indent}{line}\n" for line in self.lines)
        if self.place == "after":
            return text[:last] + new + text[last:]
        return text[:first] + new + text[last if self.place == "replace" else first:]


class Either:
    """Several lists of edits, of which the first is made whose anchors are all there."""

    def __init__(self, alternatives):
        self.alternatives = alternatives

    @property
    def lines(self):
        return [line for edit in self.alternatives[0] for line in edit.lines]

    def apply(self, text, source):
        failures = []
        for edits in self.alternatives:
            try:
                return apply(text, edits, source)
            except EditError as error:
                failures.append(error)
        raise failures[0]


def either(*alternatives):
    return Either([edits if isinstance(edits, list) else [edits] for edits in alternatives])


def after(anchor, *lines):
    return Edit("after", anchor, lines)


def before(anchor, *lines):
    return Edit("before", anchor, lines)


def replace(anchor, *lines):
    """The lines of the anchor go; without new lines they are only removed."""
    return Edit("replace", anchor, lines)


def without_comments(text):
    """The text of C++ or CMake with spaces in the place of comments, and no other length. A `#` is CMake's only where
    a space or the end of the line follows."""
    blank = lambda found: re.sub(r"[^\n]", " ", found.group())
    return re.sub(r"//[^\n]*|/\*.*?\*/|#+(?=\s)[^\n]*", blank, text, flags=re.DOTALL)


def apply(text, edits, source):
    for edit in edits:
        text = edit.apply(text, source)
    return text


def added(edits):
    """How many lines a user writes for these edits."""
    return sum(len(edit.lines) for edit in edits)
