"""Draws the package diagram in `docs/how-it-works.md` from the imports."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("kipflow", "dags", "plugins", "spark")


def render_packages(edges: Mapping[str, set[str]] | None = None) -> str:
    """Packages (default: the current ones) as a mermaid graph, without arrows that follow from others."""
    edges = edges or find_edges()
    arrows = [f"  {one} --> {other}\n" for one in sorted(edges) for other in sorted(find_direct(one, edges))]
    return f"```mermaid\nflowchart TD\n{''.join(arrows)}```\n"


def find_direct(package: str, edges: Mapping[str, set[str]]) -> set[str]:
    """The imports of a package that are not also reached through its other imports (transitive reduction)."""
    near = edges[package]
    return {one for one in near if not any(one in find_reached(other, edges) for other in near - {one})}


def find_reached(package: str, edges: Mapping[str, set[str]]) -> set[str]:
    """All packages that a package imports, directly or indirectly."""
    reached, ahead = set[str](), [package]
    while ahead:
        new = edges.get(ahead.pop(), set()) - reached
        reached |= new
        ahead += new
    return reached


@cache
def find_edges() -> dict[str, set[str]]:
    """Each package → the packages that its modules import."""
    edges: defaultdict[str, set[str]] = defaultdict(set)
    for path in (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))):
        package = name_package(".".join(path.relative_to(ROOT).with_suffix("").parts))
        edges[package] |= {name_package(name) for name in read_imports(path)} - {package, "kipflow"}
    return {package: used for package, used in edges.items() if package != "kipflow"}


def read_imports(path: Path) -> Iterator[str]:
    """The kipflow names (modules or their members) that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] in {*FOLDERS, "kipflow_spark", "kip_dags"})


def name_package(module: str) -> str:
    """The package of a module as shown in the diagram: "services.ports" for `kipflow.services.ports.store`."""
    first, *rest = module.split(".")
    if first != "kipflow":
        return "spark" if first == "kipflow_spark" else "dags" if first == "kip_dags" else first
    if rest[:2] == ["services", "ports"]:
        return "services.ports"
    return rest[0] if rest and rest[0] not in {"__init__", "__version__"} else "kipflow"
