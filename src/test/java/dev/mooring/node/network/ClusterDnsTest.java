package dev.mooring.node.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.WorldFixture;
import dev.mooring.world.World;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterDnsTest {
    private static final World WORLD = WorldFixture.of("""
        {kind: Namespace, metadata: {name: shop}}
        ---
        {kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: 10.96.0.7, ports: [{name: http, port: 80}]}}
        ---
        {kind: Service, metadata: {name: db, namespace: shop}, spec: {clusterIP: None, ports: [{name: sql, port: 5432}]}}
        ---
        {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4,
         metadata: {name: db-1, namespace: shop, labels: {kubernetes.io/service-name: db}},
         ports: [{name: sql, protocol: TCP, port: 5432}],
         endpoints: [{addresses: [10.0.0.1], hostname: db-0, conditions: {ready: true}},
                     {addresses: [10.0.0.2], hostname: db-1, conditions: {ready: false}},
                     {addresses: [10.0.0.3], conditions: {ready: true}}]}
        """);

    static byte[] query(String name, int type) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0});
        for (String label : name.split("\\.", -1)) {
            out.write(label.length());
            out.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        out.writeBytes(new byte[] {0, 0, (byte) type, 0, 1});
        return out.toByteArray();
    }

    /** Returns the response code and the data of the answers. */
    private static String answered(World world, byte[] query, boolean overUdp) {
        return ClusterDns.answer(world, query, overUdp)
                .map(bytes -> {
                    ByteBuffer in = ByteBuffer.wrap(bytes);
                    assertThat(in.getShort(0)).isEqualTo((short) 0x0102);
                    StringBuilder text = new StringBuilder()
                            .append((in.get(2) & 2) != 0 ? "TC " : "")
                            .append(in.get(3) & 0xf);
                    int at = query.length;
                    for (int i = 0; i < in.getShort(6); i++) {
                        int length = in.getShort(at + 10);
                        text.append(' ');
                        if (in.getShort(at + 2) == 1) {
                            text.append(in.get(at + 12) & 255)
                                    .append('.')
                                    .append(in.get(at + 13) & 255)
                                    .append('.')
                                    .append(in.get(at + 14) & 255)
                                    .append('.')
                                    .append(in.get(at + 15) & 255);
                        } else {
                            text.append(in.getShort(at + 16)).append('@');
                            for (int j = at + 18; in.get(j) != 0; j += in.get(j) + 1) {
                                text.append(new String(bytes, j + 1, in.get(j), StandardCharsets.US_ASCII))
                                        .append('.');
                            }
                        }
                        at += 12 + length;
                    }
                    return text.toString();
                })
                .orElse("forwarded");
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(textBlock = """
        web.shop.svc.cluster.local,               1,  0 10.96.0.7
        WEB.Shop.svc.cluster.local,               1,  0 10.96.0.7
        web.shop.svc.cluster.local,               28, 0
        db.shop.svc.cluster.local,                1,  0 10.0.0.1 10.0.0.3
        db-0.db.shop.svc.cluster.local,           1,  0 10.0.0.1
        db-1.db.shop.svc.cluster.local,           1,  3
        10-0-0-3.db.shop.svc.cluster.local,       1,  0 10.0.0.3
        _http._tcp.web.shop.svc.cluster.local,    33, 0 80@web.shop.svc.cluster.local.
        _sql._tcp.db.shop.svc.cluster.local,      33, 0 5432@db-0.db.shop.svc.cluster.local. 5432@10-0-0-3.db.shop.svc.cluster.local.
        _sql._udp.db.shop.svc.cluster.local,      33, 3
        none.shop.svc.cluster.local,              1,  3
        web.other.svc.cluster.local,              1,  3
        shop.svc.cluster.local,                   1,  0
        web.shop.cluster.local,                   1,  3
        a.b.c.d.e.svc.cluster.local,              1,  3
        example.com,                              1,  forwarded
        """)
    void answer_name_hasRecordsOfReadyEndpoints(String name, int type, String expected) {
        assertThat(answered(WORLD, query(name, type), true)).isEqualTo(expected);
    }

    @Test
    void answer_manyPods_isTruncatedByUdpOnly() {
        StringBuilder endpoints = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            endpoints.append(i == 0 ? "" : ", ").append("{addresses: [10.0.0." + i + "]}");
        }
        World world = WorldFixture.of("""
            {kind: Service, metadata: {name: db, namespace: shop}, spec: {clusterIP: None}}
            ---
            {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, endpoints: [%s],
             metadata: {name: db-1, namespace: shop, labels: {kubernetes.io/service-name: db}}}
            """.formatted(endpoints));
        byte[] query = query("db.shop.svc.cluster.local", 1);

        assertThat(answered(world, query, true)).isEqualTo("TC 0");
        assertThat(answered(world, query, false).split(" ", -1)).hasSize(201);
    }

    @Test
    void answer_randomBytes_failsForNone() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            byte[] query = query("web.shop.svc.cluster.local", 1);
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                query[random.nextInt(query.length)] = (byte) random.nextInt();
            }
            byte[] cut = Arrays.copyOf(query, random.nextInt(query.length + 1));
            assertThat(ClusterDns.answer(WORLD, cut, true)).as("seed " + seed).isNotNull();
        }
    }
}
