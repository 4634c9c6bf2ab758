package dev.mooring.bench;

import java.io.IOException;

/** Creates very many bound volumes and claims that are not part of the measurement. */
final class BindBackgroundLoad {
    private static final int CONNECTIONS = 32;

    /** Created in steps, so that not all volumes are free at the same time. */
    private static final int STEP = 10_000;

    private BindBackgroundLoad() {}

    /** Creates the pairs; returns when all claims are Bound. */
    static void create(ApiServer server, ApiClients clients, int pairs) throws IOException, InterruptedException {
        BindObjects objects = new BindObjects(server.access(), "old");
        RequestTemplate volume = objects.volume();
        RequestTemplate claim = objects.claimOfItsVolume();
        try (ApiLoad once = new ApiLoad(server, clients, 1)) {
            once.run(connection -> objects.namespace(), 1);
        }
        try (PhaseWatch watch = objects.watchClaims(clients, server.port(), "Bound");
                ApiLoad volumes = new ApiLoad(server, clients, CONNECTIONS);
                ApiLoad claims = new ApiLoad(server, clients, CONNECTIONS)) {
            for (int created = 0; created < pairs; created += STEP) {
                int step = Math.min(STEP, pairs - created);
                watch.expect(step);
                volumes.run(connection -> volume, step);
                claims.run(connection -> claim, step);
                watch.await();
            }
        }
    }
}
