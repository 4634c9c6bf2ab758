package dev.mooring.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Server in this process with Pods on a real engine. It records every Pod that is created through it, so that leftovers
 * of Pods can be found and, on close, removed.
 */
final class MooringServerFixture implements AutoCloseable {
    /** First three numbers of addresses for Services. Unique on this machine, because the id of a process is. */
    static final String SERVICES_NETWORK =
            "10." + (130 + ProcessHandle.current().pid() / 256 % 64) + "."
                    + ProcessHandle.current().pid() % 256;

    /** Range of addresses for Services. */
    static final String SERVICES_RANGE = SERVICES_NETWORK + ".0/24";

    private final Server server;
    private final MooringClient api;
    private final RealEngineApi docker;
    private final PodLeftovers leftovers;
    private final Set<String> uids;

    private MooringServerFixture(Server server, Path data, RealEngine engine, Set<String> uids) {
        this.server = server;
        this.api = MooringClient.at(server.url(), data);
        this.docker = new RealEngineApi(engine.socket());
        this.uids = uids;
        this.leftovers = new PodLeftovers(data, docker, uids);
    }

    static MooringServerFixture start(Path data) {
        return start(data, RealEngine.shared(), Map.of());
    }

    static MooringServerFixture start(Path data, RealEngine engine, Map<String, String> flags) {
        Map<String, String> all =
                new HashMap<>(Map.of("runtime", "docker", "docker.host", engine.host(), "services.range", "none"));
        all.putAll(flags);
        return new MooringServerFixture(ServerFixture.start(data, all), data, engine, ConcurrentHashMap.newKeySet());
    }

    /** Removes the route of the range, which servers keep. */
    static void removeServicesRoute() throws IOException, InterruptedException {
        new ProcessBuilder("ip", "route", "del", "local", SERVICES_RANGE, "dev", "lo")
                .redirectErrorStream(true)
                .start()
                .waitFor(30, TimeUnit.SECONDS);
    }

    MooringClient api() {
        return api;
    }

    RealEngineApi docker() {
        return docker;
    }

    PodLeftovers leftovers() {
        return leftovers;
    }

    /** Creates a Pod and returns its UID. */
    String createPod(String body) {
        return remember(api.create(MooringClient.PODS, body));
    }

    /** Creates all objects of a YAML file. */
    void apply(String documents) {
        for (String each : documents.split("(?m)^---$", -1)) {
            remember(api.createYaml(each));
        }
    }

    String remember(JsonNode created) {
        String uid = created.at("/metadata/uid").asText();
        uids.add(uid);
        return uid;
    }

    /** The only container of a Pod besides its sandbox, as the engine lists it. */
    JsonNode containerOf(String uid) {
        List<JsonNode> found = leftovers.containers().stream()
                .filter(each ->
                        each.path("Labels").path("dev.mooring.pod.uid").asText().equals(uid))
                .filter(each ->
                        each.path("Labels").path("dev.mooring.role").asText().equals("container"))
                .toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    /** A Pod that runs one script; more fields of its spec such as {@code 'restartPolicy':'Never'} and volumes. */
    static String pod(String name, String script, String... more) {
        String rest = more.length == 0 ? "" : "," + String.join(",", more);
        return "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name
                + "'},'spec':{'terminationGracePeriodSeconds':1,'containers':[" + container(script) + "]" + rest + "}}";
    }

    /** A container called c; more such as {@code 'volumeMounts':[…]}. */
    static String container(String script, String... more) {
        String rest = more.length == 0 ? "" : "," + String.join(",", more);
        return "{'name':'c','image':'busybox:latest','imagePullPolicy':'IfNotPresent','command':['sh','-c','" + script
                + "']" + rest + "}";
    }

    /** Waits until nothing is left of deleted Pods. */
    void assertNoLeftovers() {
        Eventually.await("no leftovers", leftovers::all, List::isEmpty);
    }

    @Override
    public void close() {
        server.close();
        try {
            leftovers.removeAll();
        } catch (UncheckedIOException e) {
            // The engine has been removed with its containers.
            assertThat(docker.socket()).doesNotExist();
        }
    }
}
