package io.bellwether.admin;

import java.util.Locale;

/** What putting something did. */
public enum Change {
    /** It did not exist. */
    CREATED,
    /** It existed and was another. */
    CHANGED,
    /** It was the same already; nothing was written. */
    UNCHANGED;

    /** As shown. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
