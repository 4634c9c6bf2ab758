package dev.mooring.chaos.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists and watches a resource as an informer does: when the connection is lost, it resumes after the last revision it
 * has seen; when that is too old, it lists again. One thread runs it; its steps are read after it has ended.
 */
final class WatchClient implements Runnable {
    /** How the client starts each watch. */
    enum ResumePolicy {
        /** With a list the first time, then at the last revision. */
        RESUMES,
        /** Each time at the first revision. */
        STARTS_OVER
    }

    private static final Logger LOG = LoggerFactory.getLogger(WatchClient.class);

    private final String resource;
    private final String path;
    private final ResumePolicy resumePolicy;
    private final boolean secured;
    private final CurrentServer currentServer;
    private final ClientHistory history;
    private final List<WatchStep> steps = new ArrayList<>();
    private volatile long position = -1;

    WatchClient(
            String resource,
            String path,
            ResumePolicy resumePolicy,
            boolean secured,
            CurrentServer currentServer,
            ClientHistory history) {
        this.resource = resource;
        this.path = path;
        this.resumePolicy = resumePolicy;
        this.secured = secured;
        this.currentServer = currentServer;
        this.history = history;
    }

    String resource() {
        return resource;
    }

    /** Returns the last received revision. */
    long position() {
        return position;
    }

    List<WatchStep> steps() {
        return steps;
    }

    @Override
    public void run() {
        try {
            for (Optional<ServerApi> server = currentServer.await();
                    server.isPresent();
                    server = currentServer.await()) {
                ServerApi current = server.get();
                ServerApi api = secured ? current.secured() : current;
                while (currentServer.isCurrent(current) && !currentServer.isEnded()) {
                    try {
                        follow(api);
                    } catch (IOException e) {
                        LOG.debug("Watch ended; resuming", e);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            history.problem("A watcher of " + resource + " failed: " + e);
        }
    }

    private void follow(ServerApi api) throws IOException {
        if (resumePolicy == ResumePolicy.STARTS_OVER) {
            position = 1;
            steps.add(new WatchStep.Began(position));
        } else if (position < 0) {
            ServerApi.ApiReply list = api.get(path);
            if (list.code() != 200) {
                history.problem("Failed to list " + resource + ": " + list.text());
                return;
            }
            ListResult listing = RacingClient.listing(resource, 0, list.body());
            steps.add(new WatchStep.Listed(listing.revision(), listing.objects()));
            position = listing.revision();
        } else {
            steps.add(new WatchStep.Resumed(position));
        }
        HttpResponse<InputStream> answer =
                api.open(path + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + position);
        if (answer.statusCode() == 410) {
            position = -1;
        } else if (answer.statusCode() != 200) {
            history.problem("Failed to watch " + resource + ": status " + answer.statusCode());
        }
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
            for (String line = completeLine(lines); !line.isEmpty() && position >= 0; line = completeLine(lines)) {
                process(ServerApi.JSON.readTree(line));
            }
        }
    }

    /** Reads a complete line; returns "" for a line that a killed server left incomplete. */
    private static String completeLine(BufferedReader lines) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = lines.read(); c >= 0; c = lines.read()) {
            if (c == '\n') {
                return line.toString();
            }
            line.append((char) c);
        }
        return "";
    }

    private void process(JsonNode event) {
        JsonNode object = event.path("object");
        switch (event.path("type").asText()) {
            case "BOOKMARK" -> {
                position = HistoryObjectReader.revision(object);
                steps.add(new WatchStep.Bookmark(position));
            }
            case "ADDED", "MODIFIED", "DELETED" -> {
                ObjectVersion.VersionKind kind =
                        ObjectVersion.VersionKind.valueOf(event.path("type").asText());
                String key = HistoryObjectReader.key(resource, object);
                position = HistoryObjectReader.revision(object);
                steps.add(
                        HistoryObjectReader.isPublished(key)
                                ? new WatchStep.Bookmark(position)
                                : new WatchStep.Received(kind, key, HistoryObjectReader.seen(object)));
            }
            default -> {
                if (object.path("code").asInt() == 410) {
                    position = -1;
                } else {
                    history.problem("Unexpected event of " + resource + ": " + event);
                }
            }
        }
    }
}
