package dev.mooring.api.discovery;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/** Serves discovery, OpenAPI and stored objects unchanged; records writes and answers them with the request body. */
final class DiscoveryServerFixture implements AutoCloseable {
    private static final String VERSION =
            "{\"major\":\"1\",\"minor\":\"32\",\"gitVersion\":\"v1.32.0\",\"platform\":\"linux/amd64\"}";
    private static final String NOT_FOUND = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
            + "\"status\":\"Failure\",\"reason\":\"NotFound\",\"code\":404,\"message\":\"not found\"}";

    private final Map<String, String> objects = new ConcurrentHashMap<>();
    private final List<String> writes = new CopyOnWriteArrayList<>();
    private final List<String> reads = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ApiDiscovery discovery;
    private final OpenApi openApi;
    private final HttpServer server;

    DiscoveryServerFixture(List<OpenApi.DescribedKind> kinds) throws IOException {
        discovery = new ApiDiscovery(
                kinds.stream().map(OpenApi.DescribedKind::served).toList());
        openApi = new OpenApi(kinds, "test");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void put(String path, String json) {
        objects.put(path, json);
    }

    /** Returns recorded writes, as {@code PATCH /path?query CONTENT-TYPE BODY}. */
    List<String> writes() {
        return writes;
    }

    List<String> reads() {
        return reads;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String accept = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Accept"))
                .orElse("");
        byte[] sent = exchange.getRequestBody().readAllBytes();
        if (exchange.getRequestMethod().equals("GET")) {
            reads.add(exchange.getRequestURI().toString());
            get(exchange, path, accept);
        } else {
            String body = new String(sent, StandardCharsets.UTF_8).strip();
            writes.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Content-Type") + " " + body);
            boolean patch = exchange.getRequestMethod().equals("PATCH");
            send(exchange, patch ? 200 : 201, "application/json", patch ? objects.get(path) : body);
        }
    }

    private void get(HttpExchange exchange, String path, String accept) throws IOException {
        var discovered = discovery.find(path, accept);
        String query = Optional.ofNullable(exchange.getRequestURI().getQuery()).orElse("");
        Optional<String> hash = Stream.of(query.split("&", -1))
                .filter(parameter -> parameter.startsWith("hash="))
                .map(parameter -> parameter.substring("hash=".length()))
                .findFirst();
        var described = openApi.find(path, hash, accept);
        if (discovered.isPresent()) {
            send(exchange, 200, discovered.get().contentType(), discovered.get().body());
        } else if (described.isPresent()) {
            boolean gzip = described.get().gzip().isPresent();
            if (gzip) {
                exchange.getResponseHeaders().set("Content-Encoding", "gzip");
            }
            exchange.getResponseHeaders().set("ETag", described.get().etag());
            exchange.getResponseHeaders().set("Cache-Control", described.get().cacheControl());
            send(
                    exchange,
                    200,
                    described.get().contentType(),
                    described.get().gzip().orElse(described.get().body()));
        } else if (path.equals("/version")) {
            send(exchange, 200, "application/json", VERSION);
        } else if (objects.containsKey(path)) {
            send(exchange, 200, "application/json", objects.get(path));
        } else {
            send(exchange, 404, "application/json", NOT_FOUND);
        }
    }

    private static void send(HttpExchange exchange, int status, String contentType, String body) throws IOException {
        send(exchange, status, contentType, body.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, String contentType, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", contentType);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
