package dev.mooring.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.cli.Server;
import dev.mooring.cli.TestServers;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A server in this process with Pods on a real engine. It remembers every Pod that is made through it, so that what is left of them can be
 * found and, when it is closed, taken away.
 */
final class EngineServer implements AutoCloseable {
    private final Server server;
    private final EngineApi api;
    private final RealEngineApi docker;
    private final Remains remains;
    private final Set<String> uids;

    private EngineServer(Server server, Path data, RealEngine engine, Set<String> uids) {
        this.server = server;
        this.api = EngineApi.at(server.url(), data);
        this.docker = new RealEngineApi(engine.socket());
        this.uids = uids;
        this.remains = new Remains(data, docker, uids);
    }

    static EngineServer start(Path data) {
        return start(data, RealEngine.shared(), Map.of());
    }

    static EngineServer start(Path data, RealEngine engine, Map<String, String> flags) {
        Map<String, String> all = new HashMap<>(Map.of("runtime", "docker", "docker.host", engine.host()));
        all.putAll(flags);
        return new EngineServer(TestServers.start(data, all), data, engine, ConcurrentHashMap.newKeySet());
    }

    EngineApi api() {
        return api;
    }

    RealEngineApi docker() {
        return docker;
    }

    Remains remains() {
        return remains;
    }

    /** Makes a Pod and returns its uid. */
    String makePod(String body) {
        return remember(api.make(EngineApi.PODS, body));
    }

    /** Makes all objects of a file's text. */
    void apply(String documents) {
        for (String each : documents.split("(?m)^---$", -1)) {
            remember(api.makeYaml(each));
        }
    }

    String remember(JsonNode made) {
        String uid = made.at("/metadata/uid").asText();
        uids.add(uid);
        return uid;
    }

    /** The only container of a Pod that is one of its spec's, as the engine lists it. */
    JsonNode containerOf(String uid) {
        List<JsonNode> found = remains.containers().stream()
                .filter(each ->
                        each.path("Labels").path("dev.mooring.pod.uid").asText().equals(uid))
                .filter(each ->
                        each.path("Labels").path("dev.mooring.role").asText().equals("container"))
                .toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    /** A Pod that runs one script, with some of its spec such as {@code 'restartPolicy':'Never'} and volumes. */
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

    /** Nothing is left of Pods that are gone. */
    void nothingRemains() {
        Eventually.see("nothing to be left", remains::all, List::isEmpty);
    }

    @Override
    public void close() {
        server.close();
        try {
            remains.sweep();
        } catch (UncheckedIOException e) {
            // The engine is gone, and its containers with it.
            assertThat(docker.socket()).doesNotExist();
        }
    }
}
