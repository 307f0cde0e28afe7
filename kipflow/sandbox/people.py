"""The people of the sandbox community: all invented, with the addresses and habits that make mail odd.

`config/rosters/sandbox.yaml` is rendered from this table (a test holds the two together).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

#: Every address that is not the community's own ends in ".example", so nothing here can reach anybody.
COMMUNITY_DOMAIN = "sandbox.example"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleHeld:
    """A role in the community's record; `until` is exclusive, None means still held."""

    role: str
    since: date
    until: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resident:
    """Someone who writes on the list.

    `emails` are in order of use: the first is what they mostly write from. `roles` empty means that
    the roster does not know them. `zone` is their offset from UTC in minutes, `quoting` how they answer
    ("top", "bottom", "inline"), `signature` the lines under their mails.
    """

    id: str
    name: str
    emails: tuple[str, ...]
    roles: tuple[RoleHeld, ...] = ()
    aliases: tuple[str, ...] = ()
    zone: int = 0
    quoting: str = "top"
    signature: tuple[str, ...] = ()

    @property
    def first_name(self) -> str:
        return self.name.split()[0]

    @property
    def in_roster(self) -> bool:
        return bool(self.roles)


def _pmc(committer: int, pmc: int) -> tuple[RoleHeld, ...]:
    return (RoleHeld(role="pmc", since=date(pmc, 5, 1)), RoleHeld(role="committer", since=date(committer, 2, 1)))


def _committer(since: int) -> tuple[RoleHeld, ...]:
    return (RoleHeld(role="committer", since=date(since, 9, 15)),)


def _emeritus(since: int, until: int) -> tuple[RoleHeld, ...]:
    return (RoleHeld(role="committer", since=date(since, 3, 1), until=date(until, 4, 1)),)


_CONTRIBUTOR = (RoleHeld(role="contributor", since=date(2023, 1, 1)),)

RESIDENTS: tuple[Resident, ...] = (
    # PMC members
    Resident(
        id="amaro",
        name="Ines Amaro",
        emails=("amaro@sandbox.example", "ines.amaro@tidewater.example"),
        roles=_pmc(2014, 2016),
        signature=("Ines",),
        zone=60,
    ),
    Resident(
        id="bvogel",
        name="Bertil Vogel",
        emails=("bvogel@sandbox.example", "bertil@vogelwerk.example"),
        roles=_pmc(2013, 2014),
        aliases=("B. Vogel",),
        quoting="inline",
        signature=("Bertil Vogel", "Sandpiper PMC"),
        zone=120,
    ),
    Resident(
        id="nakagawa",
        name="Tomo Nakagawa",
        emails=("nakagawa@sandbox.example", "tomo@kumoworks.example"),
        roles=_pmc(2015, 2018),
        signature=("--", "Tomo Nakagawa", "Kumoworks, storage team"),
        zone=540,
    ),
    Resident(
        id="lokafor",
        name="Leila Okafor",
        emails=("lokafor@sandbox.example", "leila.okafor@brightharbor.example"),
        roles=_pmc(2016, 2019),
        quoting="bottom",
        zone=60,
    ),
    Resident(
        id="jsorensen",
        name="Jens Sørensen",
        emails=("jsorensen@sandbox.example", "jens@fjordlabs.example"),
        roles=_pmc(2016, 2020),
        aliases=("Jens Soerensen",),
        signature=("Jens",),
        zone=60,
    ),
    Resident(
        id="pkeller",
        name="Petra Keller",
        emails=("pkeller@sandbox.example", "petra.keller@quarrysoft.example"),
        roles=_pmc(2017, 2020),
        quoting="inline",
        signature=("-- ", "Petra Keller", "Quarrysoft GmbH", "Tel. +1 (408) 555-0172"),
        zone=60,
    ),
    Resident(
        id="dmwangi",
        name="Daudi Mwangi",
        emails=("dmwangi@sandbox.example", "daudi@savannadata.example"),
        roles=_pmc(2018, 2021),
        signature=("Thanks,", "Daudi"),
        zone=180,
    ),
    Resident(
        id="rquint",
        name="Rosa Quintanilla",
        emails=("rquint@sandbox.example", "rosa@mesaqueue.example"),
        roles=_pmc(2018, 2022),
        signature=("Rosa Q.",),
        zone=-360,
    ),
    # committers
    Resident(
        id="hfarrow",
        name="Hal Farrow",
        emails=("hfarrow@sandbox.example", "hal.farrow@northpine.example"),
        roles=_committer(2018),
        quoting="bottom",
        signature=("cheers", "hal"),
        zone=-300,
    ),
    Resident(
        id="vpetrova",
        name="Vesela Petrova",
        emails=("vpetrova@sandbox.example", "vesela@rosegate.example"),
        roles=_committer(2019),
        signature=("Best,", "Vesela"),
        zone=120,
    ),
    Resident(
        id="szhao",
        name="Zhao Shu",
        emails=("szhao@sandbox.example", "zhaoshu@paperlantern.example"),
        roles=_committer(2020),
        aliases=("赵书",),
        zone=480,
    ),
    Resident(
        id="gbellamy",
        name="Guy Bellamy",
        emails=("gbellamy@sandbox.example", "guy.bellamy@castellan.example"),
        roles=_committer(2020),
        quoting="inline",
        signature=("Guy",),
        zone=0,
    ),
    Resident(
        id="nrao",
        name="Nandita Rao",
        emails=("nrao@sandbox.example", "nandita.rao@monsoonio.example"),
        roles=_committer(2021),
        signature=("Regards,", "Nandita"),
        zone=330,
    ),
    Resident(
        id="kolsen",
        name="Kari Olsen",
        emails=("kolsen@sandbox.example", "kari@skerry.example"),
        roles=_committer(2022),
        signature=("/Kari",),
        zone=60,
    ),
    Resident(
        id="mtembo",
        name="Mwila Tembo",
        emails=("mtembo@sandbox.example", "mwila.tembo@copperline.example"),
        roles=_committer(2023),
        zone=120,
    ),
    # emeritus: listed, but no longer binding
    Resident(
        id="woconnor",
        name="Will O'Connor",
        emails=("woconnor@sandbox.example", "will@oconnor.example"),
        roles=_emeritus(2014, 2022),
        signature=("Will",),
        zone=-420,
    ),
    Resident(
        id="ylevi",
        name="Yael Levi",
        emails=("ylevi@sandbox.example",),
        roles=_emeritus(2015, 2021),
        zone=120,
    ),
    # contributors whom the roster knows
    Resident(
        id="acastell",
        name="Ana Castell",
        emails=("ana@castell.example", "ana.castell@brightharbor.example"),
        roles=_CONTRIBUTOR,
        quoting="inline",
        signature=("Ana",),
        zone=60,
    ),
    Resident(
        id="fdiallo",
        name="Fatou Diallo",
        emails=("fatou.diallo@savannadata.example",),
        roles=_CONTRIBUTOR,
        signature=("Thank you,", "Fatou"),
    ),
    Resident(id="okim", name="Oliver Kim", emails=("oliver.kim@northpine.example",), roles=_CONTRIBUTOR, zone=-480),
    # contributors whom it does not know
    Resident(id="eborg", name="Elin Borg", emails=("elin@skerry.example",), signature=("-- ", "Elin Borg"), zone=60),
    Resident(
        id="rmalik",
        name="Rehan Malik",
        emails=("rehan.malik@monsoonio.example", "rehan@malik.example"),
        signature=("Rehan",),
        zone=300,
    ),
    Resident(
        id="cschmidt",
        name="Carla Schmidt-Lund",
        emails=("c.schmidt-lund@quarrysoft.example",),
        quoting="bottom",
        signature=("-- ", "Carla Schmidt-Lund | Staff Engineer | Quarrysoft", "phone: +1 (503) 555-0119"),
        zone=60,
    ),
    Resident(id="pnovak", name="Pavel Novák", emails=("pavel.novak@rosegate.example",), zone=60),
    Resident(id="sgreene", name="Sam Greene", emails=("sam.greene@tidewater.example",), signature=("Sam",), zone=-300),
    Resident(id="zabadi", name="Zaynab Abadi", emails=("zaynab@paperlantern.example",), zone=180),
    Resident(id="lhughes", name="Lowri Hughes", emails=("lowri.hughes@castellan.example",), quoting="bottom"),
    Resident(id="imoreau", name="Iris Moreau", emails=("iris.moreau@vogelwerk.example",), zone=60),
)

PEOPLE: dict[str, Resident] = {person.id: person for person in RESIDENTS}


def render_roster() -> str:
    """The roster file of the story: everybody in the community's record, in YAML."""
    lines = [
        "# Who is who in the sandbox community. Rendered from kipflow/sandbox/people.py; a test compares them.",
        "source: invented",
        "people:",
    ]
    for person in RESIDENTS:
        if not person.in_roster:
            continue
        lines.append(f"  - id: {person.id}")
        lines.append(f'    name: "{person.name}"')
        if person.aliases:
            lines.append(f"    aliases: [{', '.join(chr(34) + a + chr(34) for a in person.aliases)}]")
        lines.append(f"    emails: [{', '.join(person.emails)}]")
        roles = [
            f"{{role: {r.role}, since: {r.since}" + (f", until: {r.until}" if r.until else "") + "}"
            for r in person.roles
        ]
        lines.append(f"    roles: [{', '.join(roles)}]")
    return "\n".join(lines) + "\n"
