/**
 * PostgreSQL: the pool, the migrations, transactions with a time limit, COPY, LISTEN, and the database's clock.
 *
 * <p>The only package that knows HikariCP, Flyway or the PostgreSQL driver; others speak {@code java.sql}. Every
 * transaction has a limit that the <em>server</em> enforces, so that neither a stalled statement nor a paused process
 * can hold a lock for ever.
 */
@NullMarked
package io.bellwether.database;

import org.jspecify.annotations.NullMarked;
