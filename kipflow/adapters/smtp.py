"""A mail server that accepts mail for a list. Its errors distinguish refused mail from mail that may be accepted."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from kipflow.domain.errors import Refused, ServiceUnavailable

#: Seconds for one answer of the server.
_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SmtpMailer:
    """A server. `security`: "starttls", "tls" (from the first byte), or "none"."""

    host: str
    port: int
    security: str
    user: str = ""
    password: str = field(default="", repr=False)
    timeout: float = _TIMEOUT

    def send(self, mail: bytes, *, sender: str, recipient: str) -> None:
        """Raises `ServiceUnavailable` if the mail was handed over, but the answer was lost, and `Refused` otherwise."""
        with self._open() as server:
            self._expect(server.mail(sender), f"takes no mail from {sender}")
            self._expect(server.rcpt(recipient), f"takes no mail for {recipient}")
            try:
                answer = server.data(mail)
            except smtplib.SMTPDataError:
                raise  # refused before the mail was sent
            except (OSError, smtplib.SMTPException) as error:
                why = f"the mail was handed over, and the answer is lost ({type(error).__name__})"
                raise ServiceUnavailable(service="mail", url=self.url, why=why) from None
            self._expect(answer, "does not take this mail")
            with suppress(OSError, smtplib.SMTPException):
                server.quit()

    @property
    def url(self) -> str:
        return f"{self.host}:{self.port}"

    @contextmanager
    def _open(self) -> Iterator[smtplib.SMTP]:
        """A connection after greeting, encryption and login. Any error on it means that no mail was accepted."""
        context = ssl.create_default_context()
        try:
            if self.security == "tls":
                server: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=self.timeout, context=context)
            else:
                server = smtplib.SMTP(self.host, self.port, timeout=self.timeout)
        except (OSError, smtplib.SMTPException) as error:
            raise self._refuse(_describe(error)) from None
        try:
            server.ehlo_or_helo_if_needed()
            if self.security == "starttls":
                server.starttls(context=context)
                server.ehlo()
            if self.user:
                server.login(self.user, self.password)
            yield server
        except (OSError, smtplib.SMTPException) as error:
            raise self._refuse(_describe(error)) from None
        finally:
            server.close()

    def _expect(self, answer: tuple[int, bytes], otherwise: str) -> None:
        code, text = answer
        if code not in {250, 251}:
            raise self._refuse(f"{otherwise}: {code} {_as_line(text)}")

    def _refuse(self, why: str) -> Refused:
        return Refused(service="mail", url=self.url, why=why)


def _describe(error: Exception) -> str:
    """Describes an error without the data that was sent, which errors of smtplib may contain."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return f"user or password was refused ({error.smtp_code})"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"answered {error.smtp_code} {_as_line(error.smtp_error)}"
    return f"{type(error).__name__}: {error}"[:200]


def _as_line(text: bytes | str) -> str:
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return " ".join(said.split())[:200]
