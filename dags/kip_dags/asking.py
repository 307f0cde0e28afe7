"""The operator that asks a person through Airflow's required actions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar, NoReturn
from uuid import UUID

from airflow.configuration import conf
from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.sdk import BaseOperatorLink, Context, Param
from airflow.sdk.exceptions import AirflowSkipException, TaskDeferred
from airflow.sdk.execution_time.hitl import upsert_hitl_detail
from kipflow_waiting import UNANSWERED_BEFORE, SettledElsewhere

from kip_dags.parts import log, open_parts
from kipflow.services import asking
from kipflow.services.desk import MAX_REASON, ActContext, say_done
from kipflow.services.ruling_checks import BadRuling
from kipflow.wiring import open_desk

_ENDED = {
    "settled": "settled elsewhere; the board shows by whom",
    "unanswered": f"nobody answered for {asking.PATIENCE}; the next run asks again",
}


class ProposalLink(BaseOperatorLink):
    """Link from the task to its proposal on the board, or to the outbox."""

    name = "On the board"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:  # noqa: ARG002  Airflow's signature
        return operator.address


class AskPerson(HITLOperator):
    """Asks, and performs the answer: the same act, by the same rules, as the board's button.

    A question settled elsewhere ends the task as skipped. A refused answer (a reason is missing, say) is logged, and
    the question stays open. Whoever may answer this DAG's required actions may also settle on the board.
    """

    #: The shown text quotes mails: it must never be rendered as a template.
    template_fields = ()
    operator_extra_links: ClassVar[Any] = (ProposalLink(),)

    def __init__(
        self, *, key: str, title: str, text: str, path: str, answers: list[str], needs_reason: bool, **kwargs: Any
    ) -> None:
        self.key, self.address = key, f"{conf.get('api', 'base_url', fallback='').rstrip('/')}/kipflow/{path}"
        # Airflow does not validate the reason; the act does
        said = "Why: shown in the proposal's timeline" if needs_reason else "Why: needed to refuse"
        kind = "string" if needs_reason else ["null", "string"]
        reason = Param("", type=kind, title="Reason", description=said, maxLength=MAX_REASON)
        body = "\n\n".join([*map(fence, text.splitlines()), f"[See the evidence on the board]({self.address})"])
        limit = kwargs.pop("execution_timeout", None)  # the base class would use it as the time to answer
        super().__init__(subject=title, body=body, options=answers, params={"reason": reason}, **kwargs)
        self.execution_timeout = limit

    def execute(self, context: Context) -> NoReturn:
        task = context["task_instance"]
        if task.try_number > 1:
            # the answer may have been given to a failed attempt: asking again would remove it
            self._wait(answered=str(task.id))
        self._ask(task.id)

    def _ask(self, task_id: UUID) -> NoReturn:
        upsert_hitl_detail(
            ti_id=task_id,
            options=self.options,
            subject=self.subject,
            body=self.body,
            defaults=None,
            multiple=False,
            params=self.serialized_params,
        )
        self._wait()

    def _wait(self, *, answered: str | None = None) -> NoReturn:
        until = datetime.now(UTC) + asking.PATIENCE
        raise TaskDeferred(trigger=SettledElsewhere(self.key, until, answered), method_name="execute_complete")

    def execute_complete(self, context: Context, event: Mapping[str, Any]) -> list[str]:
        ended = event.get("ended")
        if ended == UNANSWERED_BEFORE:
            self._ask(context["task_instance"].id)
        if ended:
            raise AirflowSkipException(_ENDED[ended])
        parts = open_parts()
        who = event["responded_by_user"]["name"]
        by = ActContext(author=who, reason=str((event["params_input"] or {}).get("reason", "")), at=parts.clock())
        try:
            done = asking.answer(open_desk(parts), self.key, event["chosen_options"][0], by)
        except BadRuling as error:
            log.error("the answer of %s is not taken: %s; the question stays open", who, error)
            self._ask(context["task_instance"].id)
        if done is None:
            if context["task_instance"].try_number == 1:
                raise AirflowSkipException(_ENDED["settled"])
            # Airflow may try an answered task again although it did what was answered
            log.info("settled: by the attempt before this one, or elsewhere; the board shows by whom")
            return []
        lines = say_done(done, parts.community.prefix)
        log.info("%s", "\n".join(lines))
        return lines


def fence(line: str) -> str:
    """A line in a fenced block, shown verbatim. Airflow's page joins several lines of one block."""
    bar = "`" * max(3, 1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{bar}\n{line}\n{bar}"
