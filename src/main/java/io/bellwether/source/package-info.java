/**
 * Opening and reading an upstream feed, without any knowledge of sets, runs or the database.
 *
 * <p>{@link io.bellwether.source.FeedSource} gets bytes from where a set's definition points, under
 * {@link io.bellwether.source.SourceAllow what the operator allows} and under a limit of time and size for everything;
 * {@link io.bellwether.source.FeedReader} makes policies of them. The invariant: a feed is either read to its very end,
 * or there is a {@link io.bellwether.source.FeedException} that says of which kind the failure is, and on which line.
 * Nothing in between: a body that breaks off, a cut gzip member or half a last line never looks like an end.
 *
 * <p>The reader frames and checks the bytes itself ({@code JsonScanner}) instead of asking a JSON library for tokens.
 * It has to hand out each body exactly as it came, so it needs places in the bytes and no values; in one pass without
 * garbage it is several times as fast as a token stream, which would also accept ill-formed UTF-8 in text it skips.
 * Jackson remains the judge: a test compares both on thousands of mutated documents.
 */
@NullMarked
package io.bellwether.source;

import org.jspecify.annotations.NullMarked;
