package dev.mooring.api.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Grant;
import dev.mooring.api.auth.Role;
import dev.mooring.api.auth.User;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.OptimisticCommitter.ProposeAndRespond;
import dev.mooring.api.resource.OptimisticCommitter.RespondOnly;
import dev.mooring.api.resource.OptimisticCommitter.WriteDecision;
import dev.mooring.api.resource.WriteOptions.FieldValidation;
import dev.mooring.api.resource.WriteOptions.Mode;
import dev.mooring.api.resource.WriteStrategy.FoundObject;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.api.types.Schemas;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests admission of writes against the state of other objects, without a server. */
class AdmissionTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);
    private static final Catalog CATALOG = new KindTable(Schemas.ofThisProgram(), CLOCK).catalog();
    private static final String NAMESPACE = "{kind: Namespace, metadata: {name: team}}";
    private static final String CLAIM = "persistentvolumeclaims/team/data";

    private static final User ADMIN = User.of("me", new Grant(Role.ADMIN, Set.of(Grant.EVERYWHERE)));

    private final WriteStrategy writing = new WriteStrategy(
            CLOCK,
            new IdGenerator() {
                @Override
                public String uid() {
                    return "a-uid";
                }

                @Override
                public String nameSuffix() {
                    return "xxxxx";
                }
            },
            new LeaseCache(() -> World.EMPTY, Clock.systemUTC()),
            new Admission(PodPolicy.DENY_ALL));

    private World world = WorldFixture.of(NAMESPACE);

    private void storageClass(String name, String created, String annotations) {
        put("""
            {kind: StorageClass, apiVersion: storage.k8s.io/v1, provisioner: vendor.example/disk,
             metadata: {name: NAME, creationTimestamp: '2026-01-01T00:00:CREATEDZ', annotations: {ANNOTATIONS}}}
            """.replace("NAME", name).replace("CREATED", created).replace("ANNOTATIONS", annotations));
    }

    private void put(String yaml) {
        world = WorldFixture.put(world, WorldFixture.objects(yaml).get(0));
    }

    private ObjectNode create(String resource, String yaml, Mode mode) {
        ObjectNode object = WorldFixture.objects(yaml).get(0);
        KindDefinition kind = CATALOG.ofResource(resource).orElseThrow();
        kind.rules().normalize(object);
        ResourceRef target = new ResourceRef(
                kind, kind.isNamespaced() ? Optional.of("team") : Optional.empty(), Optional.empty(), "");
        return result(writing.create(world, target, object, (written, now) -> {}, options(mode), List.of()));
    }

    private ObjectNode createClaim(String more) {
        return create("persistentvolumeclaims", claim(more), Mode.COMMIT);
    }

    private static String claim(String more) {
        return "{kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources:"
                + " {requests: {storage: 1Gi}}, " + more + "}}";
    }

    private ObjectNode update(String part, JsonNode wanted) {
        ResourceRef target = new ResourceRef(
                CATALOG.ofResource("persistentvolumeclaims").orElseThrow(),
                Optional.of("team"),
                Optional.of("data"),
                part);
        FoundObject found =
                FoundObject.in(world, world.get(ObjectKey.parse(CLAIM)).orElseThrow());
        return result(writing.update(
                target, found, wanted.deepCopy(), (written, now) -> {}, options(Mode.COMMIT), List.of()));
    }

    private static WriteOptions options(Mode mode) {
        return new WriteOptions(ADMIN, "tests", "r1", mode, FieldValidation.STRICT);
    }

    private ObjectNode result(WriteDecision step) {
        if (step instanceof RespondOnly done) {
            return WorldFixture.objects(new String(done.response().json(), StandardCharsets.UTF_8))
                    .get(0);
        }
        ProposeAndRespond commit = (ProposeAndRespond) step;
        world = WorldFixture.after(world, commit.proposal());
        return WorldFixture.tree(world, commit.proposal().writes().get(0).key().text());
    }

    private static JsonNode className(JsonNode claim) {
        return claim.path("spec").path("storageClassName");
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void create_claimOrVolumeInAnyMode_addsProtectionFinalizer(Mode mode) {
        assertThat(create("persistentvolumeclaims", claim("volumeMode: Block"), mode)
                        .at("/metadata/finalizers")
                        .toString())
                .isEqualTo("[\"kubernetes.io/pvc-protection\"]");
        assertThat(create("persistentvolumes", """
            {kind: PersistentVolume, metadata: {name: v, finalizers: [mine.example/x]},
             spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /a}}}
            """, mode)
                        .at("/metadata/finalizers")
                        .toString())
                .isEqualTo("[\"mine.example/x\",\"kubernetes.io/pv-protection\"]");
    }

    @Test
    void create_claimWithProtectionFinalizer_addsNoSecondOne() {
        ObjectNode claim = create(
                "persistentvolumeclaims",
                claim("volumeMode: Block")
                        .replace("name: data", "name: data, finalizers: [kubernetes.io/pvc-protection]"),
                Mode.COMMIT);

        assertThat(claim.at("/metadata/finalizers")).hasSize(1);
    }

    @Test
    void create_otherKind_addsNoFinalizer() {
        assertThat(create("configmaps", "{kind: ConfigMap, metadata: {name: c}}", Mode.COMMIT)
                        .at("/metadata")
                        .has("finalizers"))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        volumeMode: Filesystem                 | newest
        volumeName: v                          | newest
        storageClassName:                      | newest
        storageClassName: ''                   |
        storageClassName: other                | other
        """)
    void createClaim_storageClassOmitted_getsNewestDefaultClass(String specFields, String expected) {
        storageClass("older", "01", "storageclass.kubernetes.io/is-default-class: 'true'");
        storageClass("newest-too", "02", "storageclass.beta.kubernetes.io/is-default-class: 'true'");
        storageClass("newest", "02", "storageclass.kubernetes.io/is-default-class: 'true'");
        storageClass("no", "03", "storageclass.kubernetes.io/is-default-class: 'false'");

        assertThat(className(createClaim(specFields)).asText()).isEqualTo(expected == null ? "" : expected);
    }

    @Test
    void createClaim_noDefaultClass_keepsClassUnset() {
        storageClass("slow", "01", "");

        assertThat(className(createClaim("volumeMode: Block")).isMissingNode()).isTrue();
    }

    @Test
    void createClaim_betaClassAnnotation_keepsClassUnset() {
        storageClass("usual", "01", "storageclass.kubernetes.io/is-default-class: 'true'");
        ObjectNode claim = create(
                "persistentvolumeclaims",
                claim("volumeMode: Block")
                        .replace(
                                "name: data",
                                "name: data, annotations: {volume.beta.kubernetes.io/storage-class: old}"),
                Mode.COMMIT);

        assertThat(className(claim).isMissingNode()).isTrue();
    }

    @Test
    void createClaim_minik8sFormat_getsDefaultClass() {
        storageClass("usual", "01", "storageclass.kubernetes.io/is-default-class: 'true'");
        ObjectNode claim = create(
                "persistentvolumeclaims",
                "{kind: PersistentVolumeClaim, metadata: {name: data}, spec: {capacity: 2Gi}}",
                Mode.COMMIT);

        assertThat(className(claim).asText()).isEqualTo("usual");
        assertThat(claim.at("/spec/resources/requests/storage").asText()).isEqualTo("2Gi");
    }

    @Test
    void createClaim_defaultClassChanged_getsCurrentDefault() {
        storageClass("first", "01", "storageclass.kubernetes.io/is-default-class: 'true'");
        assertThat(className(createClaim("volumeMode: Block")).asText()).isEqualTo("first");
        storageClass("second", "02", "storageclass.kubernetes.io/is-default-class: 'true'");
        world = WorldFixture.after(world, removal(CLAIM));
        assertThat(className(createClaim("volumeMode: Block")).asText()).isEqualTo("second");
        world = WorldFixture.after(world, removal("storageclasses.storage.k8s.io/second"));
        world = WorldFixture.after(world, removal(CLAIM));
        assertThat(className(createClaim("volumeMode: Block")).asText()).isEqualTo("first");
    }

    private Proposal removal(String key) {
        return Proposal.by("tester", "Removed")
                .remove(world.get(ObjectKey.parse(key)).orElseThrow())
                .build();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        spec: {volumeMode: Filesystem}, status: {phase: Pending}                   | usual
        spec: {volumeMode: Filesystem}                                             | usual
        spec: {volumeMode: Filesystem, volumeName: v}, status: {phase: Bound}      |
        spec: {volumeMode: Filesystem, volumeName: v}, status: {phase: Pending}    |
        spec: {volumeMode: Filesystem, storageClassName: ''}                       |
        """)
    void updateClaim_unboundWithoutClass_getsDefaultClass(String stored, String expected) {
        put("{kind: PersistentVolumeClaim, metadata: {name: data, namespace: team}, "
                + stored.replace(
                        "volumeMode: Filesystem",
                        "volumeMode: Filesystem, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}")
                + "}");
        storageClass("usual", "01", "storageclass.kubernetes.io/is-default-class: 'true'");
        ObjectNode wanted = WorldFixture.tree(world, CLAIM);
        wanted.withObject("/metadata/labels").put("a", "b");

        assertThat(className(update("", wanted)).asText()).isEqualTo(expected == null ? "" : expected);
    }

    @Test
    void updateClaimStatus_defaultClassExists_changesStatusButNotSpec() {
        createClaim("volumeMode: Block");
        storageClass("usual", "01", "storageclass.kubernetes.io/is-default-class: 'true'");
        ObjectNode wanted = WorldFixture.tree(world, CLAIM);
        wanted.withObject("/status").put("phase", "Failed").put("volumeName", "v");
        ObjectNode updated = update("status", wanted);

        assertThat(className(updated).isMissingNode()).isTrue();
        assertThat(updated.at("/status/phase").asText()).isEqualTo("Failed");
        assertThat(updated.at("/status/volumeName").asText()).isEqualTo("v");
    }

    /** As in Kubernetes, the claim is validated before expansion is checked, so the Pending claim gets 422. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        Bound   | allowed  | 5Gi    | ok
        Bound   | allowed  | 1024Mi | ok
        Pending | allowed  | 5Gi    | 422 spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims
        Bound   | refused  | 5Gi    | 403 persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize
        Bound   | missing  | 5Gi    | 403 persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize
        Bound   | ''       | 5Gi    | 403 persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize
        Bound   | a b/c    | 5Gi    | 403 must support resize
        Bound   | refused  | 1Gi    | ok
        Bound   | allowed  | 512Mi  | 422 field can not be less than status.capacity
        """)
    void updateClaim_largerRequest_isAllowedIfClassAllowsExpansion(
            String phase, String className, String size, String expected) {
        put("{kind: StorageClass, apiVersion: storage.k8s.io/v1, metadata: {name: allowed}, allowVolumeExpansion:"
                + " true}");
        put("{kind: StorageClass, apiVersion: storage.k8s.io/v1, metadata: {name: refused}}");
        boolean isValidName = !className.contains(" ");
        put("""
            kind: PersistentVolumeClaim
            metadata: {name: data, namespace: team, annotations: {ANNOTATION: 'CLASS'}}
            spec: {accessModes: [ReadWriteOnce], volumeName: v, volumeMode: Filesystem, FIELD resources: {requests: {storage: 1Gi}}}
            status: {phase: PHASE, capacity: {storage: 1Gi}}
            """.replace("ANNOTATION", isValidName ? "x" : "volume.beta.kubernetes.io/storage-class")
                .replace("FIELD", isValidName ? "storageClassName: 'CLASS'," : "")
                .replace("CLASS", className)
                .replace("PHASE", phase));
        ObjectNode wanted = WorldFixture.tree(world, CLAIM);
        wanted.withObject("/spec/resources/requests").put("storage", size);

        if (expected.equals("ok")) {
            assertThat(update("", wanted).at("/spec/resources/requests/storage").asText())
                    .isEqualTo(size);
            return;
        }
        String[] refusal = expected.split(" ", 2);
        assertThatThrownBy(() -> update("", wanted)).isInstanceOfSatisfying(StatusException.class, refused -> {
            assertThat(refused.status().code()).isEqualTo(Integer.parseInt(refusal[0]));
            assertThat(refused.status().message()).endsWith(refusal[1]);
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        mooring.dev/hostpath | 'true'  | my-volume  | ok
        mooring.dev/hostpath | 'true'  | My Volume  | refused
        mooring.dev/hostpath | 'false' | My Volume  | ok
        vendor.example/disk  | 'true'  | My Volume  | ok
        """, quoteCharacter = '"')
    void createClaim_volumeToBeCreated_requiresValidVolumeName(
            String provisioner, String creates, String volume, String expected) {
        put("{kind: StorageClass, apiVersion: storage.k8s.io/v1, metadata: {name: makes}, provisioner: " + provisioner
                + ", parameters: {createMissingVolume: " + creates + "}}");
        String specFields = "storageClassName: makes, volumeName: " + volume;

        if (expected.equals("ok")) {
            assertThat(createClaim(specFields).at("/spec/volumeName").asText()).isEqualTo(volume);
        } else {
            assertThatThrownBy(() -> createClaim(specFields))
                    .isInstanceOf(StatusException.class)
                    .hasMessageContaining("spec.volumeName: Invalid value: \"My Volume\": a lowercase RFC 1123");
        }
    }
}
