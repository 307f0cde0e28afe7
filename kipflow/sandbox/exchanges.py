"""Questions and objections as readers raise them, each with what authors answer.

Slots are the pieces of a `Topic`. A thread uses each exchange at most once.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a reader says, and the answers that fit it."""

    asks: str
    answers: tuple[str, ...]


EXCHANGES: tuple[Exchange, ...] = (
    Exchange(
        "What happens to clients that do not know {setting} yet?",
        (
            "Nothing changes for them, they never see {setting}.",
            "They behave as today. I added a row to the table for it.",
        ),
    ),
    Exchange(
        "Could you say a bit more about the case that {risk}?",
        (
            "Yes. It only happens when two things come together, I described both on the page.",
            "I have added a paragraph on it, with an example from our cluster.",
        ),
    ),
    Exchange(
        "Did you measure it? I would expect that it {gain}, but I have no feeling for the order of magnitude.",
        (
            "The raw numbers are attached to the ticket. In short, the effect is visible from the first hour on.",
            "Only on a small cluster so far. I will run it on a larger one this week and report here.",
        ),
    ),
    Exchange(
        "Have you considered {other}? It looks simpler to me.",
        (
            "I tried {other} first. It works for one node, but not for a cluster of more than ten.",
            "Yes, see Rejected Alternatives. It is simpler for us and harder for everybody who has to operate it.",
        ),
    ),
    Exchange(
        "Is {setting} read once at start, or can it be changed while {where} is running?",
        (
            "It can be changed at run time, I have made that explicit.",
            "Once at start for now. Changing it later is under future work.",
        ),
    ),
    Exchange(
        "How does this behave during a rolling upgrade, when half of the brokers are old?",
        (
            "The upgrade is two restarts, as usual. There is a table with the combinations now.",
            "The new behaviour stays off until the last broker is upgraded, so the mixed state is today's state.",
        ),
    ),
    Exchange(
        "Who is expected to change the default? If nobody is, we may not need {setting} at all.",
        (
            "Two users asked for it in the ticket, both with very large clusters.",
            "I could do without. But then somebody will ask for it a week after the release.",
        ),
    ),
    Exchange(
        "Does this need a note in the upgrade guide?",
        ("It does, thanks. I put it on the list at the end of the page.",),
    ),
    Exchange(
        "What would an operator look at to see that it works?",
        (
            "At the new line in the log for now. If you prefer a metric, I can add one.",
            "There is a section on monitoring now, I had forgotten about it.",
        ),
    ),
    Exchange(
        "I am missing a sentence on what happens when the disk is full.",
        ("The same as today: the write fails and the caller is told. I wrote that down.",),
    ),
    Exchange(
        "Why is this part of {where} and not of the layer above?",
        (
            "Because {where} is the only place that has all the facts at hand.",
            "I had it one layer up at first and needed three new interfaces. This is the smaller evil.",
        ),
    ),
    Exchange("Should the page say what we do not promise, too?", ("Good idea, there is a short list now.",)),
    Exchange(
        "How large is the change in {where}? The page reads as if it were ten lines.",
        (
            "About four hundred lines with tests. Ten was the first version.",
            "There are three callers, all of them in {where}; the branch is linked from the ticket.",
        ),
    ),
    Exchange(
        "Can we split this in two: first {thing}, then the setting?",
        (
            "I would rather keep it together, one without the other is of no use to anybody.",
            "Fine with me, I split the page accordingly.",
        ),
    ),
    Exchange(
        "Which release are you aiming for?",
        (
            "The next one, if the vote passes before the branch is cut.",
            "No hurry from my side. Whatever comes after the freeze.",
        ),
    ),
    Exchange(
        "I am a bit worried that {risk}.",
        (
            "You are right about that. I think it is acceptable, because it is off by default.",
            "So am I, which is why there is a limit now. Please have a look at the new paragraph.",
        ),
    ),
    Exchange(
        "My concern is the upgrade. We had a similar change in 2.6 and it took two releases to get it right.",
        ("I remember, I was one of those who had to repair it. This time the old path stays in for one release.",),
    ),
    Exchange(
        "I don't like the name {setting}, it says how and not what.",
        (
            "I renamed it and then renamed it back: every other name was longer. Suggestions are welcome.",
            "No strong opinion. If two more people prefer another one I will change it.",
        ),
    ),
    Exchange(
        "I would rather see {other}. We have the code already.",
        (
            "We have half of it. The other half is exactly what makes it hard.",
            "I spent a weekend on that and gave up; the page has my notes.",
        ),
    ),
    Exchange(
        "This makes {where} harder to test, and it is not easy to test today.",
        (
            "The test plan has a new case for it, with a broker that stops in the middle.",
            "I brought the test down to one file without any sleeping in it.",
        ),
    ),
    Exchange(
        "Every setting is a promise. Can it do without?",
        (
            "It could, with a fixed value that is wrong for somebody.",
            "I thought about it for a week. No, not for all users.",
        ),
    ),
    Exchange(
        "For us the opposite would be the better default.",
        (
            "How large are your records? For small ones I agree with you.",
            "I kept today's behaviour as the default, to be on the safe side.",
        ),
    ),
    Exchange(
        "The page does not convince me yet that it {gain}.",
        (
            "Then the page is at fault. I have put the graph at the top.",
            "Please look at the second graph, that is the one that convinced me.",
        ),
    ),
    Exchange(
        "Does it work together with transactions? I could not find the word on the page.",
        (
            "It does, they are not affected. I added the word.",
            "Good catch. A record of an open transaction is left alone; the page says so now.",
        ),
    ),
    Exchange(
        "What do the other client libraries have to do?",
        (
            "Nothing, unless they want to offer {setting} to their users.",
            "I asked two of their maintainers, they are fine with it.",
        ),
    ),
    Exchange(
        "Is there a way back? I mean a downgrade after it has been used.",
        (
            "Yes: switch it off, wait for a minute, then downgrade. I described the steps.",
            "For one release, yes. After that the old code goes away.",
        ),
    ),
    Exchange(
        "What happens with {thing} when the controller moves in the middle?",
        ("The new controller starts from the last state that was written, so at worst the work is done twice.",),
    ),
    Exchange(
        "Could the section on security say who is allowed to change {setting}?",
        ("Whoever may alter the cluster today. I made no new permission for it.",),
    ),
    Exchange(
        "The motivation speaks of operators. Would a user of the client notice anything?",
        ("Only that it {gain}.", "Not unless they look at the metrics."),
    ),
    Exchange(
        "How often does this happen in practice? We run 60 brokers and have never seen it.",
        ("About once a week for us, always on a Monday.", "Rarely, but each time it costs us a night."),
    ),
    Exchange(
        "I think there is an older ticket for this, from the time before the rewrite.",
        ("There is, I linked it. Its last comment says that somebody should write a proposal.",),
    ),
    Exchange(
        "Does it cost anything when it is switched off?",
        ("One comparison per request. I could not measure it.", "No. The code is not even loaded then."),
    ),
    Exchange(
        "What about very small installations, with a single node?",
        (
            "They can ignore it. The start script does not mention it there.",
            "I tried it on a single node, nothing unusual.",
        ),
    ),
    Exchange(
        "Please say which exceptions a caller can see. At the moment I would have to read the code.",
        ("There are two, both can be retried. They have a table of their own now.",),
    ),
    Exchange(
        "Would it be enough to document {other} better?",
        (
            "I wrote that text, and it came out longer than this proposal.",
            "For half of the users, yes. For the other half it does not help.",
        ),
    ),
    Exchange(
        "Do we need the old behaviour at all? Two ways of doing it will confuse people.",
        ("I would love to drop it. It stays for one release, then we can vote it out.",),
    ),
    Exchange(
        "The diagram shows three steps and the text four.",
        ("The text was right. I drew the diagram again.", "Thank you, the fourth one was a leftover and is gone."),
    ),
    Exchange(
        "What is the unit of {setting}? The name does not tell.",
        ("It is in the table now, and the documentation generator takes it from there.",),
    ),
    Exchange(
        "Is the plan to have this on by default some day?",
        (
            "That would be a proposal of its own, with numbers from a year of use.",
            "I hope so, but I don't want to decide it here.",
        ),
    ),
    Exchange(
        "How do we make sure that {where} does not get slower for everybody else?",
        (
            "The nightly benchmark covers it; I ran it three times with and without.",
            "It is guarded by a limit, and the limit is low.",
        ),
    ),
)
