package dev.mooring.api.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.testing.Samples;
import dev.mooring.world.World;
import java.time.Clock;
import org.junit.jupiter.api.Test;

class HeartbeatsTest {
    private World world = World.EMPTY;
    private final Heartbeats heartbeats = new Heartbeats(() -> world, Clock.systemUTC());

    @Test
    void showsTheNewestBeatUntilTheObjectIsWrittenAgain() {
        StoredObject stored = put("l");
        StoredObject beat = heartbeats.beat(stored, renewed(1)).orElseThrow();

        assertThat(heartbeats.newest(stored)).isSameAs(beat);
        assertThat(heartbeats.newest(put("l"))).isNotSameAs(beat);
    }

    @Test
    void makesRoomByForgettingLeasesThatAreGone() {
        for (int i = 0; i < Heartbeats.MAX_LEASES; i++) {
            StoredObject gone = new StoredObject(key("gone-" + i), 1, new byte[0]);
            assertThat(heartbeats.beat(gone, renewed(i))).isPresent();
        }

        assertThat(heartbeats.beat(put("l"), renewed(1))).isPresent();
    }

    @Test
    void takesNoMoreThanItHasRoomFor() {
        for (int i = 0; i < Heartbeats.MAX_LEASES; i++) {
            assertThat(heartbeats.beat(put("l-" + i), renewed(i))).isPresent();
        }

        assertThat(heartbeats.beat(put("one-more"), renewed(1))).isEmpty();
        assertThat(heartbeats.beat(world.get(key("l-0")).orElseThrow(), renewed(2)))
                .isPresent();
    }

    private StoredObject put(String name) {
        world = world.after(Samples.put(world, key(name), ""));
        return world.get(key(name)).orElseThrow();
    }

    private static ObjectKey key(String name) {
        return ObjectKey.namespaced("leases.coordination.k8s.io", "default", name);
    }

    private static ObjectNode renewed(int time) {
        return JsonNodeFactory.instance.objectNode().put("renewTime", time);
    }
}
