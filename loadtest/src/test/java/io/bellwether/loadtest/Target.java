package io.bellwether.loadtest;

import io.gatling.javaapi.http.HttpProtocolBuilder;

import static io.gatling.javaapi.http.HttpDsl.http;

/** What is tested, from system properties: {@code url}, {@code token}, {@code set}. */
final class Target {
    static final String SET = System.getProperty("set", "demo");

    private Target() {}

    /** The front, with a connection per virtual user as a fleet of servers has. */
    static HttpProtocolBuilder protocol() {
        String token = System.getProperty("token", "");
        if (token.isEmpty()) {
            throw new IllegalArgumentException("-Dtoken=… is required: a token that opens the set");
        }
        return http.baseUrl(System.getProperty("url", "http://127.0.0.1:8080")).authorizationHeader("Bearer " + token)
                .disableFollowRedirect().disableCaching().userAgentHeader("bellwether-loadtest");
    }

    /** A whole number from a system property. */
    static int number(String name, int otherwise) {
        return Integer.getInteger(name, otherwise);
    }
}
