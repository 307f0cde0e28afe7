"""What a community's template asks of a page (`pages` in its file)."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from kipflow.config.values import StrictModel, Url, once
from kipflow.domain.pagefaults import SectionNorm

Words = Annotated[str, Field(min_length=1, max_length=500)]


class SectionConfig(StrictModel):
    """A section of the template: its heading, beginnings of words under which authors write it too, and what the
    template says below it."""

    title: Words
    also: tuple[Words, ...] = ()
    text: tuple[Words, ...] = ()
    required: bool = True


class PagesConfig(StrictModel):
    """Fields and sections that pages have, where the template is another than Kafka's.

    `seen` is the day on which somebody last read them at `url`; None: nobody has yet, `note` says what is known.
    """

    url: Url
    seen: date | None = None
    note: str = ""
    fields: Annotated[tuple[Literal["state", "discussion", "jira"], ...], AfterValidator(once)]
    sections: Annotated[tuple[SectionConfig, ...], Field(min_length=1)]

    def as_norms(self) -> tuple[SectionNorm, ...]:
        """The sections as the domain knows them."""
        return tuple(SectionNorm(title=s.title, also=s.also, text=s.text, required=s.required) for s in self.sections)
