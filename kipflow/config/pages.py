"""What a community's template asks of a page (`pages` in its file)."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from kipflow.config.values import StrictModel, Url, unique
from kipflow.domain.pagefaults import SectionNorm

Words = Annotated[str, Field(min_length=1, max_length=500)]


class SectionConfig(StrictModel):
    """A section of the template."""

    title: Words
    """Its heading."""
    also: tuple[Words, ...] = ()
    """Beginnings of words under which authors write it too."""
    text: tuple[Words, ...] = ()
    """What the template says below it."""
    required: bool = True
    """Whether a page must have it."""


class PagesConfig(StrictModel):
    """Fields and sections that pages have, where the template is another than Kafka's."""

    url: Url
    """Where the template is."""
    seen: date | None = None
    """The day on which somebody last read it there; left out: nobody has yet."""
    note: str = ""
    """What is known, or could not be verified."""
    fields: Annotated[tuple[Literal["state", "discussion", "jira"], ...], AfterValidator(unique)]
    """The fields that a page must name."""
    sections: Annotated[tuple[SectionConfig, ...], Field(min_length=1)]
    """The sections that a page has."""

    def as_norms(self) -> tuple[SectionNorm, ...]:
        """The sections as the domain knows them."""
        return tuple(SectionNorm(title=s.title, also=s.also, text=s.text, required=s.required) for s in self.sections)
