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
    "The ticket has a longer history, with two earlier attempts that went nowhere.",
    "I kept it as small as I could. What is left out stands under future work.",
    "Nothing changes for anybody who does not touch {setting}.",
    "Special thanks to the two people who read the draft, you know who you are.",
    "I am most unsure about the migration, so please read that part first.",
    "The new setting is {setting}; everything else stays as it is.",
    "The main risk that I see: {risk}. The page has a section on it.",
    "I also thought about {other}, see Rejected Alternatives.",
    "There is a branch with most of the code, and numbers from our test cluster on the page.",
    "Comments on names and defaults are very welcome, I am not attached to any of them.",
    "The wiki page is short on purpose. Tell me what is missing.",
)

REMARKS = (
    "The test plan is better than that of most things we ship.",
    "We would use {thing} from the first day on.",
    "I had the same idea two years ago and no time for it. Glad that you had some.",
    "Just to have it on record: I tried the branch and it {gain}.",
    "The table of settings is missing a column for the default.",
    "I would mention {other} earlier on the page, everybody will ask about it.",
    "My colleagues have read it as well and send their thanks.",
    "I am fine with the proposal as it stands.",
    "This touches {where}, so we should ask the people who know it best to have a look.",
    "I updated the list of related tickets, two of them can be closed when this is in.",
    "Reading it with fresh eyes after a week, the part on failures is still the hardest.",
    "Let's not make perfect the enemy of good here.",
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

ANSWER_GREETINGS = (
    "Hi {first},",
    "{first}, thanks for reading it.",
    "Hello {first},",
    "",
    "",
    "Thanks for the comments, {first}.",
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
    "I went through the thread again.",
    "Thanks for your patience with all the comments.",
    "I have read the page again.",
)

BALLOT_AFTERWORDS = (
    "",
    "",
    "",
    "I have read up on {thing}.",
    "Please keep an eye on the risk that {risk}.",
    "Thanks for driving this.",
)

PERIODS = (
    "The vote will stay open for at least 72 hours.",
    "The vote is open for 72 hours, as usual, or longer if needed.",
    "Please vote within the next three days.",
    "I will close the vote after three days at the earliest.",
    "Voting is open for at least 72 hours. Committer votes are binding, all others are welcome.",
)

CALLS = (
    "Hello, I'd like to call for a vote on {key}. All comments of the discussion are worked in.",
    "The page of {key} has not changed for a week, so let us vote on it.",
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
