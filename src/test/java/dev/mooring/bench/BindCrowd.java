package dev.mooring.bench;

import java.io.IOException;

/** Very many volumes and claims that have each other: others than those with which is measured. */
final class BindCrowd {
    private static final int CONNECTIONS = 32;

    /** Laid down in turns, so that not everything is free at the same time. */
    private static final int STEP = 10_000;

    private BindCrowd() {}

    /** Returns when all claims are Bound. */
    static void layDown(ApiServer server, ApiClients clients, int pairs) throws IOException, InterruptedException {
        BindObjects objects = new BindObjects(server.access(), "old");
        ApiRequest volume = objects.volume();
        ApiRequest claim = objects.claimOfItsVolume();
        try (ApiLoad once = new ApiLoad(server, clients, 1)) {
            once.run(connection -> objects.namespace(), 1);
        }
        try (PhaseWatch watch = objects.watchClaims(clients, server.port(), "Bound");
                ApiLoad volumes = new ApiLoad(server, clients, CONNECTIONS);
                ApiLoad claims = new ApiLoad(server, clients, CONNECTIONS)) {
            for (int laid = 0; laid < pairs; laid += STEP) {
                int step = Math.min(STEP, pairs - laid);
                watch.expect(step);
                volumes.run(connection -> volume, step);
                claims.run(connection -> claim, step);
                watch.await();
            }
        }
    }
}
