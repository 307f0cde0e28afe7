"""Votes that run at the anchor, or have run out without an end."""

from __future__ import annotations

from kipflow.sandbox.plans import Announcement, Plan, Round, about, edits, parse_lines, started

_MINUTES = 1 / (24 * 60)

RUNNING: tuple[Plan, ...] = (
    Plan(
        number=80,
        title="Let consumers pause single keys",
        author="acastell",
        topic=about(
            "pausing single keys",
            "the consumer",
            "lets one bad record wait without stopping its partition",
            "the buffer of paused keys needs a bound",
            "a retry topic",
            "consumer.paused.keys.max",
            "New public interface KeyPauser in the consumer",
            "New configuration: consumer.paused.keys.max = 1000",
        ),
        created=-24,
        discuss=-23,
        talk=16,
        talk_days=12,
        rounds=(
            Round(
                opened=-2.0,
                casts=parse_lines(
                    "0.2 lokafor +1 (binding)",
                    "0.9 okim +1 (non-binding)",
                    "1.6 vpetrova {inline} +1 (binding)",
                    "2.35 dmwangi +1 (binding)",
                    "2.5 sgreene +1 (non-binding)",
                ),
                result=Announcement(
                    at=3.2,
                    who="acastell",
                    plus=("lokafor", "vpetrova", "dmwangi"),
                    plus_other=("okim", "sgreene"),
                    style="list",
                ),
            ),
        ),
        edits=edits(
            "-24 acastell: Draft",
            "-23 acastell: Under Discussion",
            "-2 acastell: Voting",
            "1.3 acastell: Accepted",
        ),
        ticket=started(1.5),
        page="lozenge",
    ),
    Plan(
        number=81,
        title="Show the age of the oldest record",
        author="jsorensen",
        topic=about(
            "the age of the oldest record",
            "the metrics reporter",
            "shows at a glance whether retention works",
            "reading it touches every segment's index",
            "estimating it from the segment's name",
            "oldest.record.metric.enable",
            "New metric oldest-record-age",
            "New configuration: oldest.record.metric.enable = true",
        ),
        created=-16,
        discuss=-15,
        talk=9,
        rounds=(
            Round(
                opened=-3.0 + 40 * _MINUTES,
                casts=parse_lines(
                    "0.1 amaro +1 (binding)",
                    "0.7 rquint +1 (binding)",
                    "1.2 kolsen {bottom} +1 (binding)",
                    "2.4 fdiallo +1 (non-binding)",
                ),
                result=Announcement(
                    at=3.1, who="jsorensen", plus=("amaro", "rquint", "kolsen"), plus_other=("fdiallo",), style="prose"
                ),
            ),
        ),
        edits=edits("-16 jsorensen: Draft", "-15 jsorensen: Under Discussion", "-2.9 jsorensen: Voting"),
    ),
    Plan(
        number=82,
        title="Replace the password file by a keystore",
        author="pkeller",
        topic=about(
            "a keystore for passwords",
            "the security layer",
            "keeps secrets out of backups",
            "one more password to hand in at start",
            "an external vault",
            "security.keystore.path",
            "New configuration: security.keystore.path",
            "New option --keystore of sandpiper-users.sh",
        ),
        created=-35,
        discuss=-33,
        talk=12,
        rounds=(
            Round(
                opened=-5 / 24,
                casts=parse_lines(
                    "0.1 bvogel {inline} +1 (binding)",
                    "0.9 nakagawa +1 (binding)",
                    "1.8 eborg +1 (non-binding)",
                    "2.2 hfarrow {bottom} +1 (binding)",
                ),
                result=Announcement(
                    at=3.4, who="pkeller", plus=("bvogel", "nakagawa", "hfarrow"), plus_other=("eborg",), style="table"
                ),
            ),
        ),
        edits=edits("-35 pkeller: Draft", "-33 pkeller: Under Discussion", "-0.2 pkeller: Voting"),
    ),
    Plan(
        number=83,
        title="Batch acknowledgements of slow consumers",
        author="cschmidt",
        topic=about(
            "batched acknowledgements",
            "the group coordinator",
            "cuts commit traffic by a factor of ten",
            "more records are read again after a crash",
            "asynchronous commits",
            "ack.batch.ms",
            "New configuration: ack.batch.ms = 0",
        ),
        created=-30,
        discuss=-28,
        talk=8,
        rounds=(
            Round(
                opened=-6.0,
                casts=parse_lines(
                    "0.5 rquint +1 (binding)",
                    "1.4 zabadi +1 (non-binding)",
                    "2.3 szhao {qp} +1 (binding)",
                    "3.1 gbellamy {newaddr} +1 (binding)",
                    "8.0 mtembo +1 (binding), better late than never",
                ),
                result=Announcement(
                    at=8.5,
                    who="cschmidt",
                    plus=("rquint", "szhao", "mtembo"),
                    plus_other=("zabadi",),
                    style="terse",
                    subject="reply",
                ),
            ),
        ),
        edits=edits("-30 cschmidt: Draft", "-28 cschmidt: Under Discussion", "-6 cschmidt: Voting"),
    ),
    Plan(
        number=84,
        title="Remove the old admin protocol",
        author="hfarrow",
        topic=about(
            "the old admin protocol",
            "the broker",
            "drops the last use of the legacy port",
            "two well known tools still speak it",
            "a warning for two more releases",
            "legacy.admin.enable",
            "Removed: network protocol of the admin port, LegacyAdminRequest",
            "Removed configuration: legacy.admin.enable",
        ),
        created=-40,
        discuss=-38,
        talk=18,
        talk_days=15,
        rounds=(
            Round(
                opened=-1.5,
                casts=parse_lines(
                    "0.2 kolsen +1 (binding)",
                    "0.5 amaro {inline} -1 (binding), because two tools still need it",
                    "1.1 gbellamy {inline} -1 (binding)",
                    "1.3 cschmidt +1 (non-binding)",
                    "2.2 amaro {inline} I can live with the longer warning. Changing my -1 to +1 (binding).",
                    "2.6 dmwangi +1 (binding)",
                ),
            ),
        ),
        edits=edits("-40 hfarrow: Draft", "-38 hfarrow: Under Discussion", "-1.5 hfarrow: Voting"),
    ),
    Plan(
        number=85,
        title="Make topic names case insensitive",
        author="zabadi",
        topic=about(
            "case in topic names",
            "the metadata store",
            "avoids twins that differ in one capital letter",
            "existing twins must be renamed",
            "a check at creation only",
            "topic.name.fold.case",
            "New configuration: topic.name.fold.case = false",
        ),
        created=-28,
        discuss=-26,
        talk=14,
        rounds=(
            Round(
                opened=-4.5,
                casts=parse_lines(
                    "0.2 lokafor +1 (binding)",
                    "0.4 bvogel {inline} -1 (binding), twins exist at every large user",
                    "0.9 mtembo +1 (binding)",
                    "1.3 nrao -1 (binding)",
                    "1.9 vpetrova +1 (binding)",
                    "2.7 nakagawa {fwd} -1 (binding)",
                    "3.2 rmalik {alt} -1 (non-binding)",
                ),
            ),
        ),
        edits=edits("-28 zabadi: Draft", "-26 zabadi: Under Discussion", "-4 zabadi: Voting"),
    ),
    Plan(
        number=86,
        title="Rotate certificates without a restart",
        author="kolsen",
        topic=about(
            "certificate rotation",
            "the network layer",
            "ends the monthly rolling restart",
            "a broken file would cut off new connections",
            "a proxy in front",
            "ssl.reload.interval.ms",
            "New configuration: ssl.reload.interval.ms = 0",
            "New metric certificate-expiry-days",
        ),
        created=-21,
        discuss=-20,
        talk=11,
        rounds=(
            Round(
                opened=-4.0,
                casts=parse_lines(
                    "0.2 jsorensen {b64} +1 (binding)",
                    "0.6 pkeller {attribution} +1 (binding)",
                    "1.5 lokafor {footer} +1 (binding)",
                    "2.0 hfarrow {bottom} +1 (binding)",
                    "2.3 pnovak +1 (non-binding)",
                ),
            ),
        ),
        edits=edits("-21 kolsen: Draft", "-20 kolsen: Under Discussion", "-4 kolsen: Voting"),
        page="lozenge",
    ),
)
