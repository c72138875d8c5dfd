package io.bellwether.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.bellwether.cluster.AdminClient.Answer;

/** The set {@code demo}: made through the admin API as a person would make one, followed until its first revision is there. */
final class Demo {
    static final String SET = "demo";
    private static final String TOKEN_SECRET = "demo-token";
    private static final Duration FIRST_REVISION_LIMIT = Duration.ofSeconds(30);

    private final AdminClient client;
    private final String adminToken;
    private final Secrets secrets;

    Demo(AdminClient client, String adminToken, Secrets secrets) {
        this.client = client;
        this.adminToken = adminToken;
        this.secrets = secrets;
    }

    /**
     * Declares the set, or declares it again with the upstream's present port, and waits for a revision.
     *
     * @return a downstream server's token for it
     * @throws ClusterException when the admin API refuses; the cluster itself is sound
     */
    String start(String upstream) throws IOException, InterruptedException, ClusterException {
        Answer put = client.put(adminToken, "/v1/admin/sets/" + SET, AdminClient.object(
                "source", AdminClient.object("url", upstream), "schedule", "*/10 * * * * *", "enabled", true));
        if (!put.ok()) {
            throw new ClusterException("the demo set could not be made: " + put.problem());
        }
        String token = token();
        String head = "/v1/sets/" + SET;
        if (!client.get(token, head).ok()) {
            client.post(adminToken, "/v1/admin/jobs/" + SET + "/runs", AdminClient.object());
        }
        long end = System.nanoTime() + FIRST_REVISION_LIMIT.toNanos();
        while (!client.get(token, head).ok() && System.nanoTime() - end < 0) {
            Thread.sleep(200);
        }
        return token;
    }

    /** Without its upstream every tick of it would fail: a set that an earlier start has made is switched off. */
    void disable() throws IOException, InterruptedException {
        Answer set = client.get(adminToken, "/v1/admin/sets/" + SET);
        if (set.ok() && set.body().path("enabled").asBoolean(true)) {
            String url = set.body().path("source").path("url").asText("");
            if (url.startsWith("http://127.0.0.1:") && url.endsWith("/feed.ndjson")) {
                client.put(adminToken, "/v1/admin/sets/" + SET, AdminClient.object("source",
                        AdminClient.object("url", url), "schedule", "*/10 * * * * *", "enabled", false));
            }
        }
    }

    private String token() throws IOException, InterruptedException, ClusterException {
        Optional<String> kept = secrets.find(TOKEN_SECRET);
        if (kept.isPresent()) {
            int status = client.get(kept.get(), "/v1/sets").status();
            if (status != 401 && status != 403) {
                return kept.get();
            }
        }
        Answer made = client.post(adminToken, "/v1/admin/tokens",
                AdminClient.object("server", "demo-server", "sets", List.of(SET)));
        String token = made.body().path("token").asText("");
        if (!made.ok() || token.isEmpty()) {
            throw new ClusterException("a token for the demo set could not be made: " + made.problem());
        }
        secrets.put(TOKEN_SECRET, token);
        return token;
    }
}
