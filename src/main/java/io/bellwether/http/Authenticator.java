package io.bellwether.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.fleet.Grant;
import io.bellwether.policy.Sha256;
import io.bellwether.settings.Settings;

/**
 * Tells who sent a request by its bearer token (RFC 6750): the operator's, which is a setting, or a downstream server's.
 * Thread safe; answers from memory.
 */
public final class Authenticator {
    private static final String SCHEME = "bearer ";

    /** Knows the tokens of downstream servers. */
    @FunctionalInterface
    public interface Grants {
        /** What this token opens, or nothing when it is unknown, revoked or expired. */
        Optional<Grant> find(String token);
    }

    private final Sha256 adminToken;
    private final Grants grants;

    /**
     * An authenticator.
     *
     * @param adminToken the operator's token
     * @param grants the others
     */
    public Authenticator(Settings.Secret adminToken, Grants grants) {
        if (adminToken.value().isEmpty()) {
            throw new IllegalArgumentException("the admin token must not be empty");
        }
        this.adminToken = digest(adminToken.value());
        this.grants = grants;
    }

    /**
     * Who sent this.
     *
     * @param authorization the header's value, or null without one
     * @throws Fault {@link FaultKind#UNAUTHENTICATED} without a token that is valid now
     */
    public Caller authenticate(@Nullable String authorization) {
        if (authorization == null) {
            throw new Fault(FaultKind.UNAUTHENTICATED, "a bearer token is required");
        }
        if (!authorization.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
            throw new Fault(FaultKind.UNAUTHENTICATED, "the Authorization header must be of the form 'Bearer <token>'");
        }
        String token = authorization.substring(SCHEME.length()).strip();
        if (MessageDigest.isEqual(digest(token).bytes(), adminToken.bytes())) {
            return new Caller.Operator();
        }
        return grants.find(token).<Caller>map(Caller.Downstream::new)
                .orElseThrow(() -> new Fault(FaultKind.UNAUTHENTICATED, "the token is unknown, revoked or expired"));
    }

    // Hashes are compared, not tokens, so that the time tells nothing about either, not even a length.
    private static Sha256 digest(String token) {
        return Sha256.of(token.getBytes(StandardCharsets.UTF_8));
    }
}
