package dev.mooring.control.cases;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ManyControllers;
import dev.mooring.control.Worlds;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Claim;
import dev.mooring.world.World;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a claim is given for its size, and what it says while it waits; cases that Kubernetes has not got. */
final class WaitingTest {
    private static final World NAMESPACE = Worlds.of("{kind: Namespace, metadata: {name: default}}");

    private static ObjectNode object(String line) {
        CaseLine parsed = CaseLine.parse(line);
        ObjectNode object = new CaseObjects(name -> "uid-" + name).of(parsed);
        object.withObject("/metadata").put("uid", "uid-" + parsed.name());
        return object;
    }

    /** J13. */
    @ParameterizedTest
    @CsvSource({
        "1Gi, 1G, Pending",
        "1Gi, 1e9, Pending",
        "1Gi, 1073741823, Pending",
        "1Gi, 1073741824, Bound",
        "1Gi, 1024Mi, Bound",
        "1Gi, 1.5Gi, Bound",
        "1.5Gi, 1536Mi, Bound",
        "1.5Gi, 1535Mi, Pending",
        "1G, 1e9, Bound",
        "1e9, 1G, Bound",
        "1073741824, 1Gi, Bound",
        "1000m, 1, Bound"
    })
    void sizesAreComparedAsQuantities(String request, String capacity, String phase) {
        World world = Worlds.put(NAMESPACE, object("pv v " + capacity + " Available"));
        ManyControllers many = new ManyControllers(
                Worlds.put(world, object("pvc c " + request + " Pending")), StorageControllers.all());
        World after = many.settle().world();
        assertThat(Claim.of(after.get(Claim.key("default", "c")).orElseThrow()).phase())
                .isEqualTo(phase);
    }

    /** J14. */
    @Test
    void aClaimThatWaitsForAnHourSaysSoOnce() {
        World world = Worlds.put(NAMESPACE, object("pvc c 1Gi Pending"));
        ManyControllers many = new ManyControllers(world, StorageControllers.all());
        many.settle().pass(Duration.ofSeconds(15));
        long revision = many.world().revision();
        for (int i = 0; i < 240; i++) {
            many.pass(Duration.ofSeconds(15));
        }
        assertThat(many.world().count(Scope.resource("events"))).isOne();
        assertThat(many.world().revision()).isEqualTo(revision);
    }
}
