package io.bellwether.http;

import org.jspecify.annotations.Nullable;

/** What a request says of what its sender has and wants. */
interface Asked {
    /** A header field, or null without it; several of the name are joined by commas. */
    @Nullable
    String header(String name);

    /** A parameter of the query, or null without it; the first when there are several. */
    @Nullable
    String query(String name);
}
