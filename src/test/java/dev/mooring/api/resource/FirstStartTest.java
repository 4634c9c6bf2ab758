package dev.mooring.api.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.catalog.Catalog;
import dev.mooring.api.catalog.KindTable;
import dev.mooring.api.schema.Schemas;
import dev.mooring.testing.Samples;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class FirstStartTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-31T12:00:00Z"), ZoneOffset.UTC);

    private final Catalog catalog = new KindTable(Schemas.ofThisProgram(), CLOCK).catalog();
    private final FirstStart firstStart = new FirstStart(catalog, CLOCK, new Ids() {
        private int next;

        @Override
        public String uid() {
            return "uid-" + next++;
        }

        @Override
        public String nameEnding() {
            return "x";
        }
    });

    @Test
    void makesEverythingInOneEvent() {
        Proposal proposal = firstStart.proposal(World.EMPTY, "here").orElseThrow();

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
    void doesNothingOnceAnythingHasHappened() {
        World world = World.EMPTY.after(Samples.put(World.EMPTY, Samples.claim("a"), ""));
        World emptied = world.after(Samples.removal(world, Samples.claim("a")));

        assertThat(firstStart.proposal(world, "here")).isEmpty();
        assertThat(firstStart.proposal(emptied, "here")).isEmpty();
    }
}
