package io.bellwether.fleet;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.bellwether.policy.Sha256;

/**
 * A downstream server's token: {@code bw_<id>_<secret>}, the id of 12 and the secret of 64 hexadecimal digits. Immutable;
 * {@link #toString} does not show the secret.
 *
 * @param id the public half, by which it is found, listed and revoked
 * @param secret the other half, of which only the hash is kept
 */
public record BearerToken(String id, String secret) {
    private static final Pattern FORM = Pattern.compile("bw_([0-9a-f]{12})_([0-9a-f]{64})");
    private static final SecureRandom RANDOM = new SecureRandom();

    /** A token that nobody has guessed. */
    public static BearerToken create() {
        return new BearerToken(random(6), random(32));
    }

    /** Reads a token; empty when it is of another form. */
    public static Optional<BearerToken> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches() ? Optional.of(new BearerToken(matcher.group(1), matcher.group(2))) : Optional.empty();
    }

    /** What a client sends. */
    public String text() {
        return "bw_" + id + "_" + secret;
    }

    /** What the database keeps: the SHA-256 of the secret's digits. */
    public Sha256 secretSha256() {
        return Sha256.of(secret.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public String toString() {
        return "bw_" + id + "_(secret)";
    }

    private static String random(int bytes) {
        byte[] random = new byte[bytes];
        RANDOM.nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
