"""When two mailboxes look like one person's: a reason to ask, never a reason to merge them.

Names are compared in Latin letters without accents. Mailboxes that look alike share a key of `find_keys`, so candidates
come from an index by key and not from comparing all pairs.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from kipflow.domain.people import fold_name

#: Letters that no decomposition turns into Latin ones.
_SPELLINGS = (
    "ł=l ø=o đ=d ð=d ı=i ħ=h ŧ=t æ=ae œ=oe þ=th "
    "а=a б=b в=v г=g д=d е=e ё=e ж=zh з=z и=i й=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch "
    "ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya і=i ў=u ґ=g є=ye ї=yi ј=j њ=nj љ=lj ћ=c ђ=dj џ=dz "
    "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o"
)
_LETTERS = str.maketrans(dict(pair.split("=") for pair in _SPELLINGS.split()))

#: Forms of one first name, the formal one first.
_SHORT_FORMS = """
alexander alex sasha aleksandr alexandre, andrew andy drew andrei andrey, anthony tony, barbara barb, benjamin ben,
catherine katherine kate cathy kathy katie, charles charlie chuck, christina tina, christopher chris, daniel dan danny,
david dave, deborah debbie deb, dmitry dmitri dima, donald don, edward ed eddie ted, elizabeth liz beth betty lisa,
eugene gene, frederick fred, gregory greg grigory, james jim jimmy jamie, jeffrey jeff geoffrey geoff,
jennifer jen jenny, jonathan jon, john johnny jack, joseph joe josef, joshua josh, kenneth ken kenny, lawrence larry,
leonard len leo, margaret maggie meg, matthew matt matthias matze, michael mike mikhail misha mick,
nathaniel nathan nate, nicholas nick nicolas, patrick pat, peter pete, philip phil phillip, raymond ray, rebecca becky,
richard rich rick dick, robert bob rob bobby robbie, ronald ron, samuel sam, stephen steven steve stefan,
susan sue susie, theodore theo, thomas tom tommy tomas, timothy tim, victoria vicky, vladimir vova, walter walt,
william bill will billy, zachary zach zack
"""
_FORMAL = {short: forms.split()[0] for forms in _SHORT_FORMS.split(",") for short in forms.split()}

#: Generic mailbox names, which identify nobody.
_GENERIC = re.compile(
    r"admin|apache|asf|contact|dev|email|github|hello|home|info|lists?|mail|mailing|news|office|oss|post|private|public|"
    r"spam|subscribe|tests?|users?|web|webmaster|work"
)
MAX_WORDS, MAX_LETTERS = 8, 40


def romanize(name: str) -> str:
    """A folded name in Latin letters, as far as its script has an alphabet: "Łukasz Żak" → "lukasz zak"."""
    return fold_name(fold_name(name[:200]).translate(_LETTERS))


def is_full_name(name: str) -> bool:
    """Whether a name identifies somebody: at least two words, the first and last not initials."""
    words = fold_name(name).split()
    return len(words) >= 2 and len(words[0]) > 1 and len(words[-1]) > 1


@lru_cache(maxsize=8192)
def find_keys(name: str, address: str) -> frozenset[str]:
    """The index keys of a mailbox: two that `find_likeness` finds alike share one."""
    words, keys = _words(name, address), set[str]()
    if len(words) >= 2:
        keys.add("w " + " ".join(sorted(words)))
        first = _FORMAL.get(words[0], words[0])
        keys.update({f"i {word} {letter}" for word in words[1:] for letter in (words[0][0], first[0])})
        keys.update({f"f {words[0]} {word[0]}" for word in words[1:]})
        letters = "".join(words)[:MAX_LETTERS]
        keys.update({f"d {letters}", *(f"d {letters[:i]}{letters[i + 1 :]}" for i in range(len(letters)))})
        keys.update(f"p {one} {other}" for one, other in pairwise(words))
    elif words:
        keys.add(f"d {words[0][:MAX_LETTERS]}")
    keys.update(f"l {local}" for local in (_local_part(address), _find_handle(name)) if local)
    return frozenset(keys)


def find_likeness(one: tuple[str, str], other: tuple[str, str]) -> str | None:
    """Why two mailboxes (name, address) may be one person's; None if there is no sign of it."""
    ours, theirs = _words(*one), _words(*other)
    if len(ours) >= 2 and len(theirs) >= 2:
        found = _compare_words(ours, theirs)
        if found == "the same name" and fold_name(one[0]) != fold_name(other[0]):
            are_names = all(" " in fold_name(name) for name, _ in (one, other))
            found = "the same name in other letters" if are_names else "the address spells the name"
        if found is not None:
            return found
    elif _is_run_together(ours, theirs):
        return "the same name without blanks"
    found = _compare_addresses(one, other, ours, theirs)
    is_handle = found is None and (_is_handle_of(one, other) or _is_handle_of(other, one))
    return "the name of the one is the other's mailbox name" if is_handle else found


def _compare_words(ours: list[str], theirs: list[str]) -> str | None:
    if ours == theirs:
        return "the same name"
    if sorted(ours) == sorted(theirs):
        return "the same words in another order"
    short, long = sorted((ours, theirs), key=len)
    if len(short) < len(long) and short[0] == long[0] and short[-1] in long[1:] and set(short) < set(long):
        return "the same name with a word more"
    if _names_within(short, long):
        return "the same name within a longer one"
    if _is_initialled(ours, theirs):
        return "initials of the same name"
    if ours[1:] == theirs[1:] and _FORMAL.get(ours[0], ours[0]) == _FORMAL.get(theirs[0], theirs[0]):
        return "a short form of the same first name"
    return "one letter away" if _is_one_letter_away(ours, theirs) else None


def _names_within(short: list[str], long: list[str]) -> bool:
    """Whether one full name is contained in the other, as in "Jane Roe on behalf of John Doe"."""
    starts = range(len(long) - len(short) + 1)
    return all(len(word) > 1 for word in short) and any(long[i : i + len(short)] == short for i in starts)


def _is_run_together(ours: list[str], theirs: list[str]) -> bool:
    """ "JaneDoe": the words may be separated by an invisible character."""
    return {len(ours), len(theirs)} > {1} and "".join(ours) == "".join(theirs) and len("".join(ours)) >= 6


def _find_handle(name: str) -> str:
    """A name of one word, in the form of a mailbox name; "" for any other."""
    words = fold_name(name).split() if "@" not in name else []
    return _local_part(f"{words[0]}@x") if len(words) == 1 else ""


def _is_handle_of(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether one's name is the other's mailbox name, and not just the other's first name."""
    handle = _find_handle(one[0])
    return (
        bool(handle) and handle == _local_part(other[1]) and " " in fold_name(other[0]) and handle not in _words(*other)
    )


def _is_initialled(ours: list[str], theirs: list[str]) -> bool:
    """Whether one is the other with an initial: J. Doe or Jane D. for Jane Doe; "J. D." is too little."""
    outer = ((ours[0], theirs[0]), (ours[-1], theirs[-1]))
    whole = [a == b and len(a) > 1 for a, b in outer]
    cut = [a != b and min(len(a), len(b)) == 1 and a[0] == b[0] for a, b in outer]
    return any(whole) and any(cut)


def _is_one_letter_away(ours: list[str], theirs: list[str]) -> bool:
    """One letter more, less or other, or two neighbours swapped, in a word of three letters or more."""
    if len(ours) != len(theirs):
        return False
    unlike = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
    if len(unlike) != 1 or len("".join(ours)) < 6:
        return False
    short, long = sorted(unlike[0], key=len)
    start = _find_difference(short, long)
    swapped = short[start : start + 2] == long[start : start + 2][::-1] and short[start + 2 :] == long[start + 2 :]
    return len(short) >= 3 and (swapped or is_one_edit(short, long))


def is_one_edit(one: str, other: str) -> bool:
    """Whether two words differ by one letter more, less or other."""
    short, long = sorted((one, other), key=len)
    start = _find_difference(short, long)
    if len(short) == len(long):
        return short[start + 1 :] == long[start + 1 :]
    return len(long) - len(short) == 1 and short[start:] == long[start + 1 :]


def _find_difference(short: str, long: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))


def _compare_addresses(one: tuple[str, str], other: tuple[str, str], ours: list[str], theirs: list[str]) -> str | None:
    local = _local_part(one[1])
    if not local or local != _local_part(other[1]):
        return None
    if one[1].partition("@")[2].casefold() == other[1].partition("@")[2].casefold():
        return "the same mailbox, written otherwise"
    if len(ours) >= 2 and len(theirs) >= 2 and (len(local) < 5 or any(local in w or w in local for w in ours + theirs)):
        return None  # two full names that differ: "jane@" at two places is two Janes
    return "the same mailbox name at another domain"


def _words(name: str, address: str) -> list[str]:
    """The words of a name; if it has fewer than two, those that the address spells ("Jane <jane.doe@…>")."""
    words = romanize(name).split()[:MAX_WORDS] if name and "@" not in name else []
    if len(words) < 2:
        local = address.partition("@")[0].partition("+")[0][:64]
        spelled = re.split(r"[._-]+", local.casefold())[:MAX_WORDS]
        is_whole = not words or (words[0] in spelled and all(len(word) > 1 for word in spelled))
        words = spelled if is_whole and len(spelled) >= 2 and all(w.isalpha() for w in spelled) else words
    return words


def _local_part(address: str) -> str:
    """The part before the @, without tag and punctuation; "" if too short or too common to identify a person."""
    local, _, domain = address.casefold().partition("@")
    plain = re.sub(r"[^\w]+|_", "", local.partition("+")[0][:64])
    return plain if domain and len(plain) >= 4 and not _GENERIC.fullmatch(plain) else ""
