package dev.mooring.control.persistentvolume;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.control.persistentvolume.Provisioning.StartResult;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageClass;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The decisions of section C of the controller's cases; {@code mock} is {@code mooring.dev/hostpath}. */
class ProvisioningTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.5Z");
    private static final ObjectKey CLAIM = ObjectKey.parse("persistentvolumeclaims/default/data");
    private static final ObjectKey OPERATION = ObjectKey.parse("volumeoperations.mooring.dev/provision-uid-data");

    private static final String NODES = """
        {kind: Namespace, metadata: {name: default}}
        ---
        {kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1, zone: a}}}
        """;

    private static String storageClass(String fields) {
        return "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: gold}, " + fields + "}\n";
    }

    private static String claim(String metadata, String spec) {
        return "---\n{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, " + metadata
                + "}, spec: {"
                + (spec.contains("accessModes") ? "" : "accessModes: [ReadWriteOnce], ")
                + "resources: {requests: {storage: 1Gi}}, storageClassName: gold, " + spec
                + "}, status: {phase: Pending}}\n";
    }

    private static final String HOST_PATH = storageClass("provisioner: mooring.dev/hostpath");

    private static StartResult decide(World world) {
        StartResult start = Provisioning.decide(
                world,
                Claim.of(world.get(CLAIM).orElseThrow()),
                StorageClass.of(world.get(StorageClass.key("gold")).orElseThrow()),
                NOW);
        // A decision changes nothing, and a second one is equal.
        StartResult repeated = Provisioning.decide(
                world,
                Claim.of(world.get(CLAIM).orElseThrow()),
                StorageClass.of(world.get(StorageClass.key("gold")).orElseThrow()),
                NOW);
        assertThat(repeated.toString().replaceAll("@[0-9a-f]+", ""))
                .isEqualTo(start.toString().replaceAll("@[0-9a-f]+", ""));
        return start;
    }

    private static StartResult decide(String yaml) {
        return decide(WorldFixture.of(yaml));
    }

    private static Proposal begin(World world) {
        StartResult start = decide(world);
        assertThat(start).isInstanceOf(StartResult.Begin.class);
        return ((StartResult.Begin) start).proposal();
    }

    private static String impossible(String yaml) {
        StartResult start = decide(yaml);
        assertThat(start).isInstanceOf(StartResult.Impossible.class);
        return ((StartResult.Impossible) start).message();
    }

    @Test
    void claim_provisionable_createsOperationAndAnnotatesClaimInOneEvent() {
        World world = WorldFixture.of(NODES
                + storageClass("provisioner: mooring.dev/hostpath, parameters: {mode: '0700', pathPattern:"
                        + " '${pvc.namespace}/${pvc.name}'}")
                + claim(
                        "annotations: {foreign: stays}, finalizers: [kubernetes.io/pvc-protection]",
                        "unknown: {field: 1}"));
        Proposal proposal = begin(world);
        assertThat(proposal.type()).isEqualTo("ProvisioningRequested");
        assertThat(proposal.actor()).isEqualTo("persistentvolume-controller");
        assertThat(proposal.expectations().stream().map(each -> each.key().text()))
                .containsExactlyInAnyOrder(
                        OPERATION.text(),
                        CLAIM.text(),
                        "storageclasses.storage.k8s.io/gold",
                        "nodes/n1",
                        "persistentvolumes/pvc-uid-data");
        World after = WorldFixture.after(world, proposal);
        ObjectNode operation = after.get(OPERATION).orElseThrow().toTree();
        assertThat(operation.path("kind").asText()).isEqualTo("VolumeOperation");
        assertThat(operation.path("metadata").path("creationTimestamp").asText())
                .isEqualTo("2026-01-01T00:00:00Z");
        assertThat(operation.path("spec"))
                .isEqualTo(
                        WorldFixture.objects("""
                            metadata: {name: x}
                            spec:
                              operation: Provision
                              node: n1
                              provisioner: mooring.dev/hostpath
                              persistentVolume: pvc-uid-data
                              persistentVolumeUID: %s
                              claim: {namespace: default, name: data, uid: uid-data}
                              namespaceUID: uid-default
                              storageClassName: gold
                              path: default/data
                              volumeMode: Filesystem
                              capacity: 1Gi
                              parameters: {mode: '0700', pathPattern: '${pvc.namespace}/${pvc.name}'}
                            """.formatted(ProvisionOperations.volumeUid("uid-data", "pvc-uid-data")))
                                .get(0)
                                .path("spec"));
        assertThat(operation.has("status")).isFalse();
        ObjectNode claim = after.get(CLAIM).orElseThrow().toTree();
        assertThat(claim.path("metadata").path("annotations"))
                .isEqualTo(WorldFixture.objects("""
                    metadata: {name: x}
                    foreign: stays
                    volume.beta.kubernetes.io/storage-provisioner: mooring.dev/hostpath
                    volume.kubernetes.io/storage-provisioner: mooring.dev/hostpath
                    """).get(0).without(java.util.List.of("metadata", "apiVersion")));
        assertThat(claim.path("spec").path("unknown").path("field").asInt()).isEqualTo(1);
        assertThat(claim.path("status")
                        .path("conditions")
                        .path(0)
                        .path("message")
                        .asText())
                .isEqualTo("waiting for node \"n1\" to provision volume \"pvc-uid-data\" with mooring.dev/hostpath");
        StartResult.Underway underway = (StartResult.Underway) decide(after);
        assertThat(underway.operation().key()).isEqualTo(OPERATION);
        assertThat(underway.message())
                .isEqualTo(claim.path("status")
                        .path("conditions")
                        .path(0)
                        .path("message")
                        .asText());
    }

    @Test
    void claim_alreadyAnnotated_isNotWritten() {
        World world = WorldFixture.of(NODES + HOST_PATH + claim("", ""));
        World once = WorldFixture.after(world, begin(world));
        World repeated = WorldFixture.after(
                once,
                Proposal.by("x", "X").remove(once.get(OPERATION).orElseThrow()).build());
        assertThat(begin(repeated).writes()).extracting(Proposal.Write::key).containsExactly(OPERATION);
        assertThat(begin(repeated).expectations())
                .extracting(Proposal.Expectation::key)
                .contains(CLAIM);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        11-25 | provisioner: mooring.dev/hostpath | dataSource: {kind: VolumeSnapshot, name: s} | plugin "mooring.dev/hostpath" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource; next: create the claim without dataSource and copy the data into it
        ref   | provisioner: mooring.dev/nfs      | dataSourceRef: {kind: X, name: s}           | plugin "mooring.dev/nfs" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource; next: create the claim without dataSource and copy the data into it
        J9    | provisioner: mooring.dev/hostpath | selector: {matchLabels: {a: b}}             | claim.spec.selector is not supported for dynamic provisioning; next: create the claim without selector, or a PersistentVolume with these labels and class "gold"
        11-20 | "provisioner: mooring.dev/hostpath, mountOptions: [foo, bar]" | "" | Mount options are not supported by the provisioner but StorageClass "gold" has mount options [foo bar]
        mount | "provisioner: mooring.dev/block, mountOptions: [foo]" | ""         | Mount options are not supported by the provisioner but StorageClass "gold" has mount options [foo]
        11-2  | provisioner: mooring.dev/unknown  | ""                                          | no volume plugin matched name: mooring.dev/unknown; the provisioner is not a provisioner of Mooring; known provisioners are mooring.dev/hostpath, mooring.dev/local, mooring.dev/nfs, mooring.dev/block
        mode  | provisioner: mooring.dev/local    | volumeMode: Block                           | mooring.dev/local does not support block volume provisioning; next: use volumeMode Filesystem, or a class with the provisioner mooring.dev/block
        RWX   | provisioner: mooring.dev/block    | "accessModes: [ReadWriteOnce, ReadWriteMany]" | invalid AccessModes [ReadWriteOnce ReadWriteMany]: only AccessModes [ReadWriteOnce ReadWriteOncePod] are supported; next: use one of them, or a class with the provisioner mooring.dev/nfs
        ROX   | provisioner: mooring.dev/block    | accessModes: [ReadOnlyMany]                 | invalid AccessModes [ReadOnlyMany]: only AccessModes [ReadWriteOnce ReadWriteOncePod] are supported; next: use one of them, or a class with the provisioner mooring.dev/nfs
        VAC   | provisioner: mooring.dev/hostpath | volumeAttributesClassName: fast             | volumeAttributesClassName is not supported by mooring.dev/hostpath; next: create the claim without it
        old   | "provisioner: mooring.dev/hostpath, parameters: {pathPattern: ../x}" | ""  | "StorageClass ""gold"": parameters[pathPattern]: Invalid value: ""../x"": must not contain the segment '..'"
        label | "provisioner: mooring.dev/hostpath, parameters: {pathPattern: '${pvc.labels[''team'']}'}" | "" | StorageClass "gold" has no valid path for the claim: ${pvc.labels['team']} is "": not set on the claim
        name  | provisioner: mooring.dev/hostpath | volumeName: mine                            | PersistentVolume "mine" not found, and StorageClass "gold" does not provision volumes under requested names (createMissingVolume: "true")
        bad   | "provisioner: mooring.dev/hostpath, parameters: {createMissingVolume: 'true'}" | volumeName: a/b | no PersistentVolume can be named "a/b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character
        """)
    void claim_notProvisionable_reportsReason(String id, String storageClass, String spec, String message) {
        assertThat(impossible(NODES + storageClass(storageClass) + claim("", spec == null ? "" : spec)))
                .as(id)
                .isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        provisioner: mooring.dev/hostpath | accessModes: [ReadWriteMany]
        provisioner: mooring.dev/local    | "accessModes: [ReadOnlyMany, ReadWriteMany]"
        provisioner: mooring.dev/nfs      | accessModes: [ReadWriteMany]
        "provisioner: mooring.dev/nfs, mountOptions: [vers=4.2]" | ""
        provisioner: mooring.dev/block    | accessModes: [ReadWriteOncePod]
        provisioner: mooring.dev/block    | volumeMode: Block
        provisioner: mooring.dev/block    | "volumeMode: Block, accessModes: [ReadWriteMany]"
        provisioner: mooring.dev/hostpath | selector: {}
        """)
    void claim_supportedBySpecAndClass_isProvisioned(String storageClass, String spec) {
        World world = WorldFixture.of(NODES + storageClass(storageClass) + claim("", spec == null ? "" : spec));
        assertThat(begin(world).type()).isEqualTo("ProvisioningRequested");
    }

    @Test
    void claim_namesMissingVolume_isProvisionedUnderThatName() {
        String missing = storageClass("provisioner: mooring.dev/hostpath, parameters: {createMissingVolume: 'true'}");
        World world = WorldFixture.of(NODES + missing + claim("", "volumeName: mine"));
        World after = WorldFixture.after(world, begin(world));
        ObjectNode operation = after.get(OPERATION).orElseThrow().toTree();
        assertThat(operation.path("spec").path("persistentVolume").asText()).isEqualTo("mine");
        assertThat(operation.path("spec").path("path").asText()).isEqualTo("mine");
        assertThat(operation.path("spec").path("persistentVolumeUID").asText())
                .isEqualTo(ProvisionOperations.volumeUid("uid-data", "mine"));
    }

    @Test
    void claim_namesVolumeThatExistsOrIsBeingProvisioned_isRejected() {
        String missing = storageClass("provisioner: mooring.dev/hostpath, parameters: {createMissingVolume: 'true'}");
        String rest = NODES + missing + claim("", "volumeName: mine");
        assertThat(impossible(rest + "---\n{kind: PersistentVolume, metadata: {name: mine}}"))
                .isEqualTo("PersistentVolume \"mine\" already exists");
        String competing = "---\n"
                + "{apiVersion: mooring.dev/v1, kind: VolumeOperation, metadata: {name: provision-other}, spec:"
                + " {operation: %s, persistentVolume: mine, claim: {namespace: team, name: first, uid: other}}}";
        assertThat(impossible(rest + competing.formatted("Provision")))
                .isEqualTo("PersistentVolume \"mine\" is being provisioned for another claim, team/first");
        assertThat(decide(rest + competing.formatted("Delete"))).isInstanceOf(StartResult.Begin.class);
    }

    @Test
    void claim_itsGeneratedVolumeNameExists_isRejected() {
        assertThat(impossible(NODES + HOST_PATH + claim("", "")
                        + "---\n{kind: PersistentVolume, metadata: {name: pvc-uid-data}}"))
                .isEqualTo("PersistentVolume \"pvc-uid-data\" already exists and cannot be bound to the claim; next:"
                        + " delete it");
    }

    @Test
    void claim_selectedNode_isUsedEvenIfCordonedAndMustExist() {
        String chosen = claim("annotations: {volume.kubernetes.io/selected-node: n2}", "");
        World world = WorldFixture.of(
                NODES + HOST_PATH + chosen + "---\n{kind: Node, metadata: {name: n2}, spec: {unschedulable: true}}");
        assertThat(node(world)).isEqualTo("n2");
        assertThat(impossible(NODES + HOST_PATH + chosen))
                .isEqualTo("Failed to get target node: node \"n2\" not found");
        assertThat(impossible(
                        NODES + HOST_PATH + claim("annotations: {volume.kubernetes.io/selected-node: a/b c}", "")))
                .isEqualTo("Failed to get target node: node \"a/b c\" not found");
    }

    private static String node(World world) {
        World after = WorldFixture.after(world, begin(world));
        return after.get(OPERATION)
                .orElseThrow()
                .toTree()
                .path("spec")
                .path("node")
                .asText();
    }

    private static final String UNSUITABLE = """
        ---
        {kind: Node, metadata: {name: away}, status: {conditions: [{type: Ready, status: Unknown}]}}
        ---
        {kind: Node, metadata: {name: cordoned, labels: {zone: a}}, spec: {unschedulable: true}}
        ---
        {kind: Node, metadata: {name: elsewhere, labels: {zone: b}}, status: {conditions: [{type: Ready, status: 'True'}]}}
        """;

    private static final String ZONE_A = storageClass(
            "provisioner: mooring.dev/local, allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a]}]}]");

    @Test
    void claim_someNodesUnsuitable_isProvisionedOnASuitableOne() {
        for (int i = 0; i < 20; i++) {
            World world =
                    WorldFixture.of(NODES + UNSUITABLE + ZONE_A + claim("uid: uid-data, labels: {i: '" + i + "'}", ""));
            assertThat(node(world)).isEqualTo("n1");
        }
    }

    @Test
    void claim_allNodesUnsuitable_reportsReasonPerNode() {
        assertThat(impossible(UNSUITABLE + ZONE_A + claim("", "")))
                .isEqualTo("no node can provision the volume: away is not ready, cordoned is cordoned, elsewhere is"
                        + " not in allowedTopologies of StorageClass \"gold\"");
        assertThat(impossible(HOST_PATH + claim("", "")))
                .isEqualTo("no node can provision the volume: there are no nodes");
        StringBuilder nodeList = new StringBuilder();
        for (int i = 10; i < 30; i++) {
            nodeList.append("---\n{kind: Node, metadata: {name: n")
                    .append(i)
                    .append("}, spec: {unschedulable: true}}\n");
        }
        assertThat(impossible(nodeList + HOST_PATH + claim("", "")))
                .startsWith("no node can provision the volume: n10 is cordoned, n11 is cordoned")
                .endsWith("n19 is cordoned, and 10 more");
    }

    @Test
    void nodeChoice_spreadsClaimsAndIsStableWhenANodeIsRemoved() {
        StringBuilder nodes = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            nodes.append("---\n{kind: Node, metadata: {name: node-").append(i).append("}}\n");
        }
        World all = WorldFixture.of(nodes.toString());
        World fewer = WorldFixture.after(
                all,
                Proposal.by("x", "X")
                        .remove(all.get(ObjectKey.parse("nodes/node-2")).orElseThrow())
                        .build());
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < 1000; i++) {
            String chosen = chosen(all, "uid-" + i);
            counts.merge(chosen, 1, Integer::sum);
            assertThat(chosen(all, "uid-" + i)).isEqualTo(chosen);
            if (!chosen.equals("node-2")) {
                assertThat(chosen(fewer, "uid-" + i)).isEqualTo(chosen);
            }
        }
        assertThat(counts)
                .hasSize(4)
                .allSatisfy((node, count) -> assertThat(count).isBetween(180, 320));
    }

    private static String chosen(World world, String uid) {
        return ((NodeChoice.Chosen) NodeChoice.of(world, uid, java.util.Optional.empty()))
                .node()
                .name();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        operation: Provision, node: n1   | {}                                              | waiting for node "n1" to provision volume "v" with mooring.dev/hostpath
        operation: Provision, node: n1   | {state: Running}                                | waiting for node "n1" to provision volume "v" with mooring.dev/hostpath
        operation: Provision, node: n1   | {state: Failed, lastError: {message: disk full}} | failed to provision volume with StorageClass "gold": disk full
        operation: Provision, node: n1   | {state: Running, lastError: {message: disk full}} | failed to provision volume with StorageClass "gold": disk full
        operation: Provision, node: n1   | {state: Failed, lastError: {reason: NoSpace}}   | failed to provision volume with StorageClass "gold": NoSpace
        operation: Provision, node: n1   | {state: Failed}                                 | failed to provision volume with StorageClass "gold": the operation failed
        operation: Provision, node: n1   | {state: Succeeded}                              | failed to provision volume with StorageClass "gold": node "n1" reports success, but no source
        operation: Provision, node: away | {state: Running}                                | failed to provision volume with StorageClass "gold": node "away" is not ready and may have started to provision volume "v": it must become ready to finish
        operation: Provision, node: away | {}                                              | failed to provision volume with StorageClass "gold": node "away" is not ready, and another node must be chosen
        operation: Delete, node: n1      | {}                                              | data of an earlier attempt on node "n1" is being removed first
        operation: Delete, node: n1      | {state: Failed, lastError: {message: busy}}     | "data of an earlier attempt on node ""n1"" is being removed first: busy"
        operation: Delete, node: away    | {}                                              | "data of an earlier attempt on node ""away"" is being removed first: node ""away"" is not ready and must become ready for that"
        """)
    void claim_operationInProgress_reportsItsState(String operation, String status, String message) {
        StartResult start = decide(NODES + UNSUITABLE + HOST_PATH + claim("", "")
                + "---\n"
                + "{apiVersion: mooring.dev/v1, kind: VolumeOperation, metadata: {name: provision-uid-data}, spec: {"
                + operation
                + ", provisioner: mooring.dev/hostpath, persistentVolume: v, storageClassName: gold, claim:"
                + " {namespace: default, name: data, uid: uid-data}}, status: " + status + "}");
        assertThat(((StartResult.Underway) start).message()).isEqualTo(message);
    }
}
