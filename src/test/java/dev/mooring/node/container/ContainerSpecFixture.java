package dev.mooring.node.container;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.runtime.ImageFacts;
import dev.mooring.volume.FakeMounter;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.subpath.SubPaths;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Builds container specs on a node with a few objects. JSON may have unquoted field names and single quotes. */
final class ContainerSpecFixture {
    static final ContainerSpecs.JoinedContainers JOINED =
            new ContainerSpecs.JoinedContainers("the-sandbox", Optional.empty());
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES, JsonReadFeature.ALLOW_SINGLE_QUOTES)
            .build();

    static final long PIDS = 77;

    static final ImageFacts IMAGE = new ImageFacts("sha256:1234", List.of(), List.of(), List.of(), 1, "");
    static final ContainerSpecs.PodAddresses ADDRESSES = new ContainerSpecs.PodAddresses("172.17.0.5", "10.0.0.1");

    final NodeLayout layout;
    final Map<ObjectKey, ObjectNode> objects = new HashMap<>();
    Mounter mounter;
    FakeMounter fake;
    Dns machineDns = new Dns(List.of("127.0.0.1", "10.0.0.53"), List.of("corp.example"), List.of("ndots:1", "rotate"));
    PodNetworking networking = PodNetworking.NONE;
    boolean mayLowerOomScore = true;
    boolean recursive;

    ContainerSpecFixture(Path directory) {
        try {
            layout = new NodeLayout(directory.toRealPath().resolve("node"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        fake = FakeMounter.onDisk(layout);
        mounter = fake;
        put("configmaps", "conf", "{data: {a: 'alpha', 'b.txt': 'beta', A: 'big'}, binaryData: {bin: 'AAE='}}");
        put("secrets", "sec", "{data: {user: 'bWU=', broken: '*'}}");
        put("secrets", "good", "{data: {user: 'bWU=', pass: 'czNjcmV0'}}");
        objects.put(
                ObjectKey.clusterWide("nodes", "n1"),
                json("{status: {capacity: {cpu: '4', memory: '8Gi'}, allocatable: {cpu: '3500m', memory: '7Gi'}}}"));
    }

    void put(String resource, String name, String json) {
        objects.put(ObjectKey.namespaced(resource, "shop", name), json(json));
    }

    ContainerSpecs specs() {
        SystemCalls calls = SystemCalls.real();
        return new ContainerSpecs(new ContainerSpecs.ContainerSpecContext(
                layout,
                mounter,
                calls,
                new SubPaths(layout, mounter, calls, new ChildProcess(), Duration.ofMinutes(1)),
                key -> Optional.ofNullable(objects.get(key)),
                () -> machineDns,
                networking,
                () -> recursive,
                () -> mayLowerOomScore,
                OptionalLong.of(PIDS)));
    }

    ContainerSpecs.PreparedContainer container(Pod pod, String container, List<PodVolume> volumes)
            throws ConfigException, InterruptedException {
        ObjectNode tree = named(container);
        return specs().container(pod, tree, labels("c", 0), JOINED, IMAGE, volumes, ADDRESSES);
    }

    /** Returns the container, named c unless it has a name. */
    static ObjectNode named(String container) {
        ObjectNode tree = json(container);
        return tree.has("name") ? tree : tree.put("name", "c");
    }

    static ContainerLabels.ContainerIdentity labels(String container, int attempt) {
        ContainerLabels.ContainerRole role =
                container.isEmpty() ? ContainerLabels.ContainerRole.SANDBOX : ContainerLabels.ContainerRole.CONTAINER;
        return new ContainerLabels.ContainerIdentity("mine", "u1", "web", "shop", role, container, attempt, 0, "h", "");
    }

    /** Returns Pod shop/web on node n1. */
    static Pod pod(String spec) {
        return pod("web", spec);
    }

    static Pod pod(String name, String spec) {
        ObjectNode tree = json("{metadata: {namespace: 'shop', uid: 'u1', labels: {app: 'front', 'x/y': 'z'},"
                + " annotations: {note: 'hello'}}, status: {qosClass: 'Burstable'}}");
        ((ObjectNode) tree.get("metadata")).put("name", name);
        ObjectNode given = json(spec);
        ObjectNode specTree = given.has("status") ? (ObjectNode) given.path("spec") : given;
        if (given.has("status")) {
            tree.set("status", given.path("status"));
        }
        specTree.put("nodeName", "n1");
        tree.set("spec", specTree);
        return Pod.of(new StoredObject(Pod.key("shop", name), 7, tree.toString().getBytes(StandardCharsets.UTF_8)));
    }

    static ObjectNode json(String text) {
        try {
            JsonNode tree = MAPPER.readTree(text);
            return (ObjectNode) tree;
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A call that returns a text or fails with a {@link ConfigException}. */
    interface SpecCall {
        String result() throws ConfigException, InterruptedException;
    }

    /** Returns the result of a call, or the reason and message of its failure. */
    static String resultOf(SpecCall call) throws InterruptedException {
        try {
            return call.result();
        } catch (ConfigException e) {
            return e.reason() + ": " + e.getMessage();
        }
    }
}
