package io.bellwether.fleet;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;

import io.bellwether.policy.Sha256;

/**
 * A downstream server's token: {@code bw_<id>_<secret>}, the id of 12 and the secret of 64 hexadecimal digits. Immutable;
 * {@link #toString} does not show the secret.
 *
 * @param id the public half, by which it is found, listed and revoked
 * @param secret the other half, of which only the hash is kept
 */
public record BearerToken(String id, String secret) {
    private static final String BEGIN = "bw_";
    private static final int ID_DIGITS = 12;
    private static final int SECRET_DIGITS = 64;
    private static final int SECRET_AT = BEGIN.length() + ID_DIGITS + 1;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** A token that nobody has guessed. */
    public static BearerToken create() {
        return new BearerToken(random(ID_DIGITS / 2), random(SECRET_DIGITS / 2));
    }

    /** Reads a token; empty when it is of another form. */
    public static Optional<BearerToken> parse(String text) {
        if (text.length() != SECRET_AT + SECRET_DIGITS || !text.startsWith(BEGIN)
                || text.charAt(SECRET_AT - 1) != '_') {
            return Optional.empty();
        }
        String id = text.substring(BEGIN.length(), SECRET_AT - 1);
        String secret = text.substring(SECRET_AT);
        return isHex(id) && isHex(secret) ? Optional.of(new BearerToken(id, secret)) : Optional.empty();
    }

    private static boolean isHex(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!(c >= '0' && c <= '9' || c >= 'a' && c <= 'f')) {
                return false;
            }
        }
        return true;
    }

    /** What a client sends. */
    public String text() {
        return BEGIN + id + "_" + secret;
    }

    /** What the database keeps: the SHA-256 of the secret's digits. */
    public Sha256 secretSha256() {
        return Sha256.of(secret.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public String toString() {
        return BEGIN + id + "_(secret)";
    }

    private static String random(int bytes) {
        byte[] random = new byte[bytes];
        RANDOM.nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
