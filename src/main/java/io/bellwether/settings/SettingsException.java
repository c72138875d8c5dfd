package io.bellwether.settings;

import java.io.Serial;
import java.util.List;

/** The environment was refused; all complaints at once, each naming its variable. */
public final class SettingsException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // List.copyOf gives a serializable one
    private final List<String> complaints;

    /** A refusal for these reasons, of which there is at least one. */
    public SettingsException(List<String> complaints) {
        super(String.join("; ", complaints));
        this.complaints = List.copyOf(complaints);
    }

    /** One sentence for each thing that is wrong. */
    public List<String> complaints() {
        return complaints;
    }
}
