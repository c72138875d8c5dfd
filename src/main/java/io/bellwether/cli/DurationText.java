package io.bellwether.cli;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a duration: ISO 8601 ({@code PT1H30M}), or the same without its letters in front ({@code 1h30m}). */
final class DurationText implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        String iso = text.toUpperCase(Locale.ROOT);
        try {
            Duration duration = Duration.parse(iso.startsWith("P") ? iso : "PT" + iso);
            if (!duration.isNegative() && duration.compareTo(Duration.ofDays(365)) <= 0) {
                return duration;
            }
        } catch (DateTimeParseException e) {
            // Said below.
        }
        throw new TypeConversionException("'" + text + "' is not a duration such as PT10M or 10m");
    }
}
