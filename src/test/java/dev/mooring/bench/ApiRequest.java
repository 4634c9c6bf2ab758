package dev.mooring.bench;

import dev.mooring.cli.client.ServerAccess;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A request of HTTP/1.1 whose bytes are ready but for a number: each run of {@code #} becomes as many of its last digits. Making it this way
 * costs next to nothing, and the processors are the server's. Immutable.
 */
final class ApiRequest {
    static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    static final String CLAIM = "data-postgres-######";
    static final String JSON = "application/json";
    static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

    /** A claim as charts make them. */
    private static final String BODY =
            "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"metadata\":{\"name\":\""
                    + CLAIM
                    + "\",\"namespace\":\"default\",\"labels\":{\"app.kubernetes.io/name\":\"postgres\","
                    + "\"app.kubernetes.io/instance\":\"team-##\",\"tier\":\"database\"},"
                    + "\"annotations\":{\"example.com/owner\":\"team-##@example.com\"}},"
                    + "\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":\"10Gi\"}},"
                    + "\"storageClassName\":\"standard\",\"volumeMode\":\"Filesystem\"}}";

    private final byte[] template;
    private final List<Hole> holes = new ArrayList<>();

    private record Hole(int at, int digits) {}

    private ApiRequest(byte[] template) {
        this.template = template;
        for (int i = 0; i < template.length; i++) {
            int start = i;
            while (i < template.length && template[i] == '#') {
                i++;
            }
            if (i > start) {
                holes.add(new Hole(start, i - start));
            }
        }
    }

    /** The creation of a claim, the number of which is part of its name. */
    static ApiRequest create(ServerAccess access) {
        return post(access, CLAIMS, BODY);
    }

    /** The creation of an object, with holes for its number. */
    static ApiRequest post(ServerAccess access, String path, String body) {
        return with("POST", path, access, JSON, body);
    }

    /** A new value for a label of one claim. */
    static ApiRequest relabel(ServerAccess access, String name) {
        String body = "{\"metadata\":{\"labels\":{\"step\":\"s########\"}}}";
        return with("PATCH", CLAIMS + '/' + name, access, "application/merge-patch+json", body);
    }

    static ApiRequest get(ServerAccess access, String path, String accept) {
        return new ApiRequest((head("GET", path, access, accept) + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static ApiRequest with(String method, String path, ServerAccess access, String type, String body) {
        String head = head(method, path, access, JSON) + "Content-Type: " + type + "\r\nContent-Length: "
                + body.length() + "\r\n\r\n";
        return new ApiRequest((head + body).getBytes(StandardCharsets.US_ASCII));
    }

    private static String head(String method, String path, ServerAccess access, String accept) {
        return method + ' ' + path + " HTTP/1.1\r\nHost: " + access.server().getAuthority()
                + "\r\nUser-Agent: bench/1.0\r\n" + "Accept: " + accept + "\r\nAuthorization: Bearer " + access.token()
                + "\r\n";
    }

    /** The name of the claim with a number. */
    static String claim(long number) {
        return text(CLAIM, number);
    }

    /** What a creation sends as the object. */
    static byte[] body(long number) {
        return text(BODY, number).getBytes(StandardCharsets.US_ASCII);
    }

    private static String text(String template, long number) {
        byte[] bytes = template.getBytes(StandardCharsets.US_ASCII);
        new ApiRequest(bytes).fill(bytes, number);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    /** The whole request, for the wire. */
    byte[] bytes(long number) {
        byte[] bytes = template.clone();
        fill(bytes, number);
        return bytes;
    }

    void writeTo(ByteBuf out, long number) {
        out.writeBytes(bytes(number));
    }

    int length() {
        return template.length;
    }

    private void fill(byte[] bytes, long number) {
        for (Hole hole : holes) {
            long rest = number;
            for (int i = hole.at + hole.digits - 1; i >= hole.at; i--) {
                bytes[i] = (byte) ('0' + rest % 10);
                rest /= 10;
            }
        }
    }
}
