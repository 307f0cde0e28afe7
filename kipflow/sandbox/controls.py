"""The sandbox's own endpoints: health, clock, faults."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from kipflow.sandbox.clock import parse_step
from kipflow.sandbox.faults import parse_faults
from kipflow.sandbox.parts import Json, Now, TheClock, TheFaults

router = APIRouter()


@router.get("/health")
async def health(now: Now) -> dict[str, str]:
    return {"status": "ok", "now": _iso(now)}


@router.get("/clock")
async def read_clock(now: Now) -> dict[str, str]:
    return {"now": _iso(now)}


@router.post("/clock")
async def advance_clock(clock: TheClock, given: Json) -> Response:
    speed = _find(given, "speed")
    try:
        now = clock.run_at(float(str(speed))) if speed else clock.advance(parse_step(str(_find(given, "advance"))))
    except ValueError as error:
        return JSONResponse({"error": str(error)}, 422)
    return JSONResponse({"now": _iso(now)})


@router.get("/faults")
async def list_faults(faults: TheFaults) -> Response:
    return JSONResponse({"rules": faults.describe()})


@router.post("/faults")
async def add_faults(faults: TheFaults, given: Json) -> Response:
    try:
        faults.add(parse_faults(str(_find(given, "rule") or "")))
    except ValueError as error:
        return JSONResponse({"error": str(error)}, 422)
    return JSONResponse({"rules": faults.describe()})


@router.delete("/faults")
async def clear_faults(faults: TheFaults) -> Response:
    faults.clear()
    return JSONResponse({"rules": []})


def _find(given: object, name: str) -> object:
    return given.get(name) if isinstance(given, dict) else None


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
