"""Who may import whom: the rule of the house, read off the code itself."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

#: Layer → what its modules may import of kipflow. Longest match of a module's name decides its layer.
ALLOWED: dict[str, set[str]] = {
    "kipflow.domain": {"kipflow.domain"},
    "kipflow.mbox": {"kipflow.mbox"},
    "kipflow.mail": {"kipflow.domain", "kipflow.mail", "kipflow.mbox"},
    "kipflow.wiki": {"kipflow.domain", "kipflow.wiki"},
    "kipflow.rosters": {"kipflow.domain", "kipflow.rosters"},
    "kipflow.services": {
        "kipflow.domain",
        "kipflow.mail",
        "kipflow.mbox",
        "kipflow.wiki",
        "kipflow.rosters",
        "kipflow.services",
    },
    "kipflow.services.ports": {"kipflow.domain"},
    # besides ports, the store fulfils the board's read side
    "kipflow.adapters": {
        "kipflow.domain",
        "kipflow.mbox",
        "kipflow.services.ports",
        "kipflow.services.board",
        "kipflow.adapters",
        "kipflow.databaseurl",
    },
    "kipflow.web": {"kipflow.domain", "kipflow.services", "kipflow.web"},
    "kipflow.sandbox": {"kipflow.domain", "kipflow.sandbox"},
    "kipflow.java": {"kipflow.domain"},
    "kipflow.configfile": {"kipflow.domain"},
    "kipflow.databaseurl": {"kipflow.domain"},
    "kipflow.configvalues": {"kipflow.domain"},
    "kipflow.configpages": {"kipflow.domain", "kipflow.configvalues"},
    "kipflow.configchecks": {"kipflow.domain", "kipflow.configvalues", "kipflow.settings"},
    "kipflow.settings": {
        "kipflow.domain",
        "kipflow.configchecks",
        "kipflow.configfile",
        "kipflow.configpages",
        "kipflow.configvalues",
        "kipflow.databaseurl",
    },
    "kipflow.wiring": {"kipflow.domain", "kipflow.mail", "kipflow.services", "kipflow.adapters", "kipflow.settings"},
    "kipflow_spark": {"kipflow.domain", "kipflow.mail", "kipflow.mbox", "kipflow_spark"},
    "spark.jobs": {"kipflow_spark", "kipflow.settings"},
    "dags": {
        "kipflow.settings",
        "kipflow.wiring",
        "kipflow.services",
        "kipflow.adapters",
        "kipflow.web",
        "kipflow.java",
    },
    "plugins": {"kipflow.settings", "kipflow.wiring", "kipflow.services", "kipflow.adapters", "kipflow.web"},
}
#: Entry points may import everything, the sandbox only the launcher (and tests).
EVERYTHING = ("kipflow.cli", "kipflow.commands", "kipflow.launcher")

#: Layer → third-party packages it must not know.
FORBIDDEN: dict[str, set[str]] = {
    "kipflow.mail": {"airflow", "pyspark", "sqlalchemy", "httpx", "fastapi", "slack_sdk"},
    "kipflow.wiki": {"airflow", "pyspark", "sqlalchemy", "httpx", "fastapi", "slack_sdk"},
    "kipflow.rosters": {"airflow", "pyspark", "sqlalchemy", "httpx", "fastapi", "slack_sdk"},
    "kipflow.services": {"airflow", "pyspark", "sqlalchemy", "httpx", "fastapi", "slack_sdk", "lxml"},
    "kipflow.adapters": {"airflow", "pyspark", "fastapi"},
    "kipflow.web": {"airflow", "pyspark", "sqlalchemy", "httpx"},
    "kipflow.sandbox": {"airflow", "pyspark", "sqlalchemy"},
    "kipflow_spark": {"airflow", "sqlalchemy", "httpx"},
}


def modules() -> Iterator[tuple[str, Path]]:
    for folder, start in (("kipflow", ROOT), ("dags", ROOT), ("plugins", ROOT), ("spark", ROOT)):
        for path in sorted((start / folder).rglob("*.py")):
            name = ".".join(path.relative_to(start).with_suffix("").parts).removesuffix(".__init__")
            if name.startswith("spark.kipflow_spark"):
                name = name.removeprefix("spark.")
            yield name, path


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def is_in(name: str, layer: str) -> bool:
    return name == layer or name.startswith(layer + ".")


def layer_of(name: str) -> str | None:
    matches = [layer for layer in ALLOWED if is_in(name, layer)]
    return max(matches, key=len) if matches else None


MODULES = dict(modules())


def test_every_layer_of_the_rule_exists() -> None:
    missing = [layer for layer in ALLOWED if not any(is_in(name, layer) for name in MODULES)]
    assert not missing


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_imports_only_what_its_layer_may(name: str) -> None:
    layer = layer_of(name)
    if layer is None:
        assert name == "kipflow" or any(is_in(name, free) for free in EVERYTHING), f"{name} has no layer"
        return
    own = {i for i in imports(MODULES[name]) if is_in(i, "kipflow") or is_in(i, "kipflow_spark") or is_in(i, "dags")}
    # the package itself carries the version and nothing else
    wrong = {i for i in own if i != "kipflow.__version__" and not any(is_in(i, ok) for ok in ALLOWED[layer])}
    assert not wrong, f"{name} is of {layer} and must not import {sorted(wrong)}"


@pytest.mark.parametrize("name", sorted(n for n in MODULES if is_in(n, "kipflow.domain") or is_in(n, "kipflow.mbox")))
def test_domain_and_boxes_need_only_the_standard_library(name: str) -> None:
    roots = {i.split(".")[0] for i in imports(MODULES[name])} - {"kipflow"}
    assert roots <= sys.stdlib_module_names, sorted(roots - sys.stdlib_module_names)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_layer_does_not_know_the_libraries_of_another(name: str) -> None:
    for layer, libraries in FORBIDDEN.items():
        if is_in(name, layer):
            roots = {i.split(".")[0] for i in imports(MODULES[name])}
            assert not roots & libraries


def test_only_the_launcher_knows_the_sandbox() -> None:
    users = {n for n, p in MODULES.items() if any(is_in(i, "kipflow.sandbox") for i in imports(p))}
    strangers = {n for n in users if not is_in(n, "kipflow.sandbox") and not is_in(n, "kipflow.launcher")}
    assert not strangers


@pytest.mark.parametrize(
    "name",
    sorted(
        n
        for n in MODULES
        if n.startswith(
            ("kipflow.domain", "kipflow.mbox", "kipflow.mail", "kipflow.wiki", "kipflow.rosters", "kipflow.services")
        )
    ),
)
def test_no_rule_reads_a_clock(name: str) -> None:
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    clocks = {"now", "utcnow", "today"}
    read = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (
            (
                node.func.attr in clocks
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id in {"datetime", "date"}
            )
            or (
                node.func.attr in {"time", "monotonic"}
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "time"
            )
        )
    ]
    assert not read, f"{name} reads a clock in line {read}: time is an argument"


def test_plugins_and_config_hold_no_importable_code_of_their_own() -> None:
    assert not list((ROOT / "config").rglob("*.py"))
    for path in (ROOT / "plugins").rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 150, f"{path.name}: registration only"
