/**
 * Cron text to ticks, and the rule that says what a process does next about a job.
 *
 * <p>A tick is an instant, computed from the text and the zone alone, so that every process that ever looks computes the
 * same ones, and a tick's identity never depends on when somebody woke up. {@link io.bellwether.schedule.NextStep} is a
 * pure function of what a process sees; it decides nothing that matters, because the ledger checks each step again under
 * the job's row lock. Letting a scheduler library fire callbacks was rejected: its idea of a misfire, of a missed wake-up
 * and of daylight saving would have been everyone's.
 */
@NullMarked
package io.bellwether.schedule;

import org.jspecify.annotations.NullMarked;
