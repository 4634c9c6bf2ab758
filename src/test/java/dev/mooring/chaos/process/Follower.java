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
 * Lists and watches a resource as an informer does: when its connection breaks, it comes back after the last revision it has seen; when that is too
 * old, it lists again. One thread runs it; what it saw is read when it has ended.
 */
final class Follower implements Runnable {
    /** How it begins each time. */
    enum Habit {
        /** Once with a list, then where it was. */
        RESUMES,
        /** With the beginning of history, every time. */
        STARTS_OVER
    }

    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

    private final String resource;
    private final String path;
    private final Habit habit;
    private final boolean secured;
    private final Lives lives;
    private final Diary diary;
    private final List<WatchStep> steps = new ArrayList<>();
    private volatile long position = -1;

    Follower(String resource, String path, Habit habit, boolean secured, Lives lives, Diary diary) {
        this.resource = resource;
        this.path = path;
        this.habit = habit;
        this.secured = secured;
        this.lives = lives;
        this.diary = diary;
    }

    String resource() {
        return resource;
    }

    /** How far it has come. */
    long position() {
        return position;
    }

    List<WatchStep> steps() {
        return steps;
    }

    @Override
    public void run() {
        try {
            for (Optional<Api> server = lives.await(); server.isPresent(); server = lives.await()) {
                Api life = server.get();
                Api api = secured ? life.secured() : life;
                while (lives.lives(life) && !lives.isOver()) {
                    try {
                        follow(api);
                    } catch (IOException e) {
                        LOG.debug("Comes back to where it was", e);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            diary.problem("A watcher of " + resource + " failed: " + e);
        }
    }

    private void follow(Api api) throws IOException {
        if (habit == Habit.STARTS_OVER) {
            position = 1;
            steps.add(new WatchStep.Began(position));
        } else if (position < 0) {
            Api.Reply list = api.get(path);
            if (list.code() != 200) {
                diary.problem("Expected a list of " + resource + ", but " + list.text());
                return;
            }
            Listing listing = RacingClient.listing(resource, 0, list.body());
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
            diary.problem("Expected a watch of " + resource + ", but it was answered with " + answer.statusCode());
        }
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
            for (String line = whole(lines); !line.isEmpty() && position >= 0; line = whole(lines)) {
                take(Api.JSON.readTree(line));
            }
        }
    }

    /** A line with its end: what a dying server leaves is not taken for one. */
    private static String whole(BufferedReader lines) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = lines.read(); c >= 0; c = lines.read()) {
            if (c == '\n') {
                return line.toString();
            }
            line.append((char) c);
        }
        return "";
    }

    private void take(JsonNode event) {
        JsonNode object = event.path("object");
        switch (event.path("type").asText()) {
            case "BOOKMARK" -> {
                position = Reading.revision(object);
                steps.add(new WatchStep.Bookmark(position));
            }
            case "ADDED", "MODIFIED", "DELETED" -> {
                Version.Kind kind = Version.Kind.valueOf(event.path("type").asText());
                steps.add(new WatchStep.Told(kind, Reading.key(resource, object), Reading.seen(object)));
                position = Reading.revision(object);
            }
            default -> {
                if (object.path("code").asInt() == 410) {
                    position = -1;
                } else {
                    diary.problem("Expected an event of " + resource + ", but " + event + " came");
                }
            }
        }
    }
}
