package io.bellwether.lease;

import java.time.Duration;
import java.util.UUID;

/**
 * Who tries to win a run, and how. Immutable.
 *
 * @param process the name of this process
 * @param nonce a fresh one for each try
 * @param gate {@code redis} or {@code postgres}
 * @param lease how long the run outlives the last heartbeat
 */
record Ticket(String process, UUID nonce, String gate, Duration lease) {}
