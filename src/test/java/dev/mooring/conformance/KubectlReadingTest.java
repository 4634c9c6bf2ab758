package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests {@code kubectl get} in all its forms, and other commands that only read. */
final class KubectlReadingTest extends KubectlTestCase {
    private static final String HEADER =
            "NAME STATUS VOLUME CAPACITY ACCESS MODES STORAGECLASS VOLUMEATTRIBUTESCLASS AGE";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Override
    void prepare(KubectlUser user) {
        user.write("world.yaml", """
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: small, labels: {app: web, tier: gold}}
            spec:
              accessModes: [ReadWriteOnce]
              storageClassName: nowhere
              resources: {requests: {storage: 1Gi}}
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: large, labels: {app: db}}
            spec:
              accessModes: [ReadWriteOnce, ReadOnlyMany]
              storageClassName: nowhere
              resources: {requests: {storage: 9Gi}}
            ---
            apiVersion: v1
            kind: Secret
            metadata: {name: creds}
            stringData: {user: me}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: app, labels: {app: web}}
            spec:
              nodeName: nowhere
              containers: [{name: c, image: 'busybox:1'}]
            """);
        user.ok("$K apply -f world.yaml");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void get_asTable_printsColumns(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        String large = "large Pending nowhere <unset> <age>";
        String small = "small Pending nowhere <unset> <age>";
        assertThat(user.ok("$K get pvc")).isEqualTo(HEADER + "\n" + large + "\n" + small);
        assertThat(user.ok("$K get pvc small")).isEqualTo(HEADER + "\n" + small);
        assertThat(user.ok("$K get pvc small -o wide")).isEqualTo(HEADER + " VOLUMEMODE\n" + small + " Filesystem");
        assertThat(user.ok("$K get pvc --show-labels --no-headers"))
                .isEqualTo(large + " app=db\n" + small + " app=web,tier=gold");
        assertThat(user.ok("$K get pvc -L tier small --no-headers")).isEqualTo(small + " gold");
        assertThat(user.ok("$K get pvc -A -l app=db | grep -w " + user.namespace()))
                .isEqualTo(user.namespace() + " " + large);
        assertThat(user.ok("$K get pvc --no-headers --sort-by=.spec.resources.requests.storage"))
                .isEqualTo(small + "\n" + large);
        assertThat(user.ok("$K get secret,pod"))
                .isEqualTo("NAME TYPE DATA AGE\nsecret/creds Opaque 1 <age>\n"
                        + "NAME READY STATUS RESTARTS AGE\npod/app 0/1 Pending 0 <age>");
        assertThat(user.ok("$K get all --no-headers")).endsWith("app 0/1 Pending 0 <age>");
        assertThat(user.ok("$K get pod app -o wide"))
                .isEqualTo("NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES\n"
                        + "app 0/1 Pending 0 <age> <none> nowhere <none> <none>");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void get_asYamlJsonOrTemplate_printsObjects(KubectlBinary kubectl) throws JsonProcessingException {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K get pvc small -o yaml"))
                .startsWith("apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n")
                .contains("storage: 1Gi", "volumeMode: Filesystem", "uid: <uid>")
                .doesNotContain("managedFields");
        assertThat(user.ok("$K get pvc small -o yaml --show-managed-fields"))
                .contains("manager: kubectl-client-side-apply", "f:storageClassName: {}");
        JsonNode list = MAPPER.readTree(user.ok("$K get pvc -o json"));
        assertThat(list.get("kind").asText()).isEqualTo("List");
        assertThat(list.get("items")).hasSize(2).allSatisfy(item -> {
            assertThat(item.get("kind").asText()).isEqualTo("PersistentVolumeClaim");
            assertThat(item.at("/metadata/namespace").asText()).isEqualTo(user.namespace());
        });
        assertThat(user.ok("$K get pvc -o name")).isEqualTo("persistentvolumeclaim/large\npersistentvolumeclaim/small");
        assertThat(user.ok("$K get pvc -o jsonpath='{.items[*].spec.accessModes}'"))
                .isEqualTo("[\"ReadWriteOnce\",\"ReadOnlyMany\"] [\"ReadWriteOnce\"]");
        assertThat(user.ok("$K get secret creds -o go-template='{{.data.user | base64decode}}'"))
                .isEqualTo("me");
        assertThat(user.ok("$K get pvc -o custom-columns=N:.metadata.name,S:.spec.resources.requests.storage"))
                .isEqualTo("N S\nlarge 9Gi\nsmall 1Gi");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void get_withLabelAndFieldSelectors_printsMatches(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        String small = "persistentvolumeclaim/small";
        String large = "persistentvolumeclaim/large";
        assertThat(user.ok("$K get pvc -o name -l app=web")).isEqualTo(small);
        assertThat(user.ok("$K get pvc -o name -l 'app in (db, cache)'")).isEqualTo(large);
        assertThat(user.ok("$K get pvc -o name -l 'app,!tier'")).isEqualTo(large);
        assertThat(user.ok("$K get pvc -o name -l app!=web")).isEqualTo(large);
        assertThat(user.ok("$K get pvc -o name --field-selector metadata.name=small"))
                .isEqualTo(small);
        assertThat(user.ok("$K get pod -o name --field-selector status.phase!=Running,spec.nodeName=nowhere"))
                .isEqualTo("pod/app");
        assertThat(user.ok("$K get secret -o name --field-selector type=Opaque"))
                .isEqualTo("secret/creds");
        assertThat(user.warned("$K get pvc -l app=none").err())
                .isEqualTo("No resources found in " + user.namespace() + " namespace.");
        assertThat(user.fails("$K get pvc -l 'app in (db'"))
                .endsWith("unable to parse requirement: found '', expected: ',' or ')'");
        assertThat(user.fails("$K get pod --field-selector spec.image=x"))
                .startsWith("Error from server (BadRequest): Unable to find \"/v1, Resource=pods\" that match label"
                        + " selector \"\", field selector \"spec.image=x\": ");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void get_withChunkSize_readsListInPages(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K get pvc -o name --chunk-size=1"))
                .isEqualTo("persistentvolumeclaim/large\npersistentvolumeclaim/small");
        assertThat(user.answers())
                .filteredOn(answer -> answer.path().endsWith("/persistentvolumeclaims"))
                .hasSize(2);
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void getWatch_objectsRelabelled_printsChangesAndSelection(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        try (KubectlStream all = user.start("$K get pvc -w --output-watch-events");
                KubectlStream one = user.start("$K get pvc small -w -o jsonpath='{.metadata.labels.seen}{\"\\n\"}'");
                KubectlStream selected = user.start("$K get pvc -w -l seen=yes --output-watch-events")) {
            all.await("^ADDED +large +Pending");
            all.await("^ADDED +small +Pending");
            one.await("^$");
            user.ok("$K label pvc small seen=yes");
            all.await("^MODIFIED +small +Pending");
            one.await("^yes$");
            // From the list or from the watch: both are correct.
            selected.await("^ADDED +small ");
            user.ok("$K label pvc small seen-");
            all.await("^MODIFIED +small +Pending");
            selected.await("^DELETED +small ");
        }
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void getWatch_objectCreatedChangedDeleted_printsEachEvent(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        try (KubectlStream all = user.start("$K get cm -w --output-watch-events")) {
            user.ok("$K create configmap fresh --from-literal=a=b");
            all.await("^ADDED +fresh +1 ");
            user.ok("$K patch cm fresh -p '{\"data\":{\"c\":\"d\"}}'");
            all.await("^MODIFIED +fresh +2 ");
            user.ok("$K delete cm fresh");
            all.await("^DELETED +fresh +2 ");
        }
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void getRawAndDiscovery_printServerData(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K get --raw /readyz")).isEqualTo("ok");
        assertThat(user.ok("$K get --raw /livez")).isEqualTo("ok");
        assertThat(user.ok("$K get --raw /version")).contains("\"minor\":\"32\"");
        assertThat(user.ok("$K get --raw /api/v1/namespaces/" + user.namespace() + "/persistentvolumeclaims"))
                .startsWith("{\"kind\":\"PersistentVolumeClaimList\",\"apiVersion\":\"v1\",\"metadata\":{");
        assertThat(user.ok("$K api-versions"))
                .contains("authorization.k8s.io/v1", "coordination.k8s.io/v1", "storage.k8s.io/v1", "v1");
        assertThat(user.ok("$K api-resources --namespaced=false --verbs=list,create -o name"))
                .contains("namespaces", "nodes", "persistentvolumes", "storageclasses.storage.k8s.io")
                .doesNotContain("pods", "selfsubject");
        assertThat(user.fails("$K get nonsense"))
                .isEqualTo("error: the server doesn't have a resource type \"nonsense\"");
    }
}
