package io.bellwether.source;

/** What opening a source came to, when it did not fail. */
public sealed interface Opened permits Opened.NotModified, FeedStream {
    /** What to recognise this feed by the next time. */
    Validators validators();

    /**
     * The feed is the one that the request's validators name; nothing was read.
     *
     * @param validators to send the next time
     */
    record NotModified(Validators validators) implements Opened {}
}
