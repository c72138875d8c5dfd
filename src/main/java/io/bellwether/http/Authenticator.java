package io.bellwether.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
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
    private final Grants held;
    private final Grants grants;

    /**
     * An authenticator.
     *
     * @param adminToken the operator's token
     * @param held the others, as far as they are known at once; never blocks
     * @param grants the others; may wait for one that was just made
     */
    public Authenticator(Settings.Secret adminToken, Grants held, Grants grants) {
        if (adminToken.value().isEmpty()) {
            throw new IllegalArgumentException("the admin token must not be empty");
        }
        this.adminToken = digest(adminToken.value());
        this.held = held;
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
        if (!isBearer(authorization)) {
            throw new Fault(FaultKind.UNAUTHENTICATED, "the Authorization header must be of the form 'Bearer <token>'");
        }
        return caller(authorization, grants)
                .orElseThrow(() -> new Fault(FaultKind.UNAUTHENTICATED, "the token is unknown, revoked or expired"));
    }

    /**
     * Who sent this, if that can be told at once. Never blocks.
     *
     * @param authorization the header's value, or null without one
     * @return nothing if {@link #authenticate} has to say it
     */
    Optional<Caller> known(@Nullable String authorization) {
        if (authorization == null || !isBearer(authorization)) {
            return Optional.empty();
        }
        // Nearly always a downstream server's: asked first, since the operator's costs a hash of its own.
        Optional<Grant> grant = held.find(token(authorization));
        return grant.isPresent() ? grant.map(Caller.Downstream::new) : caller(authorization, held);
    }

    private static boolean isBearer(String authorization) {
        return authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    }

    private Optional<Caller> caller(String authorization, Grants of) {
        String token = token(authorization);
        if (MessageDigest.isEqual(digest(token).bytes(), adminToken.bytes())) {
            return Optional.of(new Caller.Operator());
        }
        return of.find(token).map(Caller.Downstream::new);
    }

    private static String token(String authorization) {
        return authorization.substring(SCHEME.length()).strip();
    }

    // Hashes are compared, not tokens, so that the time tells nothing about either, not even a length.
    private static Sha256 digest(String token) {
        return Sha256.of(token.getBytes(StandardCharsets.UTF_8));
    }
}
