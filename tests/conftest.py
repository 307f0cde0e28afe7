"""What holds for all tests, and how they are shared out where several processes run them (`make test`)."""

from __future__ import annotations

import functools
import gc
import os
import signal
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING
from unittest.mock import patch

import httpx
import pytest
import sqlalchemy as sa
from hypothesis import settings

from kipflow.adapters.store.columns import dump_json
from tests.examples import examples

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

pytest_plugins = ["tests.databases"]

# A build server asks whether this change is good, so it draws the same examples every time; whoever works
# on the code has new ones drawn at every run, and meets what nobody thought of.
settings.register_profile("kipflow", examples(100), derandomize=bool(os.environ.get("CI")))
settings.load_profile("kipflow")

#: Folders whose tests share one costly thing (a running kipflow, a JVM, Airflow's database), so that one process
#: runs all of them. Other tests go by file, which keeps what a module shares in one process too.
TOGETHER = ("tests/integration/system/", "tests/spark/", "tests/dags/")
#: Folders whose tests all talk to servers or databases: none of them is a fast test.
INTEGRATION = ("tests/integration/", "tests/adversary/")
#: What takes longest begins first, so that no process is left with it in the end when the others are done.
LONGEST_FIRST = ("system", "spark", "airflow", "realdata", "integration", "browser")


def pytest_configure() -> None:
    # who ends the tests as a build server does lets them stop the servers that they have started, as with Ctrl-C
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _authorities_read_once() -> Generator[None]:
    """Each `httpx.get` opens a client, and each client reads whose certificates are trusted, longer than it asks."""
    with patch("httpx._transports.default.create_ssl_context", functools.cache(httpx.create_ssl_context)):
        yield


@pytest.fixture(scope="session", autouse=True)
def _statements_compiled_once() -> Generator[None]:
    """Each engine compiles its statements anew, which takes longer than they run: those of one kind share them."""
    dialects: dict[str, sa.Dialect] = {}
    compiled: dict[object, object] = {}

    def create(create_engine: Callable[..., sa.Engine], url: str | sa.URL, **options: object) -> sa.Engine:
        engine = create_engine(url, **options)
        if options.get("json_serializer") is dump_json:  # a store's
            engine.dialect = dialects.get(engine.name, engine.dialect)
            engine.update_execution_options(compiled_cache=compiled)
            # a dialect is complete once it has seen the database
            sa.event.listen(engine, "connect", lambda *_: dialects.setdefault(engine.name, engine.dialect))
        return engine

    with patch.object(sa, "create_engine", functools.partial(create, sa.create_engine)):
        yield


@pytest.fixture(scope="module", autouse=True)
def _earlier_tests_left_in_peace() -> None:
    """What the tests of other modules left is looked at once: else each fork, which collects first, copies it."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _environment_left_as_it_was() -> Generator[None]:
    """A command's `-C` sets variables for the processes that it starts: the next test must not read them."""
    with patch.dict(os.environ):
        yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Twelve thousand tests live until the end: the garbage collector is to look at none of them again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000)  # as in a command of kipflow
        gc.enable()


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.nodeid.startswith(INTEGRATION):
        item.add_marker(pytest.mark.integration)


def find_share(test: str) -> str:
    """What one process runs as a whole: the test's folder or its file."""
    return next((folder for folder in TOGETHER if test.startswith(folder)), test.partition("::")[0])


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One for each core; one more for all tests, as the one that runs the whole of kipflow mostly waits for it."""
    return (os.cpu_count() or 1) + (not config.option.markexpr)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    from xdist.scheduler import LoadScopeScheduling

    class Shares(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return find_share(nodeid)

    config.option.loadscopereorder = False  # its order is by number of tests, which says nothing of their length
    return Shares(config, log)  # without its log it prints what it does


@pytest.hookimpl(trylast=True)  # marks are set by then
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not hasattr(config, "workerinput"):
        return  # one process runs the tests in the order in which they are written

    def find_rank(item: pytest.Item) -> int:
        marks = {mark.name for mark in item.iter_markers()}
        return next((rank for rank, name in enumerate(LONGEST_FIRST) if name in marks), len(LONGEST_FIRST))

    items.sort(key=find_rank)
