"""Who may import whom: the rule of the house, read off the code itself."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]

#: Layer → what its modules may import of kipflow. Longest match of a module's name decides its layer.
ALLOWED: dict[str, set[str]] = {
    "kipflow.domain": {"kipflow.domain"},
    "kipflow.mbox": {"kipflow.mbox"},
    "kipflow.mail": {"kipflow.domain", "kipflow.mail", "kipflow.mbox"},
    "kipflow.wiki": {"kipflow.domain", "kipflow.wiki"},
    # the form of a roster's file is the settings'
    "kipflow.rosters": {"kipflow.domain", "kipflow.rosters", "kipflow.config.roster"},
    "kipflow.services": {
        "kipflow.domain",
        "kipflow.mail",
        "kipflow.mbox",
        "kipflow.wiki",
        "kipflow.rosters",
        "kipflow.services",
    },
    "kipflow.services.ports": {"kipflow.domain", "kipflow.services.ports"},
    # besides ports, the store fulfils the read side of the board
    "kipflow.adapters": {
        "kipflow.domain",
        "kipflow.mbox",
        "kipflow.services.ports",
        "kipflow.services.board",
        "kipflow.adapters",
        "kipflow.config.databaseurl",
        "kipflow.lakeschemas",
    },
    # what a browser may send, to the board and to the sandbox
    "kipflow.posted_forms": {"kipflow.posted_forms"},
    "kipflow.web": {"kipflow.domain", "kipflow.services", "kipflow.posted_forms", "kipflow.web"},
    "kipflow.sandbox": {"kipflow.domain", "kipflow.posted_forms", "kipflow.sandbox"},
    "kipflow.java": {"kipflow.domain", "kipflow.adapters.private"},
    # the lake's shapes, which the store's side and Spark's share
    "kipflow.lakeschemas": {"kipflow.domain"},
    # a machine's settings, and files: nothing of what the files are read for
    "kipflow.config": {"kipflow.domain", "kipflow.config"},
    "kipflow.effect_kinds": {"kipflow.services", "kipflow.wiring"},
    "kipflow.wiring": {
        "kipflow.domain",
        "kipflow.mail",
        "kipflow.services",
        "kipflow.adapters",
        "kipflow.config",
        "kipflow.wiring",
    },
    "kipflow_spark": {"kipflow.domain", "kipflow.mail", "kipflow.mbox", "kipflow.lakeschemas", "kipflow_spark"},
    "spark.jobs": {"kipflow_spark", "kipflow.config"},
    "dags": {
        "kipflow.config",
        "kipflow.effect_kinds",
        "kipflow.wiring",
        "kipflow.services",
        "kipflow.adapters",
        "kipflow.web",
        "kipflow.java",
    },
    "plugins": {"kipflow.config", "kipflow.wiring", "kipflow.services", "kipflow.adapters", "kipflow.web"},
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


class Code(NamedTuple):
    """What the rules ask of a module's code."""

    imports: frozenset[str]
    #: lines that read a clock
    clocks: list[int]
    long_functions: list[str]
    public_names: list[str]


@functools.cache
def read_code(source: str) -> Code:
    """All of it at once: to parse the whole of kipflow takes longer than any rule."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    return Code(
        imports=frozenset(find_imports(nodes)),
        clocks=list(find_clocks(nodes)),
        long_functions=list(find_long_functions(nodes)),
        public_names=list(find_public_names(tree)),
    )


def find_imports(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@functools.cache
def imports(path: Path) -> frozenset[str]:
    return read_code(path.read_text(encoding="utf-8")).imports


def is_in(name: str, layer: str) -> bool:
    return name == layer or name.startswith(layer + ".")


def layer_of(name: str) -> str | None:
    matches = [layer for layer in ALLOWED if is_in(name, layer)]
    return max(matches, key=len) if matches else None


MODULES = dict(modules())


def test_every_layer_of_the_rule_exists() -> None:
    missing = [layer for layer in ALLOWED if not any(is_in(name, layer) for name in MODULES)]
    assert not missing


def find_libraries(name: str) -> set[str]:
    return {i.split(".")[0] for i in imports(MODULES[name])}


def test_every_module_has_a_layer() -> None:
    outside = [name for name in MODULES if layer_of(name) is None and name != "kipflow"]
    assert [name for name in outside if not any(is_in(name, free) for free in EVERYTHING)] == []


def find_wrong_imports(name: str, layer: str) -> set[str]:
    own = {i for i in imports(MODULES[name]) if is_in(i, "kipflow") or is_in(i, "kipflow_spark") or is_in(i, "dags")}
    # the package itself carries the version and nothing else
    return {i for i in own if i != "kipflow.__version__" and not any(is_in(i, ok) for ok in ALLOWED[layer])}


def test_a_module_imports_only_what_its_layer_may() -> None:
    layers = {name: layer for name in MODULES if (layer := layer_of(name)) is not None}
    wrong = {name: found for name, layer in layers.items() if (found := find_wrong_imports(name, layer))}
    assert len(layers) > 200
    assert wrong == {}, "module: what its layer must not import"


def test_domain_and_boxes_need_only_the_standard_library() -> None:
    inner = [name for name in MODULES if is_in(name, "kipflow.domain") or is_in(name, "kipflow.mbox")]
    foreign = {name: find_libraries(name) - {"kipflow"} - sys.stdlib_module_names for name in inner}
    assert len(inner) > 20
    assert {name: found for name, found in foreign.items() if found} == {}


def test_a_layer_does_not_know_the_libraries_of_another() -> None:
    known = {
        (name, library)
        for name in MODULES
        for layer, libraries in FORBIDDEN.items()
        if is_in(name, layer)
        for library in find_libraries(name) & libraries
    }
    assert known == set()


def test_the_rule_reads_what_modules_import() -> None:
    assert "sqlalchemy" in {library for name in MODULES for library in find_libraries(name)}
    assert find_wrong_imports("kipflow.cli", "kipflow.domain"), "the command line as a module of the rules is refused"


def test_only_the_launcher_knows_the_sandbox() -> None:
    users = {n for n, p in MODULES.items() if any(is_in(i, "kipflow.sandbox") for i in imports(p))}
    strangers = {n for n in users if not is_in(n, "kipflow.sandbox") and not is_in(n, "kipflow.launcher")}
    assert not strangers


#: Folders of rules: time is an argument there.
TIMELESS = ("kipflow.domain", "kipflow.mbox", "kipflow.mail", "kipflow.wiki", "kipflow.rosters", "kipflow.services")
CLOCKS = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")} | {
    ("time", "time"),
    ("time", "monotonic"),
}


def find_clocks(nodes: Sequence[ast.AST]) -> Iterator[int]:
    for node in nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and (node.func.value.id, node.func.attr) in CLOCKS
        ):
            yield node.lineno


def test_no_rule_reads_a_clock() -> None:
    timeless = [name for name in MODULES if name.startswith(TIMELESS)]
    read = {name: read_code(MODULES[name].read_text(encoding="utf-8")).clocks for name in timeless}
    assert len(timeless) > 150
    assert {name: lines for name, lines in read.items() if lines} == {}, "module: lines that read a clock"
    assert read_code("a = 1\nb = datetime.now(UTC)\nc = time.time()").clocks == [2, 3]


def test_plugins_and_config_hold_no_importable_code_of_their_own() -> None:
    assert not list((ROOT / "config").rglob("*.py"))
    for path in (ROOT / "plugins").rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 150, f"{path.name}: registration only"


#: The most lines that a module and a function may have.
LONGEST_MODULE, LONGEST_FUNCTION = 250, 40
Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def count_lines(node: Defined) -> int:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return (node.end_lineno or first) - first + 1


def find_inner(node: ast.AST) -> Iterator[Defined]:
    """The functions and classes right within a node, however deep below its other statements."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Defined):
            yield child
        else:
            yield from find_inner(child)


def count_own_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Those of a function besides its decorators and docstring, and besides functions within it: each counts alone."""
    own = (function.end_lineno or function.lineno) - function.lineno + 1
    if ast.get_docstring(function) is not None:
        own -= (function.body[0].end_lineno or 0) - function.body[0].lineno + 1
    return own - sum(map(count_lines, find_inner(function)))


def find_long_functions(nodes: Sequence[ast.AST]) -> Iterator[str]:
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    # nearly all are so short that what counts of their lines need not be found out
    long = (f for f in functions if (f.end_lineno or f.lineno) - f.lineno >= LONGEST_FUNCTION)
    return (f.name for f in long if count_own_lines(f) > LONGEST_FUNCTION)


def test_no_module_and_no_function_is_long() -> None:
    texts = {name: path.read_text(encoding="utf-8") for name, path in MODULES.items()}
    assert {n: lines for n, text in texts.items() if (lines := len(text.splitlines())) > LONGEST_MODULE} == {}
    assert {name: found for name, text in texts.items() if (found := read_code(text).long_functions)} == {}


def test_a_function_is_measured_without_its_docstring_and_the_functions_within_it() -> None:
    filler = "\n".join(f"    a{i} = {i}" for i in range(39))
    inner = "    @cached\n    def inner():\n        return 1\n"
    fits = f'def fits():\n    """Says\n    much."""\n{inner}{filler}\n'
    assert read_code(fits).long_functions == []
    assert read_code(f"{fits}    more = 1\n").long_functions == ["fits"]


#: Defined for those who read the program from outside: Airflow finds its plugin by the class, tests list every bound.
FOR_OTHERS = {"KipflowPlugin", "KipflowImports", "LIMITS", "GAPS", "SCHEMA_FILE"}


def find_public_names(tree: ast.Module) -> Iterator[str]:
    """What a module defines for others; a decorator uses what it decorates."""
    for node in tree.body:
        if isinstance(node, Defined) and not node.decorator_list:
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_nothing_is_defined_that_only_tests_use() -> None:
    others = [p for kind in ("html", "yaml", "toml") for p in (ROOT / "kipflow").rglob(f"*.{kind}")]
    tools = (ROOT / "tools").rglob("*.py")
    texts = {path: path.read_text(encoding="utf-8") for path in (*MODULES.values(), *others, *tools)}
    words = Counter(word for text in texts.values() for word in re.findall(r"\w+", text))
    public = {name for path in MODULES.values() for name in read_code(texts[path]).public_names if name[0] != "_"}
    assert len(public) > 1000
    assert {name for name in public if words[name] == 1} - FOR_OTHERS == set(), "used by nothing, or by tests only"
