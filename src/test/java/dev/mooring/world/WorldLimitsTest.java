package dev.mooring.world;

import static dev.mooring.testing.Samples.claim;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.testing.Samples;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Reason;
import dev.mooring.world.Outcome.Refused;
import dev.mooring.world.Proposal.Allowance;
import dev.mooring.world.WorldLimits.NamespaceQuota;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WorldLimitsTest {
    private static final NamespaceQuota NO_QUOTA = WorldLimits.NONE.quota();
    private static final String KIB = "x".repeat(1024);

    private final SimulatedDisk disk = new SimulatedDisk();

    private LedgerFixture open(WorldLimits limits) throws IOException {
        Ledger.Limits ledger = new Ledger.Limits(10_000, 64, 1 << 20, limits);
        return new LedgerFixture(disk, LedgerFixture.DIRECTORY, 1 << 20, 8, ledger).start();
    }

    private static NamespaceQuota quota(int objects, long bytes) {
        return new NamespaceQuota(
                objects,
                bytes,
                List.of("persistentvolumeclaims"),
                Set.of("kube-system"),
                Map.of("persistentvolumeclaims", "published"));
    }

    private static WorldLimits limits(NamespaceQuota quota) {
        return new WorldLimits(Long.MAX_VALUE, Long.MAX_VALUE, quota);
    }

    private static ObjectKey inNamespace(String namespace, String name) {
        return ObjectKey.namespaced("persistentvolumeclaims", namespace, name);
    }

    private static Proposal creating(ObjectKey key, String content, Allowance allowance) {
        return Proposal.by("tester", "Created")
                .within(allowance)
                .create(Samples.draft(key, content))
                .build();
    }

    private static Proposal replacing(LedgerFixture fixture, ObjectKey key, String content) {
        return Proposal.by("tester", "Updated")
                .within(Allowance.USER)
                .replace(fixture.world().get(key).orElseThrow(), Samples.draft(key, content))
                .build();
    }

    private static void assertRefused(Outcome outcome, Reason reason, String message) {
        assertThat(outcome).isInstanceOfSatisfying(Refused.class, refused -> {
            assertThat(refused.reason()).isEqualTo(reason);
            assertThat(refused.message()).contains(message);
        });
    }

    @Test
    void quota_objectsOfNamespaceReached_refusesLikeKubernetes() throws IOException {
        try (LedgerFixture fixture = open(limits(quota(2, Long.MAX_VALUE)))) {
            for (String name : List.of("a", "b")) {
                assertThat(fixture.outcome(creating(claim(name), KIB, Allowance.USER)))
                        .isInstanceOf(Committed.class);
            }
            assertRefused(
                    fixture.outcome(creating(claim("c"), KIB, Allowance.USER)),
                    Reason.QUOTA,
                    "exceeded quota: quota.namespaceObjects, requested: objects=1, used: objects=2, limited:"
                            + " objects=2");
            assertThat(fixture.outcome(creating(inNamespace("other", "c"), KIB, Allowance.USER)))
                    .as("another namespace")
                    .isInstanceOf(Committed.class);
            assertThat(fixture.outcome(replacing(fixture, claim("a"), KIB + KIB)))
                    .as("update of an existing object")
                    .isInstanceOf(Committed.class);
            fixture.remove(claim("a"));
            assertThat(fixture.outcome(creating(claim("c"), KIB, Allowance.USER)))
                    .as("after a deletion")
                    .isInstanceOf(Committed.class);
        }
    }

    @Test
    void quota_bytesOfNamespaceReached_allowsOnlyShrinking() throws IOException {
        try (LedgerFixture fixture = open(limits(quota(100, 3_000)))) {
            assertThat(fixture.outcome(creating(claim("a"), KIB, Allowance.USER)))
                    .isInstanceOf(Committed.class);
            WorldUsage used = fixture.world().usage(Scope.namespace("persistentvolumeclaims", "default"));
            assertRefused(
                    fixture.outcome(creating(claim("b"), KIB + KIB, Allowance.USER)),
                    Reason.QUOTA,
                    "used: bytes=" + used.bytes() + ", limited: bytes=3000");
            assertRefused(
                    fixture.outcome(replacing(fixture, claim("a"), KIB + KIB + KIB)), Reason.QUOTA, "exceeded quota");
            assertThat(fixture.outcome(replacing(fixture, claim("a"), ""))).isInstanceOf(Committed.class);
            assertThat(fixture.outcome(creating(claim("b"), KIB, Allowance.USER)))
                    .isInstanceOf(Committed.class);
        }
    }

    @Test
    void quota_controllersSystemNamespacesAndOtherResources_areExempt() throws IOException {
        try (LedgerFixture fixture = open(limits(quota(1, Long.MAX_VALUE)))) {
            ObjectKey event = ObjectKey.namespaced("events", "default", "e");
            assertThat(fixture.outcome(creating(claim("a"), KIB, Allowance.USER)))
                    .isInstanceOf(Committed.class);
            assertThat(fixture.outcome(creating(claim("b"), KIB, Allowance.SYSTEM)))
                    .isInstanceOf(Committed.class);
            assertThat(fixture.outcome(creating(event, KIB, Allowance.USER))).isInstanceOf(Committed.class);
            for (String name : List.of("a", "b")) {
                assertThat(fixture.outcome(creating(inNamespace("kube-system", name), KIB, Allowance.USER)))
                        .isInstanceOf(Committed.class);
            }
        }
    }

    @Test
    void quota_publishedObject_isNotCountedUnlessItGrows() throws IOException {
        try (LedgerFixture fixture = open(limits(quota(1, 3_000)))) {
            assertThat(fixture.outcome(creating(claim("published"), KIB + KIB, Allowance.SYSTEM)))
                    .isInstanceOf(Committed.class);
            assertThat(fixture.outcome(creating(claim("first"), KIB, Allowance.USER)))
                    .isInstanceOf(Committed.class);
            assertRefused(
                    fixture.outcome(creating(claim("second"), KIB, Allowance.USER)), Reason.QUOTA, "used: objects=1,");
            assertRefused(
                    fixture.outcome(replacing(fixture, claim("published"), KIB.repeat(8))),
                    Reason.QUOTA,
                    "exceeded quota");
        }
    }

    @Test
    void quota_concurrentCreations_areLimitedTogether() throws IOException {
        try (LedgerFixture fixture = open(limits(quota(10, Long.MAX_VALUE)))) {
            List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                outcomes.add(fixture.propose(creating(claim("c" + i), KIB, Allowance.USER)));
            }
            assertThat(outcomes.stream()
                            .map(LedgerFixture::get)
                            .filter(Committed.class::isInstance)
                            .count())
                    .isEqualTo(10);
            assertThat(fixture.world().count(Scope.resource("persistentvolumeclaims")))
                    .isEqualTo(10);
        }
    }

    @Test
    void fullWorld_refusesUsersThenControllersButNoDeletions() throws IOException {
        try (LedgerFixture fixture = open(new WorldLimits(2_800, 6_000, NO_QUOTA))) {
            assertThat(fixture.outcome(creating(claim("a"), KIB, Allowance.USER)))
                    .isInstanceOf(Committed.class);
            assertThat(fixture.ledger().worldLimits().isNearlyFull(fixture.world()))
                    .isFalse();
            assertThat(fixture.outcome(creating(claim("b"), KIB, Allowance.USER)))
                    .isInstanceOf(Committed.class);
            assertThat(fixture.ledger().worldLimits().isNearlyFull(fixture.world()))
                    .isTrue();
            assertRefused(
                    fixture.outcome(creating(claim("c"), KIB, Allowance.USER)),
                    Reason.FULL,
                    "the server's memory for objects is full: requested: bytes=");
            assertThat(fixture.outcome(creating(claim("c"), KIB + KIB, Allowance.SYSTEM)))
                    .isInstanceOf(Committed.class);
            assertRefused(
                    fixture.outcome(creating(claim("d"), KIB, Allowance.SYSTEM)), Reason.FULL, "limited: bytes=6000");
            StoredObject seen = fixture.world().get(claim("a")).orElseThrow();
            assertThat(fixture.outcome(Proposal.by("tester", "DeletionRequested")
                            .within(Allowance.DELETION)
                            .replace(seen, Samples.draft(claim("a"), KIB + " marked"))
                            .build()))
                    .isInstanceOf(Committed.class);
            for (String name : List.of("a", "b", "c")) {
                assertThat(fixture.remove(claim(name))).isInstanceOf(Committed.class);
            }
            assertThat(fixture.outcome(creating(claim("e"), KIB, Allowance.USER)))
                    .isInstanceOf(Committed.class);
        }
    }

    @Test
    void world_bytes_equalSumOfObjectsAlsoAfterRestart() throws IOException {
        long before;
        try (LedgerFixture fixture = open(WorldLimits.NONE)) {
            for (int i = 0; i < 200; i++) {
                fixture.put(claim("c" + i % 70), "x".repeat(i));
                if (i % 3 == 0) {
                    fixture.remove(claim("c" + i % 70));
                }
            }
            World world = fixture.world();
            long sum = world.stream(Scope.all()).mapToLong(StoredObject::bytes).sum();
            assertThat(world.bytes()).isEqualTo(sum);
            assertThat(world.usage(Scope.namespace("persistentvolumeclaims", "default")))
                    .isEqualTo(new WorldUsage(world.size(), sum));
            assertThat(world.usage(Scope.resource("pods"))).isEqualTo(WorldUsage.NONE);
            before = sum;
        }
        try (LedgerFixture reopened = open(WorldLimits.NONE)) {
            assertThat(reopened.world().bytes()).isEqualTo(before);
        }
    }
}
