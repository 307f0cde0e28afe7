"""Acts on effects: release, hold, refuse, roll back, or confirm that one was sent."""

from __future__ import annotations

from shlex import quote

from kipflow.services.board import Board
from kipflow.services.desk import ActContext, Desk, Done, Values
from kipflow.services.ports import Session
from kipflow.services.ports.effects import EDITS, REFUSED_BY, RETRACTS, TAKES_BACK, WARNS, Effect, EffectAct, OutboxRow
from kipflow.services.ruling_checks import BadRuling


def load_effects(board: Board, status: str) -> list[OutboxRow]:
    """All effects of a status, oldest first."""
    return list(reversed(board.effects(status=status, limit=None).rows))


def release(desk: Desk, values: Values, context: ActContext) -> Done:
    with desk.store.begin() as session:
        if not session.outbox.release(values["key"], by=context.author, at=context.at):
            settled = _say_settled(session.outbox.find(values["key"]))
            raise BadRuling(f"no effect {values['key']!r} waits for approval{settled}")
        _note(session, "release", context, values["key"])
    return Done(said=f"released; the next delivery sends it, and until then {_say_hold(values['key'])} stops it")


def _say_settled(effect: OutboxRow | None) -> str:
    """Who settled an effect that no longer waits, as a clause; "" if nobody did."""
    if effect is None:
        return ""
    if effect.is_refused:
        return f": {effect.last_error}"
    return f": {effect.released_by} let it go" if effect.released_by else ""


def release_several(desk: Desk, values: Values, context: ActContext) -> Done:
    """Approve several effects; those that somebody else settled meanwhile are counted."""
    with desk.store.begin() as session:
        gone = [k for k in values["picked"] if not session.outbox.release(k, by=context.author, at=context.at)]
        _note(session, "release", context, *(k for k in values["picked"] if k not in gone))
    released = len(values["picked"]) - len(gone)
    if not released:
        raise BadRuling("none of these waits for approval any more")
    others = [f"{len(gone)} waited no more"] if gone else []
    return Done(said="; ".join([f"{released} released, the next delivery sends them", *others]))


def hold(desk: Desk, values: Values, context: ActContext) -> Done:
    """Make an effect wait for a person that is about to be sent, even if approved, or that was refused."""
    said = context.checked()
    with desk.store.begin() as session:
        if not session.outbox.hold(values["key"], why=f"held by {said.author}: {said.reason}", at=context.at):
            raise BadRuling(f"no effect {values['key']!r} is about to be sent or refused, or it may be out already")
        _note(session, "hold", context, values["key"])
    return Done(said="held; it is not sent before somebody approves it")


def refuse(desk: Desk, values: Values, context: ActContext) -> Done:
    """Keep a waiting effect from being sent, unless somebody holds it again. Retractions and dormancy warnings are
    settled by a ruling instead: they stay due as long as they are true."""
    said = context.checked()
    with desk.store.begin() as session:
        effect = session.outbox.find(values["key"])
        if effect is not None and RETRACTS in effect.payload:
            raise BadRuling("it says that an acceptance does not hold: set the stage, or let it be known")
        if effect is not None and WARNS in effect.payload:
            raise BadRuling("it warns of a silence: snooze the proposal instead")
        if not session.outbox.withdraw([values["key"]], why=f"{REFUSED_BY} {said.author}: {said.reason}", updates=True):
            raise BadRuling(f"no effect {values['key']!r} waits, or it may have gone out already{_say_settled(effect)}")
        _note(session, "refuse", context, values["key"])
    return Done(said=f"refused; it is not sent, and {_say_hold(values['key'])} lets it wait again")


def roll_back(desk: Desk, values: Values, context: ActContext) -> Done:
    """Roll a saved edit of a page back: the version before it is saved again, if nobody saved the page since."""
    said = context.checked()
    with desk.store.begin() as session:
        effect = session.outbox.find(values["key"])
        if effect is None or effect.channel not in EDITS or effect.status != "sent" or effect.is_undoing:
            raise BadRuling(f"{values['key']!r} is no edit of a page that was saved")
        if not desk.effects.sends:
            raise BadRuling("this installation runs dry: nothing is saved")
        page_id, _, version = str(effect.external_ref).rpartition("@")
        text = f"take back version {version} of page {page_id}, says {said.author}: {said.reason}"
        payload = {"page_id": page_id, TAKES_BACK: int(version), "undoes": effect.key, "text": text}
        undo = Effect(key=f"{effect.key}/rollback", number=effect.number, channel=effect.channel, payload=payload)
        if not session.outbox.enqueue([undo], now=context.at):
            raise BadRuling("somebody had it taken back already")
        _note(session, "rollback", context, effect.key)
    return Done(said="it is taken back by the next delivery, unless somebody saves the page before")


def confirm_sent(desk: Desk, values: Values, context: ActContext) -> Done:
    with desk.store.begin() as session:
        if not session.outbox.confirm_sent(values["key"], by=context.author, at=context.at):
            raise BadRuling(f"of effect {values['key']!r} nobody asks whether it was sent")
        _note(session, "sent", context, values["key"])
    return Done(said="noted; it is not sent again")


def _say_hold(key: str) -> str:
    return f'`kipflow review hold {quote(key)} --reason "…"` or the outbox'


def _note(session: Session, act: str, context: ActContext, *keys: str) -> None:
    """Note who acted on the effects and why, for the proposal's timeline."""
    said = EffectAct(act=act, by=context.author, reason=" ".join(context.reason.split()), at=context.at)
    for key in keys:
        session.outbox.note_act(key, said)
