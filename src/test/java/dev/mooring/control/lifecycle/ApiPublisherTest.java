package dev.mooring.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiPublisherTest {
    private static final String PEM = "-----BEGIN CERTIFICATE-----\n";
    private static final String CONFIG_MAP = "configmaps/team/kube-root-ca.crt";
    private static final String SERVICE = "services/default/kubernetes";
    private static final String SLICE = "endpointslices.discovery.k8s.io/default/kubernetes";
    private static final String TEAM = "---\n{kind: Namespace, metadata: {name: team}}\n";
    private static final String TERMINATING =
            "---\n{kind: Namespace, metadata: {name: team, deletionTimestamp: '2026-01-01T00:00:00Z'}}\n";

    private static ControllerFixture started(String yaml) {
        return new ControllerFixture(new ApiPublisher(Optional.empty(), "10.0.0.7", 7443, PEM), yaml).settle();
    }

    @Test
    void publisher_namespaceCreated_publishesCertificateOnce() {
        ControllerFixture run = started(TEAM);

        assertThat(run.takeEvents()).containsExactly("ConfigMapPublished " + CONFIG_MAP);
        JsonNode published = WorldFixture.tree(run.world(), CONFIG_MAP);
        assertThat(published.at("/data/ca.crt").asText()).isEqualTo(PEM);
        assertThat(published
                        .at("/metadata/annotations/kubernetes.io~1description")
                        .asText())
                .startsWith("Contains a CA bundle that can be used to verify the kube-apiserver");
        run.put("---\n{kind: Namespace, metadata: {name: later}}").settle();
        assertThat(run.takeEvents()).containsExactly("ConfigMapPublished configmaps/later/kube-root-ca.crt");
    }

    @Test
    void publisher_defaultNamespace_publishesTheService() {
        ControllerFixture run = started("---\n{kind: Namespace, metadata: {name: default}}\n");

        assertThat(run.takeEvents())
                .containsExactlyInAnyOrder(
                        "ConfigMapPublished configmaps/default/kube-root-ca.crt",
                        "ServicePublished " + SERVICE,
                        "EndpointSlicePublished " + SLICE);
        JsonNode spec = WorldFixture.tree(run.world(), SERVICE).path("spec");
        assertThat(spec.path("clusterIP").asText()).isEqualTo("10.0.0.7");
        assertThat(spec.at("/ports/0/port").asInt()).isEqualTo(7443);
        assertThat(run.remove(SERVICE).settle().takeEvents()).containsExactly("ServicePublished " + SERVICE);
    }

    @Test
    void publisher_nodeForwardsServiceAddress_publishesItWithTheApiAsEndpoint() {
        ControllerFixture run = new ControllerFixture(
                        new ApiPublisher(Optional.of("10.96.0.1"), "127.0.0.1", 7443, PEM),
                        "---\n{kind: Namespace, metadata: {name: default}}\n")
                .settle();

        JsonNode spec = WorldFixture.tree(run.world(), SERVICE).path("spec");
        assertThat(spec.path("clusterIP").asText()).isEqualTo("10.96.0.1");
        assertThat(spec.at("/ports/0/port").asInt()).isEqualTo(443);
        assertThat(spec.at("/ports/0/targetPort").asInt()).isEqualTo(7443);
        JsonNode slice = WorldFixture.tree(run.world(), SLICE);
        assertThat(slice.at("/endpoints/0/addresses/0").asText()).isEqualTo("127.0.0.1");
        assertThat(slice.at("/ports/0/port").asInt()).isEqualTo(7443);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "data: {ca.crt: other}",
                "data: {ca.crt: '', more: x}",
                "binaryData: {x: AAEC}",
                "immutable: true",
            })
    void publisher_changedConfigMap_restoresIt(String content) {
        ControllerFixture run = started(TEAM);
        JsonNode before = WorldFixture.tree(run.world(), CONFIG_MAP);
        run.takeEvents();

        run.put("{kind: ConfigMap, metadata: {name: kube-root-ca.crt, namespace: team, labels: {mine: kept}}, "
                        + content + "}")
                .settle();

        assertThat(run.takeEvents()).containsExactly("ConfigMapRestored " + CONFIG_MAP);
        JsonNode after = WorldFixture.tree(run.world(), CONFIG_MAP);
        assertThat(after.path("data")).isEqualTo(before.path("data"));
        assertThat(after.at("/metadata/annotations")).isEqualTo(before.at("/metadata/annotations"));
        assertThat(after.has("binaryData") || after.has("immutable")).isFalse();
        assertThat(after.at("/metadata/labels/mine").asText()).isEqualTo("kept");
    }

    @Test
    void publisher_certificateChanged_isReplacedAtNextStart() {
        ControllerFixture run = started(TEAM);

        ControllerFixture restarted = new ControllerFixture(
                        new ApiPublisher(Optional.empty(), "10.0.0.7", 7443, "other"), run.world())
                .settle();

        assertThat(restarted.takeEvents()).containsExactly("ConfigMapRestored " + CONFIG_MAP);
        assertThat(new ControllerFixture(
                                new ApiPublisher(Optional.empty(), "10.0.0.7", 7443, "other"), restarted.world())
                        .settle()
                        .takeEvents())
                .isEmpty();
    }

    @Test
    void publisher_namespaceBeingDeleted_publishesNothing() {
        assertThat(started(TERMINATING).takeEvents()).isEmpty();
        ControllerFixture run = started(TEAM);
        run.takeEvents();

        run.put(TERMINATING).remove(CONFIG_MAP).settle();

        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void publisher_otherConfigMapCreated_causesNoReconcile() {
        ControllerFixture run = started(TEAM);
        int reconciles = run.reconciles();

        run.put("{kind: ConfigMap, metadata: {name: other, namespace: team}}").settle();

        assertThat(run.reconciles()).isEqualTo(reconciles);
    }
}
