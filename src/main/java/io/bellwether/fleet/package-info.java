/**
 * Downstream servers: the tokens by which they are known.
 *
 * <p>A token is {@code bw_<id>_<secret>}; the database holds the SHA-256 of the secret, which is as strong as a slow
 * hash would be because the secret is 256 random bits, and cheap enough for every request. Each process holds all tokens
 * in memory and reloads them when the catalog says that they changed, so that a request costs no query, works while the
 * database is away, and a revoked token stops within about a second.
 */
@NullMarked
package io.bellwether.fleet;

import org.jspecify.annotations.NullMarked;
