package dev.mooring.api.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.types.Schemas;
import dev.mooring.testing.Samples;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class BootstrapObjectsTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-31T12:00:00Z"), ZoneOffset.UTC);

    private final Catalog catalog = new KindTable(Schemas.ofThisProgram(), CLOCK).catalog();
    private final BootstrapObjects bootstrap = new BootstrapObjects(catalog, CLOCK, new IdGenerator() {
        private int next;

        @Override
        public String uid() {
            return "uid-" + next++;
        }

        @Override
        public String nameSuffix() {
            return "x";
        }
    });

    @Test
    void bootstrap_emptyWorld_proposesAllObjectsAtOnce() {
        Proposal proposal = bootstrap.proposal(World.EMPTY, "here").orElseThrow();

        assertThat(proposal.writes().stream().map(write -> write.key().text()))
                .containsExactlyInAnyOrder(
                        "namespaces/default",
                        "namespaces/kube-node-lease",
                        "namespaces/kube-system",
                        "serviceaccounts/default/default",
                        "serviceaccounts/kube-node-lease/default",
                        "serviceaccounts/kube-system/default",
                        "nodes/here",
                        "storageclasses.storage.k8s.io/hostPath",
                        "storageclasses.storage.k8s.io/nfs",
                        "storageclasses.storage.k8s.io/block",
                        "storageclasses.storage.k8s.io/local");
    }

    @Test
    void bootstrap_worldWithEvents_proposesNothing() {
        World world = World.EMPTY.after(Samples.put(World.EMPTY, Samples.claim("a"), ""));
        World emptied = world.after(Samples.removal(world, Samples.claim("a")));

        assertThat(bootstrap.proposal(world, "here")).isEmpty();
        assertThat(bootstrap.proposal(emptied, "here")).isEmpty();
    }
}
