package io.bellwether.source;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** A few words of what an upstream sent instead of a feed, fit for one line of a log. */
final class Snippet {
    /** So many bytes are looked at. */
    static final int ENOUGH = 1024;

    private static final int LONGEST = 120;
    private static final Pattern INVISIBLE = Pattern
            .compile("(?is)<(script|style|head)\\b(?:(?!<title).)*?</\\1\\s*>|<!--.*?-->|<[^>]*>?");
    private static final Pattern UNFIT = Pattern.compile("[\\p{Cntrl}\\p{Cf}\\p{Co}\\p{Cn}\\s\\ufffd]+");

    private Snippet() {}

    /** The beginning of {@code bytes[from, to)}. */
    static String of(byte[] bytes, int from, int to) {
        return of(new String(bytes, from, Math.min(to - from, ENOUGH), StandardCharsets.UTF_8));
    }

    /** The beginning of {@code text} in quotes, without mark-up and control characters. */
    static String of(String text) {
        String plain = text.startsWith("<") ? INVISIBLE.matcher(text).replaceAll(" ") : text;
        String clean = UNFIT.matcher(plain).replaceAll(" ").strip();
        if (clean.length() > LONGEST) {
            int cut = Character.isHighSurrogate(clean.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
            clean = clean.substring(0, cut) + "…";
        }
        return "“" + clean + "”";
    }
}
