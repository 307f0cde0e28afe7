"""Votes that hang on an unclear ballot, start again, contradict their page, or are about to open."""

from __future__ import annotations

from kipflow.sandbox.plans import Announcement, Plan, Round, about, edits, parse_line, parse_lines

UNSETTLED: tuple[Plan, ...] = (
    Plan(
        number=87,
        title="Rename the replica lag metric",
        author="imoreau",
        topic=about(
            "the name of the lag metric",
            "the replica manager",
            "ends a confusion between records and seconds",
            "alerts on the old name fall silent",
            "keeping both names for a year",
            "metrics.legacy.names",
            "Renamed metric replica-lag to replica-lag-records",
            "New configuration: metrics.legacy.names = true",
        ),
        created=-26,
        discuss=-25,
        talk=9,
        rounds=(
            Round(
                opened=-5.0,
                casts=parse_lines(
                    "0.4 dmwangi +1 (binding)",
                    "1.0 kolsen +1 (binding)",
                    "1.8 rquint {bare} +1 (binding) if the old name stays as an alias until 4.0, otherwise -1.",
                    "2.2 okim +1 (non-binding)",
                ),
            ),
        ),
        edits=edits("-26 imoreau: Draft", "-25 imoreau: Under Discussion", "-5 imoreau: Voting"),
    ),
    Plan(
        number=88,
        title="Split the controller from the broker",
        author="bvogel",
        topic=about(
            "a controller of its own",
            "the start scripts",
            "lets an operator restart one without the other",
            "small clusters need one more process",
            "a flag of the stop script",
            "process.roles",
            "New configuration: process.roles = broker,controller",
            "New option --role of sandpiper-server-start.sh",
        ),
        created=-60,
        discuss=-58,
        talk=20,
        talk_days=30,
        rounds=(
            Round(
                opened=-4.2,
                casts=parse_lines(
                    "0.3 amaro +1 (binding)",
                    "0.8 szhao +1 (binding)",
                    "0.9 gbellamy {inline} -1 (binding)\n\nThe upgrade is not described.",
                    "1.1 nakagawa +1 (binding)",
                    "1.7 mtembo -1 (binding)",
                    "2.5 lokafor {bare} -1 (binding) until the upgrade section says what happens to a single node.",
                ),
            ),
        ),
        edits=edits("-60 bvogel: Draft", "-58 bvogel: Under Discussion", "-4 bvogel: Voting"),
    ),
    Plan(
        number=89,
        title="Quota for administrative requests",
        author="rmalik",
        topic=about(
            "a quota for admin requests",
            "the request queue",
            "protects data traffic from scripts in a loop",
            "automation needs to handle throttling",
            "a separate thread pool",
            "admin.request.rate",
            "New configuration: admin.request.rate = 100",
            "New error code in AdminThrottledResponse",
        ),
        created=-33,
        discuss=-31,
        talk=10,
        rounds=(
            Round(
                opened=-9,
                casts=parse_lines(
                    "0.5 vpetrova +1 (binding)", "0.9 hfarrow {bottom} +1 (binding), with the wording from the thread"
                ),
                cancel=parse_line(
                    "1.3 rmalik I am cancelling this vote: Leila found a hole in the accounting. "
                    "The discussion goes on in the old thread."
                ),
            ),
            Round(
                opened=1.5,
                subject="[VOTE] {key} (round 2): {title}",
                casts=parse_lines(
                    "0.2 vpetrova +1 (binding)", "0.5 lokafor +1 (binding)", "1.1 hfarrow {bottom} +1 (binding)"
                ),
                result=Announcement(at=3.3, who="rmalik", plus=("vpetrova", "lokafor", "hfarrow"), style="prose"),
            ),
        ),
        said=parse_lines(
            "23.5 lokafor {inline} The new accounting section closes the hole, thanks.",
            "24.1 rmalik Then I will call a second round in the next days.",
        ),
        edits=edits(
            "-33 rmalik: Draft", "-31 rmalik: Under Discussion", "-9 rmalik: Voting", "-7.5 rmalik: Under Discussion"
        ),
    ),
    Plan(
        number=90,
        title="Prefetch segments for catch-up reads",
        author="nakagawa",
        topic=about(
            "prefetching of old segments",
            "the storage layer",
            "triples the speed of a full re-read",
            "hot data may be pushed out of the cache",
            "a read-ahead hint to the kernel",
            "segment.prefetch.bytes",
            "New configuration: segment.prefetch.bytes = 0",
        ),
        created=-50,
        discuss=-48,
        talk=13,
        rounds=(
            Round(
                opened=-12,
                casts=parse_lines(
                    "0.5 amaro +1 (binding)", "1.2 kolsen +1 (binding)", "2.0 acastell {inline} +1 (non-binding)"
                ),
            ),
            Round(
                opened=-1.0,
                subject="[VOTE] {key} v2: {title}",
                own="The first thread got lost in the holidays, "
                "and the default has changed since, so please vote again.",
                casts=parse_lines("0.3 amaro +1 (binding)", "1.4 jsorensen +1 (binding)", "1.9 kolsen +1 (binding)"),
                result=Announcement(at=3.2, who="nakagawa", plus=("amaro", "jsorensen", "kolsen"), style="list"),
            ),
        ),
        edits=edits(
            "-50 nakagawa: Draft",
            "-48 nakagawa: Under Discussion",
            "-12 nakagawa: Voting",
            "-1.2 nakagawa: Voting | Prefetching is off by default",
        ),
    ),
    Plan(
        number=91,
        title="Lower the default segment size",
        author="eborg",
        topic=about(
            "smaller segments",
            "the log layer",
            "frees disk space earlier",
            "more open files per broker",
            "rolling by time only",
            "segment.bytes",
            "Changed default of the configuration segment.bytes = 268435456",
        ),
        created=-27,
        discuss=-26,
        talk=7,
        rounds=(
            Round(
                opened=-2.5,
                casts=parse_lines(
                    "0.6 nrao +1 (binding)", "1.0 rmalik +1 (non-binding)", "1.5 kolsen {nosubject} 0 (binding)"
                ),
            ),
        ),
        edits=edits("-27 eborg: Draft", "-26 eborg: Under Discussion", "-1 eborg: Accepted"),
    ),
    Plan(
        number=92,
        title="Deduplicate retried transactions",
        author="vpetrova",
        topic=about(
            "retried transactions",
            "the transaction coordinator",
            "makes a retry after a timeout safe",
            "the coordinator keeps more state",
            "idempotent consumers",
            "transaction.dedupe.window.ms",
            "EndTransactionRequest gains the field RetryEpoch",
            "New configuration: transaction.dedupe.window.ms = 60000",
        ),
        created=-22,
        discuss=-21,
        talk=12,
        rounds=(
            Round(
                opened=-1.0,
                casts=parse_lines(
                    "0.2 dmwangi +1 (binding)", "0.4 bvogel {inline} +1 (binding)", "1.2 nrao +1 (binding)"
                ),
            ),
        ),
        edits=edits(
            "-22 vpetrova: Draft",
            "-21 vpetrova: Under Discussion",
            "-1 vpetrova: Voting",
            "-0.5 vpetrova: Voting | Raise transaction.dedupe.window.ms from 60000 to 300000",
        ),
        page="lozenge",
    ),
    Plan(
        number=93,
        title="Explain assignment decisions",
        author="fdiallo",
        topic=about(
            "a log of assignment decisions",
            "the group coordinator",
            "answers why a partition moved",
            "large groups write a lot of lines",
            "a trace level",
            "assignment.explain",
            "New option --explain of sandpiper-groups.sh",
            "New configuration: assignment.explain = false",
        ),
        created=-13,
        discuss=-12,
        talk=14,
        talk_days=11,
        rounds=(
            Round(
                opened=0.5,
                casts=parse_lines(
                    "0.1 rquint +1 (binding)",
                    "0.9 szhao +1 (binding)",
                    "1.7 eborg +1 (non-binding)",
                    "2.3 amaro +1 (binding)",
                ),
                result=Announcement(
                    at=3.1, who="fdiallo", plus=("rquint", "szhao", "amaro"), plus_other=("eborg",), style="prose"
                ),
            ),
        ),
        edits=edits(
            "-13 fdiallo: Draft", "-12 fdiallo: Under Discussion", "0.5 fdiallo: Voting", "3.7 fdiallo: Accepted"
        ),
    ),
)
