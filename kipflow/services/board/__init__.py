"""What the board, the CLI and reports read: frozen views and the `Board` Protocol that gives them.

The store fulfils `Board` by SQL, with a number of queries that does not depend on the number of rows.
Everything shown is what the last decision on each proposal *recorded* (`decided_at`); nothing is judged
anew here, so the board never shows a stage that the history doesn't hold. `as_of` only bounds what is
shown: nothing recorded later than it. All times are aware UTC; texts are raw and must be escaped where
they are shown.
"""

from __future__ import annotations

from kipflow.services.board.lists import (
    BoardRow,
    Metrics,
    MissingVoters,
    MonthCoverage,
    Overview,
    PageOf,
    RecentTransition,
    RowQuery,
    Sort,
    VoteClock,
    Waiting,
)
from kipflow.services.board.proposal import (
    DriftRow,
    ProposalView,
    RecordedTransition,
    ReviewRow,
    SenderBallot,
    SenderRow,
    ThreadCount,
    UnreadableRow,
    VoterRow,
)
from kipflow.services.board.reading import Board, BoardStore
