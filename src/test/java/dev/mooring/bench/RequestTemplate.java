package dev.mooring.bench;

import dev.mooring.cli.ServerAccess;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * An HTTP/1.1 request whose bytes are complete except for a number: each run of {@code #} becomes as many of its last
 * digits. This costs almost nothing, to leave the processors to the server. Immutable.
 */
final class RequestTemplate {
    static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    static final String CLAIM = "data-postgres-######";
    static final String JSON = "application/json";
    static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

    /** A typical claim, as in Helm charts. */
    private static final String BODY =
            "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"metadata\":{\"name\":\""
                    + CLAIM
                    + "\",\"namespace\":\"default\",\"labels\":{\"app.kubernetes.io/name\":\"postgres\","
                    + "\"app.kubernetes.io/instance\":\"team-##\",\"tier\":\"database\"},"
                    + "\"annotations\":{\"example.com/owner\":\"team-##@example.com\"}},"
                    + "\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":\"10Gi\"}},"
                    + "\"storageClassName\":\"standard\",\"volumeMode\":\"Filesystem\"}}";

    private final byte[] template;
    private final List<Placeholder> placeholders = new ArrayList<>();

    private record Placeholder(int at, int digits) {}

    private RequestTemplate(byte[] template) {
        this.template = template;
        for (int i = 0; i < template.length; i++) {
            int start = i;
            while (i < template.length && template[i] == '#') {
                i++;
            }
            if (i > start) {
                placeholders.add(new Placeholder(start, i - start));
            }
        }
    }

    /** Creates a claim with the number in its name. */
    static RequestTemplate create(ServerAccess access) {
        return post(access, CLAIMS, BODY);
    }

    /** Creates an object, with placeholders for its number. */
    static RequestTemplate post(ServerAccess access, String path, String body) {
        return with("POST", path, access, JSON, body);
    }

    /** Sets a label of one claim to a new value. */
    static RequestTemplate relabel(ServerAccess access, String name) {
        String body = "{\"metadata\":{\"labels\":{\"step\":\"s########\"}}}";
        return with("PATCH", CLAIMS + '/' + name, access, "application/merge-patch+json", body);
    }

    static RequestTemplate get(ServerAccess access, String path, String accept) {
        return new RequestTemplate((head("GET", path, access, accept) + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static RequestTemplate with(String method, String path, ServerAccess access, String type, String body) {
        String head = head(method, path, access, JSON) + "Content-Type: " + type + "\r\nContent-Length: "
                + body.length() + "\r\n\r\n";
        return new RequestTemplate((head + body).getBytes(StandardCharsets.US_ASCII));
    }

    private static String head(String method, String path, ServerAccess access, String accept) {
        return method + ' ' + path + " HTTP/1.1\r\nHost: " + access.server().getAuthority()
                + "\r\nUser-Agent: bench/1.0\r\n" + "Accept: " + accept + "\r\nAuthorization: Bearer " + access.token()
                + "\r\n";
    }

    /** Returns the name of the claim with a number. */
    static String claim(long number) {
        return text(CLAIM, number);
    }

    /** Returns the object that a creation sends. */
    static byte[] body(long number) {
        return text(BODY, number).getBytes(StandardCharsets.US_ASCII);
    }

    private static String text(String template, long number) {
        byte[] bytes = template.getBytes(StandardCharsets.US_ASCII);
        new RequestTemplate(bytes).fill(bytes, number);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    /** Returns the complete request. */
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
        for (Placeholder placeholder : placeholders) {
            long rest = number;
            for (int i = placeholder.at + placeholder.digits - 1; i >= placeholder.at; i--) {
                bytes[i] = (byte) ('0' + rest % 10);
                rest /= 10;
            }
        }
    }
}
