package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that starts does not wait until what speaks with engines is loaded. */
class LazyRuntimeTest {
    private static final String OURS = "dev.mooring.runtime.";

    /** Has the runtime to itself, and nothing of docker-java. */
    private static final class Without extends ClassLoader {
        private Without() {
            super(LazyRuntimeTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("com.github.dockerjava")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith(OURS)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known == null ? define(name) : known;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"unix:///nowhere.sock", "tcp://nobody", "tcp://nobody:2375"})
    void connectingLoadsNothingOfDockerJava(String host) throws Exception {
        ClassLoader without = new Without();
        Class<?> settings = without.loadClass(OURS + "docker.DockerSettings");
        Class<?> runtime = without.loadClass(OURS + "docker.DockerRuntime");
        Object given = settings.getConstructor(String.class, Optional.class, Duration.class)
                .newInstance(host, Optional.empty(), Duration.ofSeconds(1));

        Object connected = runtime.getMethod("connect", settings).invoke(null, given);

        // That it is not there shows with the first call, so the test would notice.
        assertThatThrownBy(() -> runtime.getMethod("info").invoke(connected))
                .isInstanceOf(InvocationTargetException.class)
                .hasRootCauseInstanceOf(ClassNotFoundException.class);
        runtime.getMethod("close").invoke(connected);
    }

    @Test
    void tlsFilesThatCannotBeUsedAreToldAtOnce(@TempDir Path directory) throws IOException {
        for (String name : List.of("cert.pem", "key.pem", "ca.pem")) {
            Files.writeString(directory.resolve(name), "nothing\n");
        }
        DockerSettings settings =
                new DockerSettings("tcp://localhost:2376", Optional.of(directory), Duration.ofSeconds(1));
        assertThatThrownBy(() -> DockerRuntime.connect(settings))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Expected the files in " + directory + " to be usable for TLS");
    }

    @Test
    void theStreamsKnowThePortThatGoesWithoutSaying() {
        assertThat(new DockerSettings("tcp://h", Optional.empty(), Duration.ofSeconds(1)).address())
                .isEqualTo("tcp://h:2375");
        assertThat(new DockerSettings("unix:///x", Optional.empty(), Duration.ofSeconds(1)).address())
                .isEqualTo("unix:///x");
    }
}
