package dev.mooring.node.network;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.ServiceRange;
import dev.mooring.model.view.Service;
import dev.mooring.model.view.Service.ServicePort;
import dev.mooring.node.network.ServiceEndpoints.ReadyEndpoint;
import dev.mooring.world.World;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Answers DNS queries for the names of Services, by a World: {@code SERVICE.NAMESPACE.svc.cluster.local} has the
 * Service's address, or those of its ready Pods if it is headless; {@code HOSTNAME.SERVICE.NAMESPACE.svc.cluster.local}
 * has the address of one Pod of a headless Service. SRV records name ports. Queries for other domains are not answered
 * here. Pure; thread-safe.
 */
final class ClusterDns {
    /** Kubernetes' domain. */
    static final String DOMAIN = "cluster.local";

    /** Readiness changes are seen by clients after this time, as with Kubernetes' DNS server. */
    private static final int TTL_SECONDS = 5;

    private static final int HEADER_BYTES = 12;
    private static final int MAX_NAME = 255;
    private static final int PLAIN_UDP_BYTES = 512;
    private static final int MAX_UDP_BYTES = 1_232;
    private static final int TYPE_A = 1;
    private static final int TYPE_SOA = 6;
    private static final int TYPE_SRV = 33;
    private static final int TYPE_OPT = 41;
    private static final int TYPE_ANY = 255;
    private static final int NO_ERROR = 0;
    private static final int FORMAT_ERROR = 1;
    private static final int SERVER_FAILURE = 2;
    private static final int NO_SUCH_NAME = 3;

    /** Largest number of records of an answer, which must fit into 64 KiB. */
    private static final int MAX_RECORDS = 1_000;

    /**
     * A parsed query.
     *
     * @param labels of the name, in lower case
     * @param end position behind the question
     * @param udpBytes maximum size of an answer by UDP
     */
    private record Question(List<String> labels, int type, int end, int udpBytes) {}

    /** The records of a name; absent names have no records of any type. */
    private record Records(boolean exists, List<byte[]> answers) {
        static final Records ABSENT = new Records(false, List.of());
    }

    private ClusterDns() {}

    /**
     * Answers a query.
     *
     * @param overUdp whether the answer may have to be truncated, so that the client repeats the query by TCP
     * @return empty if the query is for another domain
     */
    static Optional<byte[]> answer(World world, byte[] query, boolean overUdp) {
        Optional<Question> parsed = parse(query);
        if (parsed.isEmpty()) {
            return Optional.of(error(query, FORMAT_ERROR));
        }
        Question question = parsed.get();
        List<String> labels = question.labels();
        int size = labels.size();
        if (size < 2
                || !labels.get(size - 1).equals("local")
                || !labels.get(size - 2).equals("cluster")) {
            return Optional.empty();
        }
        Records records = size >= 3 && labels.get(size - 3).equals("svc")
                ? find(world, labels.subList(0, size - 3), question.type())
                : new Records(size == 2, List.of());
        byte[] whole = response(query, question, records, records.answers());
        return Optional.of(
                overUdp && whole.length > question.udpBytes()
                        ? truncated(response(query, question, records, List.of()))
                        : whole);
    }

    /** Returns a response without records that reports that no server could answer. */
    static byte[] failure(byte[] query) {
        return error(query, SERVER_FAILURE);
    }

    private static Optional<Question> parse(byte[] query) {
        if (query.length < HEADER_BYTES
                || (query[2] & 0xf8) != 0
                || ByteBuffer.wrap(query).getShort(4) != 1) {
            return Optional.empty();
        }
        List<String> labels = new ArrayList<>();
        int at = HEADER_BYTES;
        while (at < query.length && query[at] != 0) {
            int length = query[at] & 0xff;
            if (length > 63 || at + length + 1 > query.length || at - HEADER_BYTES > MAX_NAME) {
                return Optional.empty();
            }
            labels.add(new String(query, at + 1, length, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT));
            at += length + 1;
        }
        if (at + 5 > query.length) {
            return Optional.empty();
        }
        int type = ByteBuffer.wrap(query).getShort(at + 1) & 0xffff;
        return Optional.of(new Question(labels, type, at + 5, udpBytes(query, at + 5)));
    }

    /** Returns the size that the client accepts, from the OPT record behind the question if it has one. */
    private static int udpBytes(byte[] query, int at) {
        if (at + 5 <= query.length && query[at] == 0 && ByteBuffer.wrap(query).getShort(at + 1) == TYPE_OPT) {
            int accepted = ByteBuffer.wrap(query).getShort(at + 3) & 0xffff;
            return Math.max(PLAIN_UDP_BYTES, Math.min(MAX_UDP_BYTES, accepted));
        }
        return PLAIN_UDP_BYTES;
    }

    /** @param labels without {@code svc.cluster.local} */
    private static Records find(World world, List<String> labels, int type) {
        int size = labels.size();
        if (size < 2) {
            boolean exists = size == 0
                    || ObjectKey.ifValid("namespaces/" + labels.get(0))
                            .flatMap(world::get)
                            .isPresent();
            return new Records(exists, List.of());
        }
        Optional<Service> found = ObjectKey.ifValid(
                        Service.RESOURCE + '/' + labels.get(size - 1) + '/' + labels.get(size - 2))
                .flatMap(world::get)
                .map(Service::of);
        if (found.isEmpty()) {
            return Records.ABSENT;
        }
        Service service = found.get();
        return switch (size) {
            case 2 ->
                addresses(
                        type,
                        service.clusterIp()
                                .map(List::of)
                                .orElseGet(() -> distinct(ServiceEndpoints.all(world, service.key()))));
            case 3 -> hostname(world, service, labels.get(0), type);
            case 4 -> port(world, service, labels.get(0), labels.get(1), type);
            default -> Records.ABSENT;
        };
    }

    private static List<String> distinct(List<ReadyEndpoint> endpoints) {
        Set<String> addresses = new LinkedHashSet<>();
        endpoints.forEach(each -> addresses.add(each.address()));
        return List.copyOf(addresses);
    }

    private static Records addresses(int type, List<String> addresses) {
        List<byte[]> records = new ArrayList<>();
        if (type == TYPE_A || type == TYPE_ANY) {
            for (String each : addresses) {
                ServiceRange.address(each)
                        .ifPresent(address -> records.add(record(
                                TYPE_A, ByteBuffer.allocate(4).putInt(address).array())));
            }
        }
        return new Records(true, records);
    }

    private static Records hostname(World world, Service service, String hostname, int type) {
        List<String> addresses = ServiceEndpoints.all(world, service.key()).stream()
                .filter(each -> name(each).equals(hostname))
                .map(ReadyEndpoint::address)
                .distinct()
                .toList();
        return service.isHeadless() && !addresses.isEmpty() ? addresses(type, addresses) : Records.ABSENT;
    }

    /** Returns the first label of an endpoint's name: its host name, or its address with dashes. */
    private static String name(ReadyEndpoint endpoint) {
        return endpoint.hostname().isEmpty()
                ? endpoint.address().replace('.', '-')
                : endpoint.hostname().toLowerCase(Locale.ROOT);
    }

    /** Returns the SRV records of {@code _PORT._PROTOCOL}. */
    private static Records port(World world, Service service, String port, String protocol, int type) {
        Optional<ServicePort> found = service.ports().stream()
                .filter(each -> port.equals('_' + each.name())
                        && protocol.equals('_' + each.protocol().toLowerCase(Locale.ROOT)))
                .findFirst();
        if (found.isEmpty()) {
            return Records.ABSENT;
        }
        String domain = service.name() + '.' + service.namespace() + ".svc." + DOMAIN;
        List<byte[]> records = new ArrayList<>();
        if (type == TYPE_SRV || type == TYPE_ANY) {
            if (service.isHeadless()) {
                ServiceEndpoints.ofPort(world, service.key(), found.get().name())
                        .forEach(each -> records.add(srv(each.port(), name(each) + '.' + domain)));
            } else {
                records.add(srv(found.get().port(), domain));
            }
        }
        return new Records(true, records);
    }

    private static byte[] srv(int port, String target) {
        byte[] name = encoded(target);
        return record(
                TYPE_SRV,
                ByteBuffer.allocate(6 + name.length)
                        .putShort((short) 0)
                        .putShort((short) 100)
                        .putShort((short) port)
                        .put(name)
                        .array());
    }

    private static byte[] encoded(String name) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (String label : name.split("\\.", -1)) {
            byte[] bytes = label.getBytes(StandardCharsets.ISO_8859_1);
            out.write(bytes.length);
            out.writeBytes(bytes);
        }
        out.write(0);
        return out.toByteArray();
    }

    /** Returns a record of the name of the question. */
    private static byte[] record(int type, byte[] data) {
        return ByteBuffer.allocate(12 + data.length)
                .putShort((short) 0xc00c)
                .putShort((short) type)
                .putShort((short) 1)
                .putInt(TTL_SECONDS)
                .putShort((short) data.length)
                .put(data)
                .array();
    }

    /** Returns a response; one without answers has a SOA record, so that clients cache it only for a short time. */
    private static byte[] response(byte[] query, Question question, Records records, List<byte[]> answers) {
        List<byte[]> limited = answers.subList(0, Math.min(MAX_RECORDS, answers.size()));
        byte[] authority = limited.isEmpty() ? soa() : new byte[0];
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(header(
                query, records.exists() ? NO_ERROR : NO_SUCH_NAME, 1, limited.size(), limited.isEmpty() ? 1 : 0));
        out.writeBytes(Arrays.copyOfRange(query, HEADER_BYTES, question.end()));
        limited.forEach(out::writeBytes);
        out.writeBytes(authority);
        return out.toByteArray();
    }

    private static byte[] soa() {
        byte[] zone = encoded(DOMAIN);
        byte[] server = encoded("ns.dns." + DOMAIN);
        byte[] mailbox = encoded("hostmaster." + DOMAIN);
        int length = server.length + mailbox.length + 20;
        return ByteBuffer.allocate(zone.length + 10 + length)
                .put(zone)
                .putShort((short) TYPE_SOA)
                .putShort((short) 1)
                .putInt(TTL_SECONDS)
                .putShort((short) length)
                .put(server)
                .put(mailbox)
                .putInt(1)
                .putInt(7_200)
                .putInt(1_800)
                .putInt(86_400)
                .putInt(TTL_SECONDS)
                .array();
    }

    private static byte[] header(byte[] query, int code, int questions, int answers, int authorities) {
        ByteBuffer in = ByteBuffer.wrap(Arrays.copyOf(query, HEADER_BYTES));
        int flags = 0x8480 | (in.getShort(2) & 0x0100) | code; // response, authoritative, recursion available
        return ByteBuffer.allocate(HEADER_BYTES)
                .putShort(in.getShort(0))
                .putShort((short) flags)
                .putShort((short) questions)
                .putShort((short) answers)
                .putShort((short) authorities)
                .putShort((short) 0)
                .array();
    }

    private static byte[] error(byte[] query, int code) {
        Optional<Question> question = parse(query);
        byte[] header = header(query, code, question.isPresent() ? 1 : 0, 0, 0);
        header[2] = (byte) (header[2] & ~0x04); // not authoritative
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(header);
        question.ifPresent(each -> out.writeBytes(Arrays.copyOfRange(query, HEADER_BYTES, each.end())));
        return out.toByteArray();
    }

    private static byte[] truncated(byte[] response) {
        response[2] = (byte) (response[2] | 0x02);
        return response;
    }
}
