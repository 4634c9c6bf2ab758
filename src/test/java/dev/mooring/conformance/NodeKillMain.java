package dev.mooring.conformance;

import dev.mooring.model.Scope;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.world.WorldEvent;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Runs a server that kills itself at a given point: each line of its input names the next point and is answered with
 * {@code armed}. Shuts down cleanly at the end of its input. Besides the points of {@link NodeKillPlugins} there is one
 * for each event about a volume: {@code event VolumeMounted kubernetes.io/nfs}.
 */
public final class NodeKillMain {
    private NodeKillMain() {}

    public static void main(String[] args) throws IOException {
        Path data = Path.of(args[0]);
        Path listing = Files.createTempFile(data.getParent(), "plugins", "");
        Thread.currentThread().setContextClassLoader(new NodeKillPlugins(listing));
        Server server =
                ServerFixture.start(data, Map.of("api.requestsPerSecond", "1000000", "api.requestBurst", "1000000"));
        Disposable events = server.stateStore()
                .hub()
                .events(
                        server.stateStore().ledger().world().revision(),
                        Scope.resource(StorageNames.ACTUAL_VOLUMES),
                        Schedulers.io())
                .subscribe(event -> NodeKillPlugins.POINTS.reach(name(event)));
        System.out.println("ready " + server.url());
        try (BufferedReader points = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = points.readLine(); line != null; line = points.readLine()) {
                NodeKillPlugins.POINTS.arm(line);
                System.out.println("armed");
            }
        }
        NodeKillPlugins.POINTS.arm("");
        events.dispose();
        server.close();
        System.exit(0);
    }

    private static String name(WorldEvent event) {
        String plugin = ActualVolume.of(event.event().changes().get(0).object()).plugin();
        return "event " + event.event().type() + ' ' + plugin;
    }
}
