package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.runtime.ContainerSpec.Network;
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
 * How a Pod looks names up: as its machine does, and as its {@code dnsConfig} adds; or with {@code dnsPolicy: None} as that alone says. There
 * is no cluster DNS here, so both policies that begin with it are what a kubelet makes of them then. Any thread.
 */
final class DnsSettings {
    /** No resolver looks at more. */
    private static final int MAX_SERVERS = 3;

    private static final int MAX_SEARCHES = 32;
    private static final int MAX_SEARCH_LENGTH = 2048;

    private final Supplier<Dns> machine;

    DnsSettings(Supplier<Dns> machine) {
        this.machine = machine;
    }

    /** Nothing: as the machine has it. */
    Optional<Dns> of(Pod pod, Network network) {
        Dns own = read(pod.spec().path("dnsConfig"));
        if (pod.spec().path("dnsPolicy").asText("").equals("None")) {
            return Optional.of(together(List.of(), own, List.of(), List.of()));
        }
        if (own.servers().isEmpty() && own.searches().isEmpty() && own.options().isEmpty()) {
            return Optional.empty();
        }
        Dns below = machine.get();
        return Optional.of(together(reachable(below.servers(), network), own, below.searches(), below.options()));
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

    /** The machine's own loopback addresses mean something else in a network of a Pod's own. */
    private static List<String> reachable(List<String> servers, Network network) {
        return network == Network.MACHINE
                ? servers
                : servers.stream()
                        .filter(each -> !each.startsWith("127.") && !each.equals("::1"))
                        .toList();
    }

    private static Dns together(List<String> servers, Dns own, List<String> searches, List<String> options) {
        return new Dns(
                union(servers, own.servers()).stream().limit(MAX_SERVERS).toList(),
                fitting(union(searches, own.searches())),
                List.copyOf(overridden(options, own.options())));
    }

    private static Set<String> union(List<String> first, List<String> second) {
        Set<String> all = new LinkedHashSet<>(first);
        all.addAll(second);
        return all;
    }

    private static List<String> fitting(Set<String> searches) {
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
