package io.bellwether.http;

/** Who may call a route. */
public enum Access {
    /** Anyone, without a token: what nginx does not forward, and what tells nothing but what this is. */
    OPEN,
    /** Whoever has a token, of the operator or of a downstream server. */
    TOKEN,
    /** Whoever has a token for the set named by the path parameter {@code set}. */
    SET,
    /** The operator. */
    ADMIN
}
