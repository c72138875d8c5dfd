package io.bellwether.admin;

import java.util.Optional;

/** What a definition must satisfy beyond its form, asked of those who know. Implementations are thread safe. */
public interface DefinitionRules {
    /**
     * Judges a schedule.
     *
     * @param text cron text
     * @param zone a known time zone
     * @return what is wrong with it, as a sentence, or nothing
     */
    Optional<String> complaintAboutSchedule(String text, String zone);

    /**
     * Judges a source.
     *
     * @param url an http, https or file URL
     * @return why feeds may not come from there, as a sentence, or nothing
     */
    Optional<String> complaintAboutSource(String url);
}
