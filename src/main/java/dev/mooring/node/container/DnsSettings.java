package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.runtime.ContainerSpec.NetworkMode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The DNS settings of a Pod: the DNS server for Services or, with {@code dnsPolicy: Default} or without such a server,
 * the machine's; extended by its {@code dnsConfig}. With {@code dnsPolicy: None} the {@code dnsConfig} only. Any
 * thread.
 */
final class DnsSettings {
    /** Limit of the resolver. */
    private static final int MAX_SERVERS = 3;

    private static final int MAX_SEARCHES = 32;
    private static final int MAX_SEARCH_LENGTH = 2048;

    private static final String CLUSTER_DOMAIN = "cluster.local";

    /** As the kubelet sets it: names of Services with up to four dots are searched first. */
    private static final String CLUSTER_NDOTS = "ndots:5";

    private final Supplier<Dns> machine;
    private final Supplier<Optional<String>> cluster;

    /** @param cluster address of the DNS server for Services, if there is one */
    DnsSettings(Supplier<Dns> machine, Supplier<Optional<String>> cluster) {
        this.machine = machine;
        this.cluster = cluster;
    }

    /** Returns the settings; empty for the machine's. */
    Optional<Dns> of(Pod pod, NetworkMode network) {
        Dns own = read(pod.spec().path("dnsConfig"));
        if (pod.spec().path("dnsPolicy").asText("").equals("None")) {
            return Optional.of(merge(List.of(), own, List.of(), List.of()));
        }
        Optional<String> server = usesCluster(pod, network) ? cluster.get() : Optional.empty();
        if (server.isPresent()) {
            String domain = "svc." + CLUSTER_DOMAIN;
            Set<String> searches = union(
                    List.of(pod.namespace() + '.' + domain, domain, CLUSTER_DOMAIN),
                    machine.get().searches());
            return Optional.of(merge(List.of(server.get()), own, List.copyOf(searches), List.of(CLUSTER_NDOTS)));
        }
        if (own.servers().isEmpty() && own.searches().isEmpty() && own.options().isEmpty()) {
            return Optional.empty();
        }
        Dns below = machine.get();
        return Optional.of(merge(reachable(below.servers(), network), own, below.searches(), below.options()));
    }

    private static boolean usesCluster(Pod pod, NetworkMode network) {
        String policy = pod.spec().path("dnsPolicy").asText("ClusterFirst");
        return policy.equals("ClusterFirstWithHostNet")
                || (policy.equals("ClusterFirst") && network == NetworkMode.OWN);
    }

    private static Dns read(JsonNode config) {
        List<String> options = new ArrayList<>();
        for (JsonNode each : config.path("options")) {
            String name = each.path("name").asText("");
            options.add(
                    each.hasNonNull("value") ? name + ':' + each.path("value").asText("") : name);
        }
        return new Dns(texts(config.path("nameservers")), texts(config.path("searches")), options);
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(each -> texts.add(each.asText("")));
        return texts;
    }

    /** Removes the machine's loopback addresses, which are not reachable in a Pod's own network. */
    private static List<String> reachable(List<String> servers, NetworkMode network) {
        return network == NetworkMode.MACHINE
                ? servers
                : servers.stream()
                        .filter(each -> !each.startsWith("127.") && !each.equals("::1"))
                        .toList();
    }

    private static Dns merge(List<String> servers, Dns own, List<String> searches, List<String> options) {
        return new Dns(
                union(servers, own.servers()).stream().limit(MAX_SERVERS).toList(),
                limitSearches(union(searches, own.searches())),
                List.copyOf(overridden(options, own.options())));
    }

    private static Set<String> union(List<String> first, List<String> second) {
        Set<String> all = new LinkedHashSet<>(first);
        all.addAll(second);
        return all;
    }

    private static List<String> limitSearches(Set<String> searches) {
        List<String> fitting = new ArrayList<>();
        int length = 0;
        for (String each : searches) {
            length += each.length() + (fitting.isEmpty() ? 0 : 1);
            if (fitting.size() == MAX_SEARCHES || length > MAX_SEARCH_LENGTH) {
                break;
            }
            fitting.add(each);
        }
        return fitting;
    }

    private static Collection<String> overridden(List<String> options, List<String> own) {
        Map<String, String> byName = new LinkedHashMap<>();
        options.forEach(each -> byName.put(name(each), each));
        own.forEach(each -> byName.put(name(each), each));
        return byName.values();
    }

    private static String name(String option) {
        int colon = option.indexOf(':');
        return colon < 0 ? option : option.substring(0, colon);
    }
}
