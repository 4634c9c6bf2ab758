package dev.mooring.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.WorldFixture;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ResourceQuota;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Reason;
import dev.mooring.world.Outcome.Refused;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceQuotasTest {
    private static final String NS = "team";

    private LedgerFixture fixture;

    @BeforeEach
    void open() throws IOException {
        fixture = new LedgerFixture(new SimulatedDisk()).start();
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    private static Draft draft(String yaml) {
        return WorldFixture.draft(WorldFixture.objects(yaml).get(0));
    }

    private static String claim(String name, String size, String storageClass) {
        return "{kind: PersistentVolumeClaim, metadata: {name: " + name
                + ", namespace: team}, spec: {storageClassName: " + storageClass + ", resources: {requests: {storage: "
                + size + "}}}}";
    }

    private static String pod(String name, String more) {
        return "{kind: Pod, metadata: {name: " + name + ", namespace: team}, " + more + "}";
    }

    private static Proposal creating(String yaml) {
        return Proposal.by("tester", "Created").create(draft(yaml)).build();
    }

    private Outcome create(String yaml) {
        return fixture.outcome(creating(yaml));
    }

    private Outcome put(String yaml) {
        return fixture.outcome(Proposal.by("tester", "Updated").put(draft(yaml)).build());
    }

    private void quota(String name, String hard) {
        assertThat(put("{kind: ResourceQuota, metadata: {name: " + name + ", namespace: team}, spec: {hard: {" + hard
                        + "}}}"))
                .isInstanceOf(Committed.class);
    }

    private static void assertRefused(Outcome outcome, String message) {
        assertThat(outcome).isEqualTo(new Refused(Reason.QUOTA, message));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64})
    void concurrentCreates_neverExceedQuotaTogether(int limit) {
        quota("storage", "requests.storage: " + limit + "Gi");
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            outcomes.add(fixture.propose(creating(claim("c" + i, "1Gi", "disk"))));
        }
        long committed = outcomes.stream()
                .map(LedgerFixture::get)
                .filter(Committed.class::isInstance)
                .count();
        assertThat(committed).isEqualTo(limit);
        assertThat(fixture.world().count(Scope.namespace("persistentvolumeclaims", NS)))
                .isEqualTo(limit);
    }

    @Test
    void quotaAndObjectInOneBatch_newQuotaApplies() {
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        outcomes.add(fixture.propose(creating(
                "{kind: ResourceQuota, metadata: {name: q, namespace: team}, spec: {hard: {configmaps: 1}}}")));
        for (int i = 0; i < 3; i++) {
            outcomes.add(fixture.propose(creating("{kind: ConfigMap, metadata: {name: m" + i + ", namespace: team}}")));
        }
        assertThat(outcomes.stream().map(LedgerFixture::get).filter(Committed.class::isInstance))
                .hasSize(2);
    }

    @Test
    void exceededQuota_messageNamesOnlyExceededLimits_asInKubernetes() {
        quota(
                "q",
                "requests.storage: 3Gi, persistentvolumeclaims: 5, disk" + ResourceQuota.CLASS_INFIX
                        + "requests.storage: 2Gi");
        assertThat(create(claim("a", "1536Mi", "disk"))).isInstanceOf(Committed.class);
        assertRefused(
                create(claim("b", "2Gi", "disk")),
                "exceeded quota: q, requested:"
                        + " disk.storageclass.storage.k8s.io/requests.storage=2Gi,requests.storage=2Gi, used:"
                        + " disk.storageclass.storage.k8s.io/requests.storage=1536Mi,requests.storage=1536Mi, limited:"
                        + " disk.storageclass.storage.k8s.io/requests.storage=2Gi,requests.storage=3Gi");
        assertThat(create(claim("b", "1Gi", "other"))).isInstanceOf(Committed.class);
        assertRefused(
                put(claim("b", "2Gi", "other")),
                "exceeded quota: q, requested: requests.storage=1Gi, used: requests.storage=2560Mi, limited:"
                        + " requests.storage=3Gi");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        pods: 1                 | spec: {}                                                                  | pods=1
        count/pods: 1           | status: {phase: Succeeded}                                                | count/pods=1
        requests.cpu: 1500m     | spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}          | requests.cpu=1
        cpu: 1500m              | spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}          | cpu=1
        limits.memory: 3Gi      | spec: {containers: [{name: c, resources: {limits: {memory: 2Gi}}}]}       | limits.memory=2Gi
        requests.memory: 1Gi    | spec: {initContainers: [{name: i, resources: {requests: {memory: 600Mi}}}], containers: [{name: c, resources: {requests: {memory: 1Mi}}}]} | requests.memory=600Mi
        """)
    void secondPod_aboveLimit_isRefused(String hard, String pod, String requested) {
        quota("q", hard);
        assertThat(create(pod("first", pod))).isInstanceOf(Committed.class);
        assertThat(((Refused) create(pod("second", pod))).message())
                .startsWith("exceeded quota: q, requested: " + requested + ", used: " + requested + ", limited: ");
    }

    @Test
    void finishedPod_doesNotCount_andItsStatusMayAlwaysChange() {
        quota("q", "pods: 1");
        assertThat(create(pod("first", "spec: {}"))).isInstanceOf(Committed.class);
        quota("q", "pods: 0");
        assertThat(put(pod("first", "status: {phase: Running}"))).isInstanceOf(Committed.class);
        assertThat(put(pod("first", "status: {phase: Failed}"))).isInstanceOf(Committed.class);
        quota("q", "pods: 1");
        assertThat(create(pod("second", "spec: {}"))).isInstanceOf(Committed.class);
    }

    @Test
    void podWithoutRequiredResources_isRefused() {
        quota("q", "limits.cpu: 4, requests.memory: 4Gi, pods: 9");
        assertRefused(
                create(pod("p", "spec: {containers: [{name: b}, {name: a, resources: {limits: {cpu: 1}}}]}")),
                "failed quota: q: must specify limits.cpu for: b; requests.memory for: a,b");
    }

    @Test
    void removalAndOtherNamespaces_areNotLimited() {
        assertThat(create(claim("a", "1Gi", "disk"))).isInstanceOf(Committed.class);
        quota("q", "requests.storage: 0, count/configmaps: 0");
        assertThat(create("{kind: ConfigMap, metadata: {name: m, namespace: other}}"))
                .isInstanceOf(Committed.class);
        assertThat(fixture.remove(ObjectKey.namespaced("persistentvolumeclaims", NS, "a")))
                .isInstanceOf(Committed.class);
        assertRefused(
                create("{kind: ConfigMap, metadata: {name: m, namespace: team}}"),
                "exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=0, limited:"
                        + " count/configmaps=0");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void usage_randomChanges_equalsSumOverObjects(long seed) {
        Random random = new Random(seed);
        quota("q", "requests.storage: 20Gi, pods: 6, requests.cpu: 5, persistentvolumeclaims: 9, count/pods: 8");
        for (int i = 0; i < 300; i++) {
            String name = "o" + random.nextInt(12);
            int amount = 1 + random.nextInt(4);
            switch (random.nextInt(4)) {
                case 0 -> put(claim(name, amount + "Gi", random.nextBoolean() ? "disk" : "other"));
                case 1 ->
                    put(pod(
                            name,
                            "spec: {containers: [{name: c, resources: {requests: {cpu: " + amount + "}}}]}, status:"
                                    + " {phase: " + (random.nextBoolean() ? "Running" : "Failed") + "}"));
                default -> {
                    ObjectKey key =
                            ObjectKey.namespaced(random.nextBoolean() ? "pods" : "persistentvolumeclaims", NS, name);
                    if (fixture.world().get(key).isPresent()) {
                        fixture.remove(key);
                    }
                }
            }
            assertUsageIsSum(fixture.world());
        }
    }

    private static void assertUsageIsSum(World world) {
        ResourceQuota quota =
                ResourceQuota.of(world.get(ResourceQuota.key(NS, "q")).orElseThrow());
        for (Map.Entry<String, Quantity> used :
                ResourceQuotas.used(world, quota, NS).entrySet()) {
            Quantity sum = Quantity.ZERO;
            for (StoredObject object : world.list(Scope.all())) {
                sum = sum.plus(ResourceQuota.usedBy(object).getOrDefault(used.getKey(), Quantity.ZERO));
            }
            assertThat(used.getValue()).as(used.getKey()).isEqualTo(sum);
            assertThat(used.getValue()).isLessThanOrEqualTo(quota.hard().get(used.getKey()));
        }
    }
}
