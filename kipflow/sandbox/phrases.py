"""Sentences from which the list's talk is made. Slots are the pieces of a `Topic` and {first}, {key}.

No sentence here casts a vote; ballots are written out in the proposals' own lines.
"""

from __future__ import annotations

OPENINGS = (
    "I would like to start a discussion on {key}, which is about {thing}.",
    "I have written up a proposal for {thing}. In short: it {gain}.",
    "Following the thread on the user list last month, here is a proposal about {thing} in {where}.",
    "We run into {thing} every few weeks, so I took the time to write {key}.",
    "Please have a look at {key}. It changes {where} in a small way and {gain}.",
)

OPENING_DETAILS = (
    "The new setting is {setting}; everything else stays as it is.",
    "The main risk that I see: {risk}. The page has a section on it.",
    "I also thought about {other}, see Rejected Alternatives.",
    "There is a branch with most of the code, and numbers from our test cluster on the page.",
    "Comments on names and defaults are very welcome, I am not attached to any of them.",
    "The wiki page is short on purpose. Tell me what is missing.",
)

QUESTIONS = (
    "What happens to clients that do not know {setting} yet?",
    "Could you say a bit more about the case that {risk}?",
    "Did you measure it? I would expect that it {gain}, but I have no feeling for the order of magnitude.",
    "Have you considered {other}? It looks simpler to me.",
    "Is {setting} read once at start, or can it be changed while {where} is running?",
    "How does this behave during a rolling upgrade, when half of the brokers are old?",
    "Who is expected to change the default? If nobody is, we may not need {setting} at all.",
    "Does this need a note in the upgrade guide?",
    "What would an operator look at to see that it works?",
    "I am missing a sentence on what happens when the disk is full.",
    "Why is this part of {where} and not of the layer above?",
    "Should the page say what we do not promise, too?",
    "How large is the change in {where}? The page reads as if it were ten lines.",
    "Can we split this in two: first {thing}, then the setting?",
    "Which release are you aiming for?",
)

OBJECTIONS = (
    "I am a bit worried that {risk}.",
    "My concern is the upgrade. We had a similar change in 2.6 and it took two releases to get it right.",
    "I don't like the name {setting}, it says how and not what.",
    "I would rather see {other}. We have the code already.",
    "This makes {where} harder to test, and it is not easy to test today.",
    "Every setting is a promise. Can it do without?",
    "For us the opposite would be the better default.",
    "The page does not convince me yet that it {gain}.",
)

ANSWERS = (
    "Good point. I have added a paragraph on it to the page.",
    "You are right that {risk}. I think that is acceptable, because it is off by default.",
    "I tried {other} first. It works for one node, but not for a cluster of more than ten.",
    "It can be changed at run time, I have made that explicit.",
    "Old clients never see {setting}, so for them nothing changes.",
    "In my tests it {gain}; the raw numbers are attached to the ticket.",
    "That is out of scope here. I have put it under future work.",
    "I renamed it on the page; please look again.",
    "Fair enough, I removed that part. It was not needed for {thing}.",
    "The upgrade is two restarts, as usual. There is a table with the combinations now.",
    "Yes, and that is exactly why {where} has to know about it.",
    "No strong opinion. If two more people prefer it that way I will change it.",
    "I looked at the code again: there are three callers, all of them in {where}.",
    "The test plan has a new case for it, with a broker that stops in the middle.",
)

REMARKS = (
    "Thanks for picking this up, it has been on our wish list for years.",
    "I like it. It {gain}, and the change is small.",
    "We run a patched build with something very similar, and it has been quiet for half a year.",
    "One more data point: on our cluster with 40 brokers this would help a lot.",
    "Small thing: the example on the page still uses the old name.",
    "The section on compatibility is very clear now, thank you.",
    "I have no more comments from my side.",
    "Agreed with {first} on the naming.",
    "There is a typo in the second table, the unit is bytes and not kilobytes.",
    "I can help with the documentation when it comes to that.",
    "Let us keep the first version small and see who asks for more.",
    "For reference, two other systems do the same thing and call it by another name.",
    "I read it twice and could not find a hole.",
    "Nit: the motivation could be half as long.",
)

CLOSINGS = (
    "If there are no further comments I will call a vote next week.",
    "I think all open points are settled now. I will start the vote soon.",
    "Unless somebody objects, I consider the page final.",
)

GREETINGS = (
    "Hi {first},",
    "Hello,",
    "Hi all,",
    "Hey {first},",
    "",
    "",
    "Thanks {first}.",
    "Hi {first}, thanks for the proposal.",
)

BALLOT_PREFACES = (
    "Thanks for the KIP, {first}.",
    "Thanks {first}!",
    "Hi {first},",
    "Nice work.",
    "",
    "",
    "",
    "Looks good to me.",
    "Thanks for your patience with all the comments.",
    "I have read the page again.",
)

BALLOT_AFTERWORDS = (
    "",
    "",
    "",
    "Looking forward to {thing}.",
    "Please keep an eye on the risk that {risk}.",
    "Thanks for driving this.",
)

CALLS = (
    "I would like to start a vote on {key}: {title}.",
    "Hi all, the discussion of {key} has been quiet for some days, so I am calling a vote.",
    "As nobody had more comments, I'd like to open the vote on {key} ({title}).",
    "Please vote on {key}. It is about {thing} in {where}.",
)

TICKET_TITLES = (
    "Flaky test of {area}",
    "NullPointerException when {area} stops twice",
    "Typo in the documentation of {area}",
    "Memory grows slowly in {area}",
    "Upgrade a dependency of {area}",
    "{area} logs a warning on every request",
    "Add a test for {area} with one node",
    "{area} ignores its timeout",
    "Clean up deprecated methods in {area}",
    "Slow start of {area} with many topics",
)

AREAS = (
    "the broker",
    "the consumer",
    "the log cleaner",
    "the admin client",
    "the mirror tool",
    "the coordinator",
    "the docs",
    "the quota manager",
)

OFF_TOPIC = (
    (
        "Community call on Thursday",
        "The next call is on Thursday at 16:00 UTC. The agenda is open, please add your points.",
        (
            "I can't make it this week, could somebody take notes?",
            "Added a point about the build machines.",
            "Notes are on the wiki now, thanks to everybody who came.",
        ),
    ),
    (
        "Introduction and a first question",
        "Hello, I am new here and would like to help. Where should I start?",
        (
            "Welcome! Have a look at the tickets labelled newcomer.",
            "The test suite is a good place to learn the code.",
            "Thank you all, I have picked a ticket.",
        ),
    ),
    (
        "Call for talks: Stream Days",
        "The call for talks is open until the end of the month. Please think of our small projects too.",
        ("I handed in a talk about compaction.", "We will have a table there, who can help on Saturday?"),
    ),
    (
        "Slow tests on the build machines",
        "Since Monday the integration tests take twice as long. Has anything changed?",
        (
            "One of the machines lost a disk.",
            "It is back to normal since this morning.",
            "Can we have a graph of this somewhere?",
        ),
    ),
    (
        "[DISCUSS] Time for a release?",
        "It has been four months. Shall we cut a release branch in two weeks?",
        (
            "Fine with me, I can run it.",
            "Please wait for the fix of the log cleaner.",
            "Two weeks sounds right.",
            "+1 to a release, thanks for volunteering.",
        ),
    ),
    (
        "Question about retention",
        "Is retention counted from the oldest or the newest record of a segment?",
        ("From the newest.", "See the third paragraph of the operations page."),
    ),
    (
        "[DISCUSS] Drop support for old runtimes",
        "The last user of the old runtime has moved on. Can we raise the baseline?",
        (
            "Yes please.",
            "We need three more months, after that I am all for it.",
            "Then let us do it with the next major release.",
        ),
    ),
    (
        "Website is down",
        "The website has been answering with an error since last night.",
        ("Confirmed from here.", "Infra restarted the proxy, it is up again."),
    ),
)
