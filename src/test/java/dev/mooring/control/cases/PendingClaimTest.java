package dev.mooring.control.cases;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.MultiControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Claim;
import dev.mooring.world.World;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Binding by size and the messages of pending claims; cases that Kubernetes' tests do not have. */
final class PendingClaimTest {
    private static final World NAMESPACE = WorldFixture.of("{kind: Namespace, metadata: {name: default}}");

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
    void claim_sizesInDifferentUnits_areComparedAsQuantities(String request, String capacity, String phase) {
        World world = WorldFixture.put(NAMESPACE, object("pv v " + capacity + " Available"));
        MultiControllerFixture controllers = new MultiControllerFixture(
                WorldFixture.put(world, object("pvc c " + request + " Pending")), StorageControllers.all());
        World after = controllers.settle().world();
        assertThat(Claim.of(after.get(Claim.key("default", "c")).orElseThrow()).phase())
                .isEqualTo(phase);
    }

    /** J14. */
    @Test
    void claim_pendingForAnHour_hasOneEventAndNoFurtherWrites() {
        World world = WorldFixture.put(NAMESPACE, object("pvc c 1Gi Pending"));
        MultiControllerFixture controllers = new MultiControllerFixture(world, StorageControllers.all());
        controllers.settle().advance(Duration.ofSeconds(15));
        long revision = controllers.world().revision();
        for (int i = 0; i < 240; i++) {
            controllers.advance(Duration.ofSeconds(15));
        }
        assertThat(controllers.world().count(Scope.resource("events"))).isOne();
        assertThat(controllers.world().revision()).isEqualTo(revision);
    }
}
