"""The `kipflow` command: names, help and the handling of errors. The commands are in `kipflow.commands`.

Exit codes: 0 all is well, 1 something wrong was found, 2 the command could not run. An error is one
line on stderr that says what to do, a wrong file a line for each fault; `KIPFLOW_DEBUG=1` adds the traceback.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import traceback

import click

from kipflow import __version__
from kipflow.adapters.private import PRIVATE
from kipflow.commands.invocation import with_program
from kipflow.config.settings import load_instance_variables, read_settings
from kipflow.domain.errors import KipflowError
from kipflow.domain.texts import as_printable

#: Command → its module and function, and its line in `kipflow --help`. Loaded when used: `kipflow votes` must not wait
#: for SQLAlchemy or Airflow.
COMMANDS = {
    "init": ("config:init", "Write the files of a new community."),
    "config": ("config:config", "Check a community's files."),
    "up": ("run:up", "Start Airflow with its board (and the sandbox), and run the DAGs."),
    "down": ("run:down", "Stop everything that `up` started."),
    "votes": ("votes:votes", "Print every vote in mail files, with its ballots. Needs no database."),
    "ingest": ("facts:ingest", "Store the mails of files."),
    "poll": ("facts:poll", "Store new mails from the archive."),
    "sync": ("facts:sync", "Store wiki pages, their versions and JIRA's releases."),
    "advance": ("decisions:advance", "Decide, and record the transitions."),
    "status": ("status:status", "The board as a table, or one proposal with its evidence."),
    "index": ("publishing:index", "The round-up of all proposals, in four formats."),
    "result": ("publishing:result", "Draft the mail that announces a vote's result."),
    "site": ("publishing:site", "Write the public site into a folder."),
    "new": ("pages:new", "Take the next number and write the page."),
    "lint": ("pages:lint", "Name the faults of proposal pages."),
    "diff": ("pages:diff", "What changed on a proposal's page."),
    "review": ("review:review", "List what waits for a person, and settle it."),
    "roster": ("roster:roster", "Who is who, and whose ballots bind since when."),
    "deliver": ("run:deliver", "Send what the outbox holds."),
    "metrics": ("run:metrics", "Run the Spark job over the history; print the summary."),
    "replay": ("decisions:replay", "Rebuild history from the facts and compare."),
}
#: Word that is no command, though somebody may try it → the hint to print.
_MEANT = {
    "explain": "there is no command 'explain': `kipflow votes FILE --explain` says why lines of mails are no votes, "
    "`kipflow status NUMBER` what a proposal's stage rests on",
    "undo": "there is no command 'undo': `kipflow ingest --undo BATCH` takes files out again, `kipflow review revoke` "
    "a ruling back",
}


class _Commands(click.Group):
    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            raise click.exceptions.NoSuchCommand(cmd_name, _MEANT.get(cmd_name), possibilities=COMMANDS, ctx=ctx)
        place, _ = COMMANDS[cmd_name]
        module, _, name = place.partition(":")
        command = getattr(importlib.import_module(f"kipflow.commands.{module}"), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{place} is not a command")
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="kipflow")
@click.option("--community", "-C", metavar="NAME|FILE", help="The community (default: $KIPFLOW_COMMUNITY or sandbox).")
def cli(community: str | None) -> None:
    """Run an open-source community's improvement proposals from its own mail and wiki."""
    if community:
        os.environ["KIPFLOW_COMMUNITY"] = community
    # the variables of a sandbox that `up` started; the caller's own take precedence
    settings = read_settings()
    if settings.community == "sandbox":
        for name, value in load_instance_variables(settings.home).items():
            os.environ.setdefault(name, value)


def main(arguments: list[str] | None = None) -> None:
    """Entry point of the `kipflow` script. Files that it and its child processes create are private."""
    os.umask(PRIVATE)
    collect_garbage_rarely()
    sys.exit(run(arguments))


def collect_garbage_rarely() -> None:
    """Run the garbage collector rarely: a command keeps most objects."""
    gc.set_threshold(100_000)


def run(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        result = cli.main(args=arguments, prog_name="kipflow", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)  # the help itself, which has many lines
        return 2
    except BrokenPipeError:
        # the reader of a pipe ended (`kipflow votes … | head`)
        sys.stdout = None
        return 0
    except (KeyboardInterrupt, Exception) as error:
        # the last line of defence: an unreachable database, or a bug
        return _fail(_describe(error), *getattr(error, "__notes__", ()))


def _name_argument(error: click.UsageError) -> click.UsageError:
    """The error with an argument's plain name: click would print it with all choices."""
    if isinstance(error, click.BadParameter) and isinstance(error.param, click.Argument) and not error.param_hint:
        shown = error.param.metavar or ""
        name = shown if shown and "|" not in shown else (error.param.name or "").upper()
        error.param_hint = name.strip("[]….")
    return error


def _describe(error: BaseException) -> str:
    """What went wrong, in one line that says what to do."""
    kind = f"{type(error).__module__}.{type(error).__name__}"
    match error:
        case click.Abort() | KeyboardInterrupt():
            return "stopped"
        case click.exceptions.NoSuchOption() | click.exceptions.NoSuchCommand() if error.possibilities:
            return f"{error.message} Did you mean {error.possibilities[0]!r}?"
        case click.exceptions.NoSuchOption() if error.ctx:
            options = [max(p.opts, key=len) for p in error.ctx.command.params if isinstance(p, click.Option)]
            return f"{error.message} {error.ctx.command_path} has {', '.join([*options, '--help'])}"
        case click.UsageError():
            where = error.ctx.command_path if error.ctx else "kipflow"
            return f"{_name_argument(error).format_message().rstrip('.')} (see {where} --help)"
        case click.ClickException():
            return error.format_message()
        case KipflowError():
            return str(error)
        case OSError():
            return f"{error.strerror or error}: {error.filename or 'input or output'}"
        case _ if kind.startswith("sqlalchemy."):
            first = str(getattr(error, "orig", None) or error).splitlines()[0]
            return f"the database does not answer as it should: {first}; is KIPFLOW_DATABASE_URL right?"
    return f"an unexpected fault ({kind}: {error}); please report it; KIPFLOW_DEBUG=1 shows where it arose"


def _fail(*messages: str) -> int:
    if os.environ.get("KIPFLOW_DEBUG") == "1":
        traceback.print_exc()
    # it may quote a mail: control characters must not reach the terminal
    for message in messages:
        plain = as_printable(" ".join(with_program(message).split()), "\ufffd")
        click.echo(f"kipflow: {plain}", err=True)
    return 2
