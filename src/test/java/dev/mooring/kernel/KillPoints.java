package dev.mooring.kernel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.node.WorldPort;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
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
 * Blocks a node at the points at which it is to be killed. For each armed operation these are: for the volume
 * {@code …-a}, after the opening event is durable and before the plugin is called; for {@code …-b}, after the plugin
 * call and before the closing event is written; for {@code …-c}, after the closing event is durable. A thread that
 * arrives blocks forever, the last one is the ledger's, so that nothing more happens. Thread-safe.
 */
final class KillPoints implements RealNodeFixture.Interception {
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
    private final CountDownLatch beforeAndAfter;
    private final CountDownLatch ended;
    private volatile boolean frozen;

    /**
     * @param armed {@code <prefix of the volume names> <operation>}
     * @param reached called when all points are reached
     */
    KillPoints(Set<String> armed, Runnable reached) {
        this.armed = Set.copyOf(armed);
        this.reached = reached;
        this.beforeAndAfter = new CountDownLatch(2 * armed.size());
        this.ended = new CountDownLatch(armed.size());
    }

    private boolean isArmed(String volume, String operation, String end) {
        return armed.stream().anyMatch(each -> each.equals(volume.replace(end, "") + ' ' + operation))
                && volume.endsWith(end);
    }

    private void blockIfArmed(String volume, String operation, String end) throws InterruptedException {
        if (isArmed(volume, operation, end)) {
            beforeAndAfter.countDown();
            blockForever();
        }
    }

    private static void blockForever() throws InterruptedException {
        new CountDownLatch(1).await();
    }

    @Override
    public VolumePlugins plugins(VolumePlugins real) {
        return new VolumePlugins(real.all().stream()
                .map(each -> each instanceof DevicePlugin device
                        ? new KillPointDevicePlugin(device)
                        : new KillPointPlugin(each))
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
                return isArmedEnd(proposal)
                        ? awaitOthersThen(() -> real.propose(proposal)).whenComplete((outcome, failure) -> end(outcome))
                        : real.propose(proposal);
            }
        };
    }

    private boolean isArmedEnd(Proposal proposal) {
        ObjectKey key = proposal.writes().get(0).key();
        String volume = key.name().replaceFirst("\\..*", "");
        return ENDINGS.entrySet().stream()
                .anyMatch(each -> each.getValue().equals(proposal.type()) && isArmed(volume, each.getKey(), "-c"));
    }

    private interface WorldCall<T> {
        T make();
    }

    private <T> T awaitOthersThen(WorldCall<T> call) {
        try {
            beforeAndAfter.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return call.make();
    }

    private void end(Outcome outcome) {
        if (outcome instanceof Outcome.Committed) {
            // Until the ledger blocks, operations may be opened, but no plugin is called.
            frozen = true;
            ended.countDown();
            if (ended.getCount() == 0) {
                reached.run();
                try {
                    blockForever();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    private interface PluginCall<T> {
        T run() throws VolumeException, InterruptedException;
    }

    private <T> T around(String volume, String operation, PluginCall<T> call)
            throws VolumeException, InterruptedException {
        if (frozen) {
            blockForever();
        }
        blockIfArmed(volume, operation, "-a");
        T result = call.run();
        blockIfArmed(volume, operation, "-b");
        return result;
    }

    /** A plugin with kill points before and after its calls. */
    private class KillPointPlugin implements VolumePlugin {
        private final VolumePlugin real;

        KillPointPlugin(VolumePlugin real) {
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
        public WorkerPoolKey workerPool(VolumeSpec volume) {
            return real.workerPool(volume);
        }

        @Override
        public Optional<String> mountOptionsError(List<String> mountOptions) {
            return real.mountOptionsError(mountOptions);
        }

        @Override
        public String contentVersion(JsonNode source, ObjectNode pod, ObjectLookup objects) {
            return real.contentVersion(source, pod, objects);
        }

        @Override
        public SetUpResult setUp(SetUpRequest request, OperationProgress progress)
                throws VolumeException, InterruptedException {
            return around(request.volume().name(), "volume_mount", () -> real.setUp(request, progress));
        }

        @Override
        public void tearDown(TearDownRequest request, OperationProgress progress)
                throws VolumeException, InterruptedException {
            around(request.name(), "volume_unmount", () -> {
                real.tearDown(request, progress);
                return request;
            });
        }
    }

    /** A device plugin with kill points before and after its calls. */
    private final class KillPointDevicePlugin extends KillPointPlugin implements DevicePlugin {
        private final DevicePlugin real;

        KillPointDevicePlugin(DevicePlugin real) {
            super(real);
            this.real = real;
        }

        @Override
        public AttachMode attachMode() {
            return real.attachMode();
        }

        @Override
        public String attach(VolumeSpec volume, OperationProgress progress)
                throws VolumeException, InterruptedException {
            return around(volume.name(), "volume_attach", () -> real.attach(volume, progress));
        }

        @Override
        public void detach(VolumeSpec volume, OperationProgress progress) throws VolumeException, InterruptedException {
            around(volume.name(), "volume_detach", () -> {
                real.detach(volume, progress);
                return volume;
            });
        }

        @Override
        public DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, OperationProgress progress)
                throws VolumeException, InterruptedException {
            return around(volume.name(), "mount_device", () -> real.mountDevice(volume, devicePath, access, progress));
        }

        @Override
        public void unmountDevice(VolumeSpec volume, DeviceState state, OperationProgress progress)
                throws VolumeException, InterruptedException {
            around(volume.name(), "unmount_device", () -> {
                real.unmountDevice(volume, state, progress);
                return volume;
            });
        }

        @Override
        public Optional<Long> expand(VolumeSpec volume, DeviceState state, OperationProgress progress)
                throws VolumeException, InterruptedException {
            return around(volume.name(), "expand_volume", () -> real.expand(volume, state, progress));
        }
    }
}
