package io.bellwether.policy;

import java.util.regex.Pattern;

/** The names that sets and jobs may bear: {@code [a-z0-9][a-z0-9-]{0,62}}. */
public final class SetName {
    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

    private SetName() {}

    /** Whether {@code name} is of the form. */
    public static boolean isValid(String name) {
        return FORM.matcher(name).matches();
    }

    /** The rule in words, for error messages. */
    public static String rule() {
        return "1 to 63 characters of a-z, 0-9 and '-', not beginning with '-'";
    }
}
