package dev.mooring.api.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.api.types.SchemaType.ListKind;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchemasTest {
    private static final Schemas SCHEMAS = Schemas.ofThisProgram();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Namespace",
                "Node",
                "PersistentVolume",
                "PersistentVolumeClaim",
                "Pod",
                "ConfigMap",
                "Secret",
                "Event",
                "Service",
                "ServiceAccount",
                "StorageClass",
                "VolumeAttachment",
                "ResourceQuota",
                "RuntimeClass",
                "PriorityClass",
                "Lease",
                "EndpointSlice",
                "Eviction",
                "TokenRequest",
                "SelfSubjectAccessReview",
                "SelfSubjectRulesReview",
                "SelfSubjectReview",
                "DesiredVolume",
                "ActualVolume",
                "Token",
                "VolumeOperation"
            })
    void kind_hasTypeMetaAndObjectMeta(String kind) {
        Struct struct = SCHEMAS.struct(kind);

        assertThat(type(struct, "apiVersion")).isEqualTo(Scalar.STRING);
        assertThat(type(struct, "kind")).isEqualTo(Scalar.STRING);
        assertThat(type(struct, "metadata")).isSameAs(SCHEMAS.struct("ObjectMeta"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"DeleteOptions", "Status"})
    void nonObjectKind_hasNoObjectMeta(String kind) {
        Struct struct = SCHEMAS.struct(kind);

        assertThat(struct.field("kind")).isPresent();
        assertThat(struct.field("metadata").map(SchemaField::type)).isNotEqualTo(SCHEMAS.struct("ObjectMeta"));
    }

    @Test
    void struct_undeclaredName_throws() {
        assertThatThrownBy(() -> SCHEMAS.struct("TypeMeta"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Unknown schema type TypeMeta");
    }

    @Test
    void everyTypeAndField_descriptionIsASentence() {
        List<String> bad = new ArrayList<>();
        for (Struct struct : SCHEMAS.all()) {
            if (!isSentence(struct.description())) {
                bad.add(struct.name());
            }
            for (SchemaField field : struct.fields()) {
                if (!isSentence(field.description())) {
                    bad.add(struct.name() + "." + field.name());
                }
            }
        }
        assertThat(bad).isEmpty();
    }

    private static boolean isSentence(String text) {
        return text.length() > 8 && text.endsWith(".") && text.equals(text.strip());
    }

    @Test
    void everyField_refersToListedTypesAndScalarKeys() {
        assertThat(SCHEMAS.all()).hasSizeGreaterThan(200);
        for (Struct struct : SCHEMAS.all()) {
            for (SchemaField field : struct.fields()) {
                check(struct.name() + "." + field.name(), field.type());
                field.mergeKey().ifPresent(key -> {
                    Struct element = (Struct) ((ListOf) field.type()).element();
                    assertThat(type(element, key)).isInstanceOf(Scalar.class);
                });
            }
        }
    }

    private static void check(String where, SchemaType type) {
        if (type instanceof Struct struct) {
            assertThat(SCHEMAS.struct(struct.name()).name()).as(where).isEqualTo(struct.name());
        } else if (type instanceof MapOf map) {
            check(where, map.value());
        } else if (type instanceof ListOf list) {
            check(where, list.element());
            assertThat(list.keys().isEmpty()).as(where).isEqualTo(list.kind() != ListKind.MAP);
            for (String key : list.keys()) {
                assertThat(type((Struct) list.element(), key)).as(where).isInstanceOf(Scalar.class);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ObjectMeta            | finalizers                | set of STRING                                                 | MERGE
        ObjectMeta            | ownerReferences           | map of OwnerReference by uid                                  | MERGE uid
        ObjectMeta            | managedFields             | atomic list of ManagedFieldsEntry                             | DEFAULT
        ObjectMeta            | labels                    | map of STRING                                                 | DEFAULT
        ObjectMeta            | generation                | INT64                                                         | DEFAULT
        ObjectMeta            | creationTimestamp         | TIME                                                          | DEFAULT
        ManagedFieldsEntry    | fieldsV1                  | ANY                                                           | DEFAULT
        NamespaceStatus       | conditions                | map of NamespaceCondition by type                             | MERGE type
        NodeSpec              | podCIDRs                  | set of STRING                                                 | MERGE
        NodeSpec              | taints                    | atomic list of Taint                                          | DEFAULT
        NodeStatus            | addresses                 | map of NodeAddress by type                                    | MERGE type
        NodeStatus            | volumesAttached           | atomic list of AttachedVolume                                 | DEFAULT
        PersistentVolumeSpec  | accessModes               | atomic list of STRING                                         | DEFAULT
        PersistentVolumeSpec  | capacity                  | map of QUANTITY                                               | DEFAULT
        PersistentVolumeSpec  | claimRef                  | ObjectReference                                               | DEFAULT
        PersistentVolumeSpec  | iscsi                     | ISCSIPersistentVolumeSource                                   | DEFAULT
        PersistentVolumeSpec  | nfs                       | NFSVolumeSource                                               | DEFAULT
        StorageOSPersistentVolumeSource | secretRef       | atomic ObjectReference                                        | DEFAULT
        Volume                | iscsi                     | ISCSIVolumeSource                                             | DEFAULT
        PersistentVolumeClaimSpec   | resources           | VolumeResourceRequirements                                    | DEFAULT
        PersistentVolumeClaimSpec   | selector            | atomic LabelSelector                                          | DEFAULT
        PersistentVolumeClaimSpec   | dataSource          | atomic TypedLocalObjectReference                              | DEFAULT
        PersistentVolumeClaimSpec   | dataSourceRef       | TypedObjectReference                                          | DEFAULT
        PersistentVolumeClaimStatus | conditions          | map of PersistentVolumeClaimCondition by type                 | MERGE type
        PersistentVolumeClaimStatus | allocatedResourceStatuses | map of STRING                                           | DEFAULT
        VolumeNodeAffinity    | required                  | atomic NodeSelector                                           | DEFAULT
        StorageClass          | allowedTopologies         | atomic list of TopologySelectorTerm                           | DEFAULT
        PodSpec               | volumes                   | map of Volume by name                                         | MERGE_AND_RETAIN_KEYS name
        PodSpec               | containers                | map of Container by name                                      | MERGE name
        PodSpec               | initContainers            | map of Container by name                                      | MERGE name
        PodSpec               | ephemeralContainers       | map of EphemeralContainer by name                             | MERGE name
        PodSpec               | nodeSelector              | atomic map of STRING                                          | DEFAULT
        PodSpec               | imagePullSecrets          | map of LocalObjectReference by name                           | MERGE name
        PodSpec               | tolerations               | atomic list of Toleration                                     | DEFAULT
        PodSpec               | hostAliases               | map of HostAlias by ip                                        | MERGE ip
        PodSpec               | readinessGates            | atomic list of PodReadinessGate                               | DEFAULT
        PodSpec               | schedulingGates           | map of PodSchedulingGate by name                              | MERGE name
        PodSpec               | resourceClaims            | map of PodResourceClaim by name                               | MERGE_AND_RETAIN_KEYS name
        PodSpec               | topologySpreadConstraints | map of TopologySpreadConstraint by topologyKey,whenUnsatisfiable | MERGE topologyKey
        Container             | ports                     | map of ContainerPort by containerPort,protocol                | MERGE containerPort
        Container             | env                       | map of EnvVar by name                                         | MERGE name
        Container             | envFrom                   | atomic list of EnvFromSource                                  | DEFAULT
        Container             | volumeMounts              | map of VolumeMount by mountPath                               | MERGE mountPath
        Container             | volumeDevices             | map of VolumeDevice by devicePath                             | MERGE devicePath
        EphemeralContainer    | env                       | map of EnvVar by name                                         | MERGE name
        ResourceRequirements  | claims                    | map of ResourceClaim by name                                  | DEFAULT
        HTTPGetAction         | port                      | INT_OR_STRING                                                 | DEFAULT
        EphemeralVolumeSource | volumeClaimTemplate       | PersistentVolumeClaimTemplate                                 | DEFAULT
        PodStatus             | podIPs                    | map of PodIP by ip                                            | MERGE ip
        PodStatus             | hostIPs                   | atomic list of HostIP                                         | MERGE ip
        PodStatus             | conditions                | map of PodCondition by type                                   | MERGE type
        PodStatus             | containerStatuses         | atomic list of ContainerStatus                                | DEFAULT
        PodStatus             | resourceClaimStatuses     | map of PodResourceClaimStatus by name                         | MERGE_AND_RETAIN_KEYS name
        ContainerStatus       | volumeMounts              | map of VolumeMountStatus by mountPath                         | MERGE mountPath
        ServiceAccount        | secrets                   | map of ObjectReference by name                                | MERGE name
        ServiceAccount        | imagePullSecrets          | atomic list of LocalObjectReference                           | DEFAULT
        ConfigMap             | binaryData                | map of BYTES                                                  | DEFAULT
        Secret                | data                      | map of BYTES                                                  | DEFAULT
        Event                 | eventTime                 | MICRO_TIME                                                    | DEFAULT
        LeaseSpec             | renewTime                 | MICRO_TIME                                                    | DEFAULT
        UserInfo              | extra                     | map of atomic list of STRING                                  | DEFAULT
        TokenSpec             | namespaces                | set of STRING                                                 | DEFAULT
        ActualVolumeStatus    | lastError                 | ActualVolumeError                                             | DEFAULT
        """)
    void field_hasTypeAndPatchStrategyOfKubernetes(String struct, String name, String type, String patch) {
        SchemaField field = SCHEMAS.struct(struct).field(name).orElseThrow();

        assertThat(describe(field.type())).isEqualTo(type);
        assertThat(field.patch() + field.mergeKey().map(key -> " " + key).orElse(""))
                .isEqualTo(patch);
    }

    private static String describe(SchemaType type) {
        if (type instanceof Struct struct) {
            return (struct.atomic() ? "atomic " : "") + struct.name();
        } else if (type instanceof MapOf map) {
            return (map.atomic() ? "atomic " : "") + "map of " + describe(map.value());
        } else if (type instanceof ListOf list) {
            // Whether an element type is atomic is checked where the type is used on its own.
            String element = list.element().toString();
            return switch (list.kind()) {
                case ATOMIC -> "atomic list of " + element;
                case SET -> "set of " + element;
                case MAP -> "map of " + element + " by " + String.join(",", list.keys());
            };
        }
        return type.toString();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ObjectMeta                   |
        OwnerReference               | apiVersion kind name uid
        NFSVolumeSource              | server path
        HostPathVolumeSource         | path
        CSIPersistentVolumeSource    | driver volumeHandle
        ISCSIVolumeSource            | targetPortal iqn lun
        ScaleIOVolumeSource          | gateway system secretRef
        PersistentVolumeSpec         |
        PersistentVolumeClaimSpec    |
        StorageClass                 | provisioner
        VolumeAttachment             | spec
        VolumeAttachmentSpec         | attacher source nodeName
        Event                        | metadata involvedObject
        PodSpec                      | containers
        Container                    | name
        VolumeMount                  | name mountPath
        TopologySpreadConstraint     | maxSkew topologyKey whenUnsatisfiable
        ContainerStatus              | name ready restartCount image imageID
        TokenRequestSpec             | audiences
        SubjectRulesReviewStatus     | resourceRules nonResourceRules incomplete
        """)
    void struct_requiredFieldsMatchOpenApi(String struct, String required) {
        List<String> names = new ArrayList<>();
        for (SchemaField field : SCHEMAS.struct(struct).fields()) {
            if (field.required()) {
                names.add(field.name());
            }
        }
        assertThat(String.join(" ", names)).isEqualTo(required == null ? "" : required);
    }

    @ParameterizedTest
    @CsvSource({
        "ContainerPort, protocol, TCP",
        "ISCSIVolumeSource, iscsiInterface, default",
        "RBDPersistentVolumeSource, keyring, /etc/ceph/keyring",
        "LocalObjectReference, name, ''"
    })
    void field_hasDefaultOfKubernetes(String struct, String field, String text) {
        assertThat(SCHEMAS.struct(struct).field(field).orElseThrow().defaultText())
                .contains(text);
    }

    @Test
    void volumeAndPersistentVolumeSpec_haveEverySourceOfKubernetes() {
        List<String> persistent = List.of(
                "awsElasticBlockStore azureDisk azureFile cephfs cinder csi fc flexVolume flocker gcePersistentDisk glusterfs hostPath iscsi local nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume"
                        .split(" ", -1));

        assertThat(sources("PersistentVolumeSpec")).containsExactlyInAnyOrderElementsOf(persistent);
        assertThat(sources("Volume"))
                .containsAll(persistent.stream()
                        .filter(source -> !source.equals("local"))
                        .toList())
                .contains(
                        "emptyDir",
                        "configMap",
                        "secret",
                        "projected",
                        "downwardAPI",
                        "ephemeral",
                        "image",
                        "gitRepo",
                        "persistentVolumeClaim")
                .hasSize(persistent.size() - 1 + 9);
    }

    private static List<String> sources(String struct) {
        List<String> names = new ArrayList<>();
        for (SchemaField field : SCHEMAS.struct(struct).fields()) {
            if (field.type() instanceof Struct type && type.name().endsWith("Source")) {
                names.add(field.name());
            }
        }
        return names;
    }

    @Test
    void ephemeralContainer_hasContainerFieldsAndTargetContainerName() {
        List<String> names = new ArrayList<>();
        SCHEMAS.struct("Container").fields().forEach(field -> names.add(field.name()));
        names.add("targetContainerName");

        assertThat(SCHEMAS.struct("EphemeralContainer").fields())
                .extracting(SchemaField::name)
                .containsExactlyElementsOf(names);
    }

    @Test
    void load_secondTime_givesEqualSchemas() {
        Schemas again = Schemas.load();

        assertThat(Schemas.ofThisProgram()).isSameAs(SCHEMAS);
        assertThat(again).isNotSameAs(SCHEMAS);
        assertThat(text(again)).isEqualTo(text(SCHEMAS));
    }

    /** Returns the content of the schemas, line by line; types of fields appear by name. */
    private static List<String> text(Schemas schemas) {
        List<String> lines = new ArrayList<>();
        for (Struct struct : schemas.all()) {
            lines.add(struct + " " + struct.atomic() + " " + struct.description());
            struct.fields().forEach(field -> lines.add(field.toString()));
        }
        return lines;
    }

    private static SchemaType type(Struct struct, String field) {
        return struct.field(field).orElseThrow().type();
    }
}
