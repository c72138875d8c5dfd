/**
 * One refresh of a set: read the source, compare, check, load, build, publish.
 *
 * <p>A feed is compared while it streams with an index of what the set holds (hash of key to hash of body), so that only
 * what is new, changed or gone reaches the database. What is prepared is invisible to readers: changes wait in a
 * temporary table of one connection, segments are named by their content and belong to nobody until a manifest names
 * them. One transaction then makes a revision of it, taking the locks that others may wait for last. So a refresh that
 * dies anywhere leaves nothing but segments that the next attempt uses again or {@link
 * io.bellwether.refresh.RetentionWork} removes. Merging a whole feed into the table by SQL alone, however plain, was
 * rejected: it writes and sorts the whole set to find that a thousandth of it changed.
 */
@NullMarked
package io.bellwether.refresh;

import org.jspecify.annotations.NullMarked;
