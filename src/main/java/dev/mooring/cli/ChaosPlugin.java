package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.volume.DevicePlugin;
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
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A plugin that fails or waits if a fault is armed, before anything is touched, and is the real one otherwise. As thread-safe as that. */
class ChaosPlugin implements VolumePlugin {
    private final VolumePlugin real;
    private final ChaosMounts mounts;

    ChaosPlugin(VolumePlugin real, ChaosMounts mounts) {
        this.real = real;
        this.mounts = mounts;
    }

    /** All of them. */
    static VolumePlugins around(VolumePlugins plugins, ChaosMounts mounts) {
        return new VolumePlugins(plugins.all().stream()
                .map(each -> each instanceof DevicePlugin device
                        ? new ChaosDevicePlugin(device, mounts)
                        : new ChaosPlugin(each, mounts))
                .toList());
    }

    ChaosMounts mounts() {
        return mounts;
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
        mounts.mayBegin();
        mounts.awaitServer(what.volume().source().path("nfs").path("server").asText(""));
        return real.setUp(what, progress);
    }

    @Override
    public void tearDown(TearDown what, Progress progress) throws VolumeException, InterruptedException {
        mounts.awaitServer(what.server());
        real.tearDown(what, progress);
    }
}
