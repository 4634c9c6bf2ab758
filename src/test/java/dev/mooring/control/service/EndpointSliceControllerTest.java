package dev.mooring.control.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Service;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class EndpointSliceControllerTest {
    private static final String SERVICE = """
        {kind: Service, metadata: {name: web, namespace: team, uid: s1, labels: {tier: front}},
         spec: {clusterIP: 10.96.0.7, selector: {app: web}, ports: [{name: http, port: 80, protocol: TCP, targetPort: PORT}]}}
        """;

    private static String pod(String name, String ip, String ready, String more) {
        return """
            ---
            {kind: Pod, metadata: {name: %s, namespace: team, uid: u-%s, labels: {app: web} %s},
             spec: {nodeName: n1, hostname: %s, subdomain: web,
                    containers: [{name: c, image: i, ports: [{name: main, containerPort: 8080}]}]},
             status: {phase: Running, podIP: %s, conditions: [{type: Ready, status: "%s"}]}}
            """.formatted(name, name, more, name, ip, ready);
    }

    private static String pod(String name, String ip, String ready) {
        return pod(name, ip, ready, "");
    }

    private static ControllerFixture started(String port, String pods) {
        return new ControllerFixture(new EndpointSliceController(), SERVICE.replace("PORT", port) + pods).settle();
    }

    private static List<JsonNode> slices(ControllerFixture run) {
        return run.world().stream(Scope.resource(Service.SLICES))
                .map(StoredObject::tree)
                .collect(Collectors.toList());
    }

    /** Returns the endpoints as ADDRESS:ready/serving/terminating. */
    private static List<String> endpoints(ControllerFixture run) {
        return slices(run).stream()
                .flatMap(slice -> slice.path("endpoints").valueStream())
                .map(each -> each.at("/addresses/0").asText() + ":"
                        + each.at("/conditions/ready").asBoolean() + "/"
                        + each.at("/conditions/serving").asBoolean() + "/"
                        + each.at("/conditions/terminating").asBoolean())
                .toList();
    }

    @Test
    void controller_podsOfService_publishesAddressesAndReadiness() {
        ControllerFixture run = started("8080", pod("a", "10.0.0.1", "True") + pod("b", "10.0.0.2", "False"));

        assertThat(endpoints(run)).containsExactly("10.0.0.1:true/true/false", "10.0.0.2:false/false/false");
        JsonNode slice = slices(run).get(0);
        assertThat(slice.at("/ports").toString()).isEqualTo("[{\"name\":\"http\",\"protocol\":\"TCP\",\"port\":8080}]");
        assertThat(slice.at("/endpoints/0/targetRef/name").asText()).isEqualTo("a");
        assertThat(slice.at("/endpoints/0/hostname").asText()).isEqualTo("a");
        assertThat(slice.at("/metadata/labels/kubernetes.io~1service-name").asText())
                .isEqualTo("web");
        assertThat(slice.at("/metadata/labels/tier").asText()).isEqualTo("front");
        assertThat(slice.at("/metadata/ownerReferences/0/uid").asText()).isEqualTo("s1");
        run.takeEvents();

        run.put(pod("b", "10.0.0.2", "True")).settle();

        assertThat(endpoints(run)).containsExactly("10.0.0.1:true/true/false", "10.0.0.2:true/true/false");
        assertThat(run.takeEvents()).hasSize(1).allMatch(each -> each.startsWith("EndpointSliceUpdated"));
    }

    @Test
    void controller_terminatingOrEndedPod_isNotReadyOrRemoved() {
        ControllerFixture run = started("8080", pod("a", "10.0.0.1", "True") + pod("b", "10.0.0.2", "True"));

        run.put(pod("a", "10.0.0.1", "True", ", deletionTimestamp: '2026-01-01T00:00:00Z'"))
                .settle();
        assertThat(endpoints(run)).containsExactly("10.0.0.1:false/true/true", "10.0.0.2:true/true/false");
        run.remove("pods/team/a").settle();
        run.put(pod("b", "10.0.0.2", "False").replace("Running", "Failed")).settle();
        assertThat(endpoints(run)).isEmpty();
        assertThat(slices(run)).hasSize(1);
    }

    @Test
    void controller_publishNotReadyAddresses_everyEndpointIsReady() {
        ControllerFixture run = new ControllerFixture(
                        new EndpointSliceController(),
                        SERVICE.replace("PORT", "8080").replace("ports:", "publishNotReadyAddresses: true, ports:")
                                + pod("a", "10.0.0.1", "False"))
                .settle();
        assertThat(endpoints(run)).containsExactly("10.0.0.1:true/false/false");
    }

    @Test
    void controller_namedTargetPortDiffers_makesASliceForEachNumber() {
        ControllerFixture run = started(
                "main",
                pod("a", "10.0.0.1", "True")
                        + pod("b", "10.0.0.2", "True").replace("containerPort: 8080", "containerPort: 9090"));
        assertThat(slices(run).stream()
                        .map(each -> each.at("/endpoints/0/addresses/0").asText() + " "
                                + each.at("/ports/0/port").asInt()))
                .containsExactlyInAnyOrder("10.0.0.1 8080", "10.0.0.2 9090");

        run.remove("pods/team/b").settle();
        assertThat(slices(run)).hasSize(1);
    }

    @Test
    void controller_manyPods_splitsSlices() {
        StringBuilder pods = new StringBuilder();
        for (int i = 0; i < EndpointSliceController.MAX_ENDPOINTS + 1; i++) {
            pods.append(pod("p" + i, "10.0.1." + i, "True"));
        }
        ControllerFixture run = started("8080", pods.toString());
        assertThat(slices(run).stream().map(each -> each.path("endpoints").size()))
                .containsExactlyInAnyOrder(EndpointSliceController.MAX_ENDPOINTS, 1);
    }

    @Test
    void controller_serviceDeletedOrWithoutSelector_leavesOnlySlicesOfOthers() {
        String mine = """
            ---
            {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, endpoints: [],
             metadata: {name: mine, namespace: team, labels: {kubernetes.io/service-name: web}}}
            """;
        ControllerFixture run = started("8080", pod("a", "10.0.0.1", "True") + mine);
        assertThat(slices(run)).hasSize(2);

        run.remove("services/team/web").settle();

        assertThat(slices(run))
                .hasSize(1)
                .allMatch(each -> each.at("/metadata/name").asText().equals("mine"));
    }

    @Test
    void controller_unrelatedChangeOfPod_causesNoReconcile() {
        ControllerFixture run = started("8080", pod("a", "10.0.0.1", "True"));
        int reconciles = run.reconciles();
        run.put(pod("a", "10.0.0.1", "True").replace("phase: Running", "phase: Running, startTime: x"))
                .settle();
        run.put(pod("c", "10.0.0.3", "True").replace("app: web", "app: other")).settle();
        assertThat(run.reconciles()).isEqualTo(reconciles);
    }
}
