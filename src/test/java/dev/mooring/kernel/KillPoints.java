package dev.mooring.kernel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.node.WorldPort;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.Lane;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

/**
 * Brings a node to where it is to be killed: for each operation that is armed, the volume {@code …-a} when the opening event is durable and
 * the plugin has not been called, {@code …-b} when the plugin is done and the closing event is not written, {@code …-c} when that is
 * durable. Who has arrived waits there for ever, the last with the ledger's thread, so that nothing more happens. Any thread.
 */
final class KillPoints implements WholeNode.Tampering {
    private static final Map<String, String> ENDINGS = Map.of(
            "volume_attach", "VolumeAttached",
            "mount_device", "VolumeDeviceMounted",
            "volume_mount", "VolumeMounted",
            "expand_volume", "VolumeExpanded",
            "volume_unmount", "VolumeUnmounted",
            "unmount_device", "VolumeDeviceUnmounted",
            "volume_detach", "VolumeDetached");

    private final Set<String> armed;
    private final Runnable reached;
    private final CountDownLatch around;
    private final CountDownLatch ended;
    private volatile boolean frozen;

    /**
     * @param armed {@code <start of the volumes' names> <operation>}
     * @param reached called when all have arrived
     */
    KillPoints(Set<String> armed, Runnable reached) {
        this.armed = Set.copyOf(armed);
        this.reached = reached;
        this.around = new CountDownLatch(2 * armed.size());
        this.ended = new CountDownLatch(armed.size());
    }

    private boolean isArmed(String volume, String operation, String end) {
        return armed.stream().anyMatch(each -> each.equals(volume.replace(end, "") + ' ' + operation))
                && volume.endsWith(end);
    }

    private void pass(String volume, String operation, String end) throws InterruptedException {
        if (isArmed(volume, operation, end)) {
            around.countDown();
            stay();
        }
    }

    private static void stay() throws InterruptedException {
        new CountDownLatch(1).await();
    }

    @Override
    public VolumePlugins plugins(VolumePlugins real) {
        return new VolumePlugins(real.all().stream()
                .map(each -> each instanceof DevicePlugin device ? new Device(device) : new Plain(each))
                .toList());
    }

    @Override
    public WorldPort world(WorldPort real) {
        return new WorldPort() {
            @Override
            public World world() {
                return real.world();
            }

            @Override
            public CompletionStage<Outcome> propose(Proposal proposal) {
                return isEnd(proposal)
                        ? afterTheOthers(() -> real.propose(proposal)).whenComplete((outcome, broken) -> end(outcome))
                        : real.propose(proposal);
            }
        };
    }

    private boolean isEnd(Proposal proposal) {
        ObjectKey key = proposal.writes().get(0).key();
        String volume = key.name().replaceFirst("\\..*", "");
        return ENDINGS.entrySet().stream()
                .anyMatch(each -> each.getValue().equals(proposal.type()) && isArmed(volume, each.getKey(), "-c"));
    }

    private interface Call<T> {
        T make();
    }

    private <T> T afterTheOthers(Call<T> call) {
        try {
            around.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return call.make();
    }

    private void end(Outcome outcome) {
        if (outcome instanceof Outcome.Committed) {
            // Until the ledger stops, more may be opened; nothing more is done.
            frozen = true;
            ended.countDown();
            if (ended.getCount() == 0) {
                reached.run();
                try {
                    stay();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    private interface Doing<T> {
        T act() throws VolumeException, InterruptedException;
    }

    private <T> T between(String volume, String operation, Doing<T> doing)
            throws VolumeException, InterruptedException {
        if (frozen) {
            stay();
        }
        pass(volume, operation, "-a");
        T done = doing.act();
        pass(volume, operation, "-b");
        return done;
    }

    /** A plugin with the points around it. */
    private class Plain implements VolumePlugin {
        private final VolumePlugin real;

        Plain(VolumePlugin real) {
            this.real = real;
        }

        @Override
        public String name() {
            return real.name();
        }

        @Override
        public boolean supports(JsonNode source) {
            return real.supports(source);
        }

        @Override
        public Optional<String> sharedIdentity(String name, JsonNode source) {
            return real.sharedIdentity(name, source);
        }

        @Override
        public Lane lane(VolumeSpec volume) {
            return real.lane(volume);
        }

        @Override
        public Optional<String> refusal(List<String> mountOptions) {
            return real.refusal(mountOptions);
        }

        @Override
        public Set<ObjectKey> madeOf(JsonNode source, String namespace) {
            return real.madeOf(source, namespace);
        }

        @Override
        public String contentVersion(JsonNode source, ObjectNode pod, ObjectLookup objects) {
            return real.contentVersion(source, pod, objects);
        }

        @Override
        public SetUpDone setUp(SetUp what, Progress progress) throws VolumeException, InterruptedException {
            return between(what.volume().name(), "volume_mount", () -> real.setUp(what, progress));
        }

        @Override
        public void tearDown(TearDown what, Progress progress) throws VolumeException, InterruptedException {
            between(what.name(), "volume_unmount", () -> {
                real.tearDown(what, progress);
                return what;
            });
        }
    }

    /** A plugin with devices, with the points around it. */
    private final class Device extends Plain implements DevicePlugin {
        private final DevicePlugin real;

        Device(DevicePlugin real) {
            super(real);
            this.real = real;
        }

        @Override
        public Attaching attaching() {
            return real.attaching();
        }

        @Override
        public String attach(VolumeSpec volume, Progress progress) throws VolumeException, InterruptedException {
            return between(volume.name(), "volume_attach", () -> real.attach(volume, progress));
        }

        @Override
        public void detach(VolumeSpec volume, Progress progress) throws VolumeException, InterruptedException {
            between(volume.name(), "volume_detach", () -> {
                real.detach(volume, progress);
                return volume;
            });
        }

        @Override
        public DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, Progress progress)
                throws VolumeException, InterruptedException {
            return between(volume.name(), "mount_device", () -> real.mountDevice(volume, devicePath, access, progress));
        }

        @Override
        public void unmountDevice(VolumeSpec volume, DeviceState state, Progress progress)
                throws VolumeException, InterruptedException {
            between(volume.name(), "unmount_device", () -> {
                real.unmountDevice(volume, state, progress);
                return volume;
            });
        }

        @Override
        public Optional<Long> expand(VolumeSpec volume, DeviceState state, Progress progress)
                throws VolumeException, InterruptedException {
            return between(volume.name(), "expand_volume", () -> real.expand(volume, state, progress));
        }
    }
}
