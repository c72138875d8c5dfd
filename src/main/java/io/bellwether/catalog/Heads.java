package io.bellwether.catalog;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * All sets as of one moment of the database. Immutable.
 *
 * @param epoch changes only when the database was re-created or restored
 * @param version of the counter that every change of a head raises
 * @param tokensVersion of the counter that every change of a token raises
 * @param byName the sets
 */
public record Heads(UUID epoch, long version, long tokensVersion, Map<String, SetState> byName) {
    /** Nothing at all: before anything was loaded. */
    static final Heads NONE = new Heads(new UUID(0, 0), 0, 0, Map.of());

    /** Copies the sets. */
    public Heads {
        byName = Map.copyOf(byName);
    }

    /** Whether nothing was ever loaded. */
    boolean isNothing() {
        return version == 0;
    }

    /** Whether the other is the same state of the same database. */
    boolean isSameAs(Heads other) {
        return version == other.version && epoch.equals(other.epoch);
    }

    /**
     * Whether this is of the same epoch as what was held, and yet before it: the database was put back to an earlier
     * state in place.
     */
    boolean fellBehind(Heads held) {
        return epoch.equals(held.epoch) && (version < held.version || held.byName.values().stream().anyMatch(before -> {
            SetState now = byName.get(before.name());
            return now != null && now.setId() == before.setId() && now.revision() < before.revision();
        }));
    }

    /** The set of that name. */
    public Optional<SetState> set(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** All sets by name. */
    public Collection<SetState> sets() {
        return new TreeMap<>(byName).values();
    }

    /** The first eight hexadecimal digits of the epoch, as entity tags name it. */
    public String shortEpoch() {
        return epoch.toString().substring(0, 8);
    }
}
