package io.bellwether.admin;

import java.util.Optional;

/** Says where feeds may come from. Implementations are thread safe and wait for nothing. */
@FunctionalInterface
public interface SourceRule {
    /**
     * Judges the address of a source.
     *
     * @param url an http, https or file URL
     * @return why feeds may not come from there, as a sentence, or nothing
     */
    Optional<String> objection(String url);
}
