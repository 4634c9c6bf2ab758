package dev.mooring.node.container;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.ImageFacts;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A fake runtime that has images and one registry, and nothing else. Records its calls. */
final class FakeRegistry implements ContainerRuntime {
    static final String NO_ROUTE = "Get \"https://registry/v2/\": no route to host";

    final List<String> calls = new ArrayList<>();
    final Set<String> present = new HashSet<>();
    final Set<String> offered = new HashSet<>();
    /** Failures of pulls, by reference. */
    final Map<String, EngineException> pullFailures = new HashMap<>();
    /** Called during each pull. */
    java.util.function.Consumer<PullProgress> whilePulling = progress -> {};

    Optional<EngineException> down = Optional.empty();
    /** The only password that the registry accepts; "" for any or none. */
    String password = "";

    @Override
    public Optional<ImageFacts> image(String reference) throws EngineException {
        calls.add("image " + reference);
        check();
        return present.contains(reference) ? Optional.of(facts(reference)) : Optional.empty();
    }

    @Override
    public ImageFacts pull(String reference, Optional<Credentials> credentials, PullProgress progress)
            throws EngineException {
        calls.add("pull " + reference + credentials.map(each -> " as " + each).orElse(""));
        check();
        whilePulling.accept(progress);
        if (pullFailures.containsKey(reference)) {
            throw pullFailures.get(reference);
        }
        String given = credentials.map(Credentials::password).orElse("");
        if (!password.isEmpty() && !password.equals(given)) {
            throw new EngineException(Kind.FAILED, "denied for '" + given + "'");
        }
        if (!offered.contains(reference)) {
            throw new EngineException(Kind.FAILED, NO_ROUTE);
        }
        present.add(reference);
        return facts(reference);
    }

    private void check() throws EngineException {
        if (down.isPresent()) {
            throw down.get();
        }
    }

    static ImageFacts facts(String reference) {
        return new ImageFacts("sha256:of-" + reference, List.of(), List.of(), List.of(), 4_300_000, "");
    }

    @Override
    public ContainerRuntime.EngineInfo info() {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<ContainerFacts> list(String instance) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<ContainerFacts> inspect(String id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String create(ContainerSpec spec) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void start(String id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void stop(String id, Duration grace) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void remove(String id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint) {
        throw new UnsupportedOperationException();
    }

    @Override
    public AutoCloseable watchEvents(String instance, EventListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Session logs(String id, LogRequest request, Sink sink) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Session exec(String id, ExecRequest request, Sink sink) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Session attach(String id, StreamSelection streams, Sink sink) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
