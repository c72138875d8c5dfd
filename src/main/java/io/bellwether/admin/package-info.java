/**
 * What operators do to sets, their jobs, and tokens: the operations behind the admin API, with the SQL they need.
 *
 * <p>Every change is one short transaction that ends by raising the counter that readers look at, and takes its locks in
 * the order in which a publish takes them (job, set, counter), so that an operator and a refresh wait for each other for
 * milliseconds and never for ever. A definition is checked in full before anything is written, and every complaint is
 * told at once. What is secret in a definition goes in and never comes out.
 *
 * <p>Rejected: letting {@code http} write SQL (the command line of a later day and the console would write it again), and
 * a generic store of resources with hooks (there are three kinds, and each has rules of its own).
 */
@NullMarked
package io.bellwether.admin;

import org.jspecify.annotations.NullMarked;
