package dev.mooring.node.container;

import dev.mooring.model.view.Service;
import dev.mooring.model.view.Service.ServicePort;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What Pods know of Services.
 *
 * @param dnsServer address of the DNS server for Services; empty if there is none
 * @param apiService Service {@code default/kubernetes}, if Pods can reach its address
 * @param services Services of a namespace
 */
public record PodNetworking(
        Supplier<Optional<String>> dnsServer,
        Supplier<Optional<Service>> apiService,
        Function<String, List<Service>> services) {
    /** Without Services. */
    public static final PodNetworking NONE =
            new PodNetworking(Optional::empty, Optional::empty, namespace -> List.of());

    /** Returns the kubelet's variables for the API and, if the Pod wants them, for the Services of its namespace. */
    Map<String, String> environment(String namespace, boolean links) {
        Map<String, String> values = new LinkedHashMap<>();
        if (links) {
            services.apply(namespace).forEach(each -> addVariables(each, values));
        }
        apiService.get().ifPresent(each -> addVariables(each, values));
        return values;
    }

    private static void addVariables(Service service, Map<String, String> values) {
        List<ServicePort> ports = service.ports();
        if (service.clusterIp().isEmpty() || ports.isEmpty()) {
            return;
        }
        String address = service.clusterIp().get();
        String prefix = variable(service.name());
        values.put(prefix + "_SERVICE_HOST", address);
        values.put(prefix + "_SERVICE_PORT", Integer.toString(ports.get(0).port()));
        for (ServicePort each : ports) {
            if (!each.name().isEmpty()) {
                values.put(prefix + "_SERVICE_PORT_" + variable(each.name()), Integer.toString(each.port()));
            }
        }
        for (ServicePort each : ports) {
            String protocol = each.protocol().toLowerCase(Locale.ROOT);
            String url = protocol + "://" + address + ':' + each.port();
            values.putIfAbsent(prefix + "_PORT", url);
            String port = prefix + "_PORT_" + each.port() + '_' + each.protocol();
            values.put(port, url);
            values.put(port + "_PROTO", protocol);
            values.put(port + "_PORT", Integer.toString(each.port()));
            values.put(port + "_ADDR", address);
        }
    }

    private static String variable(String name) {
        return name.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}
