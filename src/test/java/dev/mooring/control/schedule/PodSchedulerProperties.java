package dev.mooring.control.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.ControllerFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Under any interleaving no exclusive claim or volume is shared, and no schedulable Pod is left pending. */
class PodSchedulerProperties {
    private static final int STEPS = 150;

    private final String[] modes = {"ReadWriteOncePod", "ReadWriteOnce", "ReadWriteMany"};

    /** Found a Pod on another node than the one it shares a claim with (553), and messages naming a removed Pod. */
    @Example
    void scheduler_seedsOfFormerFailures_keepExclusiveAccess() {
        for (long seed : new long[] {38, 46, 78, 407, 553, 649}) {
            scheduler_randomHistory_keepsExclusiveAccessAndMissesNoPod(seed);
        }
    }

    @Property(tries = 60)
    void scheduler_randomHistory_keepsExclusiveAccessAndMissesNoPod(@ForAll long seed) {
        Random random = new Random(seed);
        SchedulerFixture fixture = new SchedulerFixture(initialObjects(random));
        for (int step = 0; step < STEPS; step++) {
            step(fixture, random, step);
            check(fixture.world());
        }
        fixture.settle();
        check(fixture.world());
        ControllerFixture restarted = new ControllerFixture(new PodScheduler(), fixture.world()).settle();
        List<String> missed = restarted.takeEvents();
        assertThat(missed)
                .as("events of a restarted scheduler; Events: %s", SchedulerObjects.events(restarted.world()))
                .isEmpty();
    }

    private String initialObjects(Random random) {
        StringBuilder yaml =
                new StringBuilder(SchedulerObjects.TEAM + SchedulerObjects.STATIC + SchedulerObjects.DYNAMIC);
        for (int i = 0; i < 3; i++) {
            yaml.append(SchedulerObjects.node("n" + i));
        }
        yaml.append(SchedulerObjects.volume("everywhere", "1Gi", ""));
        for (int i = 0; i < 3; i++) {
            yaml.append(SchedulerObjects.boundClaim("bound" + i, "everywhere", modes[i]));
            yaml.append(SchedulerObjects.claim("open" + i, "1Gi", "static", modes[random.nextInt(2)]));
        }
        yaml.append(SchedulerObjects.claim("made", "1Gi", "dynamic"));
        for (int i = 0; i < 6; i++) {
            yaml.append(pod(random, i));
        }
        return yaml.toString();
    }

    private static String pod(Random random, int number) {
        Set<String> claims = new TreeSet<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            claims.add(random.nextInt(8) == 0 ? "made" : (random.nextBoolean() ? "bound" : "open") + random.nextInt(3));
        }
        String selector =
                random.nextInt(3) == 0 ? ", nodeSelector: {kubernetes.io/hostname: n" + random.nextInt(3) + "}" : "";
        return SchedulerObjects.pod("p" + number, SchedulerObjects.uses(claims.toArray(String[]::new)) + selector);
    }

    private static void step(SchedulerFixture fixture, Random random, int number) {
        int choice = random.nextInt(100);
        List<ObjectKey> enqueued = fixture.enqueued();
        List<String> feeds = fixture.feeds();
        if (choice < 35 && !enqueued.isEmpty()) {
            fixture.reconcile(enqueued.get(random.nextInt(enqueued.size())));
        } else if (choice < 60 && fixture.sent() > 0) {
            fixture.commit();
        } else if (choice < 85 && !feeds.isEmpty()) {
            fixture.deliverChange(feeds.get(random.nextInt(feeds.size())));
        } else if (choice < 88) {
            fixture.restart();
        } else if (choice < 91) {
            fixture.put(pod(random, 100 + number));
        } else if (choice < 94) {
            fixture.world().stream(Scope.resource("pods"))
                    .skip(random.nextInt(6))
                    .findFirst()
                    .ifPresent(pod -> fixture.remove(pod.key()));
        } else if (choice < 96) {
            fixture.put(SchedulerObjects.node("n" + random.nextInt(3), "unschedulable: " + random.nextBoolean(), ""));
        } else {
            String node = random.nextBoolean() ? "" : "n" + random.nextInt(3);
            fixture.put(SchedulerObjects.volume("pv" + number, (1 + random.nextInt(3)) + "Gi", node));
        }
    }

    private static void check(World world) {
        Map<ObjectKey, Set<String>> nodes = new HashMap<>();
        Map<ObjectKey, Integer> pods = new HashMap<>();
        for (StoredObject object : world.list(Scope.resource("pods"))) {
            Pod pod = Pod.of(object);
            if (pod.isScheduled()) {
                for (ObjectKey claim : pod.claimKeys()) {
                    nodes.computeIfAbsent(claim, key -> new HashSet<>()).add(pod.nodeName());
                    pods.merge(claim, 1, Integer::sum);
                    Claim bound = Claim.of(world.get(claim).orElseThrow());
                    assertThat(PodClaims.isBound(bound))
                            .as("%s of %s is bound", claim, pod)
                            .isTrue();
                }
            }
        }
        pods.forEach((key, count) -> {
            Claim claim = Claim.of(world.get(key).orElseThrow());
            if (claim.accessModes().isOncePod()) {
                assertThat(count).as("Pods of %s", key).isEqualTo(1);
            }
            if (!claim.accessModes().allowsManyNodes()) {
                assertThat(nodes.get(key)).as("nodes of %s", key).hasSize(1);
            }
        });
        for (StoredObject object : world.list(Scope.resource("persistentvolumeclaims"))) {
            Claim claim = Claim.of(object);
            if (claim.name().startsWith("open") && !claim.volumeName().isEmpty()) {
                Volume volume =
                        Volume.of(world.get(Volume.key(claim.volumeName())).orElseThrow());
                assertThat(volume.claimRef().orElseThrow().uid()).isEqualTo(claim.uid());
            }
        }
    }
}
