package dev.mooring.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Volume;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The values of objects in the shared indexes. */
class IndexesTest {
    private static StoredObject object(String key, String json) {
        return new StoredObject(ObjectKey.parse(key), 1, json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static StoredObject pod(String spec) {
        return object("pods/ns/p", "{'spec':" + spec + "}");
    }

    private static List<String> references(StoredObject pod) {
        return Indexes.PODS_BY_REFERENCE.valuesOf(pod).stream()
                .map(each -> each.node() + ' ' + each.value())
                .toList();
    }

    @Test
    void podsByReference_boundPod_hasAllReferencedObjects() {
        StoredObject pod = pod("{'nodeName':'n1','serviceAccountName':'sa','imagePullSecrets':[{'name':'pull'}],"
                + "'containers':[{'env':[{'valueFrom':{'configMapKeyRef':{'name':'env'}}}]}],"
                + "'volumes':[{'configMap':{'name':'conf'}},{'secret':{'secretName':'sec'}},"
                + "{'persistentVolumeClaim':{'claimName':'c'}},{'name':'e','ephemeral':{}},"
                + "{'projected':{'sources':[{'secret':{'name':'sec2'}},{'configMap':{'name':'conf2'}},"
                + "{'downwardAPI':{}},{'serviceAccountToken':{}}]}}]}");

        assertThat(references(pod))
                .containsExactlyInAnyOrder(
                        "n1 configmaps/ns/env",
                        "n1 configmaps/ns/conf",
                        "n1 configmaps/ns/conf2",
                        "n1 secrets/ns/sec",
                        "n1 secrets/ns/sec2",
                        "n1 secrets/ns/pull",
                        "n1 serviceaccounts/ns/sa",
                        "n1 persistentvolumeclaims/ns/c",
                        "n1 persistentvolumeclaims/ns/p-e");
    }

    @Test
    void podsByReference_unboundPodOrInvalidNames_hasNoValues() {
        String volumes = "'volumes':[{'configMap':{'name':'a b'}},{'secret':{'secretName':'x/y'}},"
                + "{'persistentVolumeClaim':{'claimName':'\u007f'}},{'configMap':{'name':''}},7]";

        assertThat(references(pod("{'nodeName':'n1'," + volumes + "}"))).isEmpty();
        assertThat(references(pod("{'volumes':[{'configMap':{'name':'conf'}}]}")))
                .isEmpty();
        assertThat(references(pod("7"))).isEmpty();
    }

    @Test
    void actualVolumesByReference_volumeWithoutOne_hasNoValues() {
        String key = "actualvolumes.mooring.dev/v";

        assertThat(Indexes.ACTUAL_VOLUMES_BY_REFERENCE.valuesOf(object(key, "{'spec':{'persistentVolume':'pv'}}")))
                .containsExactly(Volume.key("pv"));
        assertThat(Indexes.ACTUAL_VOLUMES_BY_REFERENCE.valuesOf(object(key, "{'spec':{'volume':'v'}}")))
                .isEmpty();
    }
}
