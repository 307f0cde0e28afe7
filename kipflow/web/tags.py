"""Tags of what was read: whoever has the same already gets a 304 instead of the whole again."""

from __future__ import annotations

import hashlib
import re

from fastapi import Request, Response

#: What differs each time though nothing is new: the second of the answer, and the token of a form.
_OF_THE_MOMENT = re.compile(
    rb'<time data-now datetime="[^"]*">|name="token" value="[^"]*"|^{"schema":[0-9]+,"as_of":"[^"]*"'
)


async def with_tag(request: Request, response: Response) -> Response:
    """The answer with its `ETag`, or 304 where the reader has it; only what was read whole and well has one."""
    if request.method != "GET" or response.status_code != 200 or "etag" in response.headers:
        return response
    if not hasattr(response, "body_iterator"):
        return response
    body = b"".join([bytes(part) async for part in response.body_iterator])
    tag = f'W/"{hashlib.sha256(_OF_THE_MOMENT.sub(b"", body)).hexdigest()[:32]}"'
    headers = {**response.headers, "etag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers={k: v for k, v in headers.items() if not k.startswith("content-")})
    return Response(body, headers=headers)
