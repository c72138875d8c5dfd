package io.bellwether.feed;

import static io.bellwether.feed.Text.utf8;

/**
 * Writes the key and the body of one policy into a {@link Text}. What it writes depends on (seed, identity, version)
 * alone. A new version changes the version number, the date and some actions, as an edit would. Not thread-safe.
 */
final class PolicyAuthor {
    private static final int LARGEST = 490_000;

    private static final byte[] VERSION = utf8("{\"version\":");
    private static final byte[] OWNER = utf8(",\"owner\":\"team-");
    private static final byte[] UPDATED = utf8("\",\"updated\":\"2025-");
    private static final byte[] NOTE = utf8("Z\",\"description\":\"");
    private static final byte[] TAGS = utf8("\",\"tags\":{\"");
    private static final byte[] STATEMENTS = utf8("},\"statements\":[");
    private static final byte[] END = utf8("]}");
    private static final byte[] SID = utf8("{\"sid\":\"");
    private static final byte[] ALLOW = utf8("\",\"effect\":\"allow\",\"actions\":[\"");
    private static final byte[] DENY = utf8("\",\"effect\":\"deny\",\"actions\":[\"");
    private static final byte[] NEXT = utf8("\",\"");
    private static final byte[] ON = utf8("\"],\"resources\":[\"");
    private static final byte[] URN = utf8("urn:bw:");
    private static final byte[] WHEN = utf8(",\"condition\":{");
    private static final byte[] SOURCE_IP = utf8("\"sourceIp\":[\"");
    private static final byte[] RATE = utf8("\"maxPerMinute\":");
    private static final byte[] RISK = utf8(",\"maxRisk\":0.");
    private static final byte[] MFA = utf8("\"mfa\":true,\"session\":\"");
    private static final byte[] QUOTE_BRACKET = utf8("\"]");
    private static final byte[] BRACE_BRACE = utf8("}}");

    private final long seed;
    private final Dice dice = new Dice();
    private final Dice edit = new Dice();

    PolicyAuthor(long seed) {
        this.seed = seed;
    }

    /** The key, escaped for a JSON string: 15 to 70 bytes, unique by {@code identity}. */
    void key(Text out, long identity) {
        dice.reset(seed, identity);
        out.add(dice.of(Vocabulary.TENANTS)).add('-').number(dice.below(900), 10, 3).add('/');
        out.add(dice.of(Vocabulary.SERVICES)).add('/').add(dice.of(Vocabulary.KINDS)).add('/');
        if (dice.oneIn(2_000)) {
            out.add('\\').add('"').add(dice.of(Vocabulary.RESOURCES)).add('\\').add('"').add('-');
        } else if (dice.oneIn(3)) {
            out.add(dice.of(Vocabulary.RESOURCES)).add('-');
        }
        out.add(dice.of(Vocabulary.PERSONS)).add('-').number(identity, 36, 5);
    }

    /** The body: about 0.75 KB on average, 250 bytes to 500 KB. */
    void body(Text out, long identity, long version) {
        dice.reset(seed + 1, identity);
        edit.reset(seed + 2, Dice.mix(identity) + version);
        int goal = out.length() + size();
        out.add(VERSION).number(version + 1).add(OWNER).add(dice.of(Vocabulary.TEAMS));
        out.add(UPDATED).number(1 + edit.below(12), 10, 2).add('-').number(1 + edit.below(28), 10, 2);
        out.add('T').number(edit.below(24), 10, 2).add(':').number(edit.below(60), 10, 2);
        out.add(':').number(edit.below(60), 10, 2);
        out.add(NOTE).add(dice.oneIn(50) ? dice.of(Vocabulary.ODD_NOTES) : dice.of(Vocabulary.NOTES));
        out.add(TAGS).add(dice.of(Vocabulary.TAGS)).add('"').add(':');
        out.add('"').add(dice.of(Vocabulary.STAGES)).add('"').add(STATEMENTS);
        int statement = 0;
        do {
            if (statement > 0) {
                out.add(',');
            }
            statement(out, statement++, goal);
        } while (out.length() < goal);
        out.add(END);
    }

    /** A long tail: nine in ten are small, one in ten thousand has hundreds of kilobytes. */
    private int size() {
        int place = dice.below(10_000);
        if (place < 9_000) {
            return 140 + dice.below(430);
        }
        if (place < 9_900) {
            return 800 + Math.min(dice.below(3_200), dice.below(3_200));
        }
        if (place < 9_990) {
            return 4_000 + Math.min(dice.below(28_000), dice.below(28_000)) / 2;
        }
        if (place < 9_999) {
            return 32_000 + Math.min(dice.below(96_000), dice.below(96_000));
        }
        return 128_000 + Math.min(dice.below(LARGEST - 128_000), dice.below(LARGEST - 128_000));
    }

    private void statement(Text out, int number, int goal) {
        out.add(SID).add('s').number(number).add(dice.oneIn(6) ? DENY : ALLOW);
        byte[] service = dice.of(Vocabulary.SERVICES);
        byte[] resource = dice.of(Vocabulary.RESOURCES);
        for (int left = 1 + dice.below(3); left > 0; left--) {
            byte[] verb = dice.of(Vocabulary.VERBS);
            out.add(service).add(':').add(edit.oneIn(8) ? edit.of(Vocabulary.VERBS) : verb).add(resource);
            out.add(left > 1 ? NEXT : ON);
        }
        int most = goal - out.length() > 1_500 ? 14 : 1;
        for (int left = 1 + dice.below(most); left > 0; left--) {
            resource(out, service, resource);
            out.add(left > 1 ? NEXT : QUOTE_BRACKET);
        }
        if (dice.oneIn(4)) {
            out.add('}');
        } else {
            out.add(WHEN);
            condition(out);
            out.add(BRACE_BRACE);
        }
    }

    private void resource(Text out, byte[] service, byte[] resource) {
        out.add(URN).add(service).add(':').add(dice.of(Vocabulary.REGIONS)).add(':');
        out.number(dice.next() >>> 30, 10, 11).add(':').add(resource).add('/');
        if (dice.oneIn(3)) {
            out.add('*');
        } else {
            out.number(dice.next() >>> 20, 16, 11);
        }
    }

    private void condition(Text out) {
        switch (dice.below(3)) {
            case 0 -> {
                out.add(SOURCE_IP);
                for (int left = 1 + dice.below(3); left > 0; left--) {
                    out.add('1').add('0').add('.').number(dice.below(256)).add('.').number(dice.below(256));
                    out.add('.').add('0').add('/').number(20 + dice.below(5)).add(left > 1 ? NEXT : QUOTE_BRACKET);
                }
            }
            case 1 -> out.add(RATE).number(1 + dice.below(6_000)).add(RISK).number(1 + dice.below(99), 10, 2);
            default -> out.add(MFA).number(dice.next(), 16, 16).add('"');
        }
    }
}
