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

/** Tests that connecting to an engine does not load docker-java, so that a server's start does not wait for it. */
class LazyRuntimeTest {
    private static final String RUNTIME_PACKAGE = "dev.mooring.runtime.";

    /** A class loader that defines the runtime's classes itself and does not find docker-java. */
    private static final class IsolatingClassLoader extends ClassLoader {
        private IsolatingClassLoader() {
            super(LazyRuntimeTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("com.github.dockerjava")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith(RUNTIME_PACKAGE)) {
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
    @ValueSource(strings = {"unix:///missing.sock", "tcp://missing", "tcp://missing:2375"})
    void connect_doesNotLoadDockerJava(String host) throws Exception {
        ClassLoader loader = new IsolatingClassLoader();
        Class<?> settings = loader.loadClass(RUNTIME_PACKAGE + "docker.DockerSettings");
        Class<?> runtime = loader.loadClass(RUNTIME_PACKAGE + "docker.DockerRuntime");
        Object given = settings.getConstructor(String.class, Optional.class, Duration.class)
                .newInstance(host, Optional.empty(), Duration.ofSeconds(1));

        Object connected = runtime.getMethod("connect", settings).invoke(null, given);

        // The first call fails because docker-java is missing: this proves that connect() did not need it.
        assertThatThrownBy(() -> runtime.getMethod("info").invoke(connected))
                .isInstanceOf(InvocationTargetException.class)
                .hasRootCauseInstanceOf(ClassNotFoundException.class);
        runtime.getMethod("close").invoke(connected);
    }

    @Test
    void connect_invalidTlsFiles_isRejected(@TempDir Path directory) throws IOException {
        for (String name : List.of("cert.pem", "key.pem", "ca.pem")) {
            Files.writeString(directory.resolve(name), "nothing\n");
        }
        DockerSettings settings =
                new DockerSettings("tcp://localhost:2376", Optional.of(directory), Duration.ofSeconds(1));
        assertThatThrownBy(() -> DockerRuntime.connect(settings))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Cannot use the files in " + directory + " for TLS");
    }

    @Test
    void address_tcpHostWithoutPort_hasTheDefaultPort() {
        assertThat(new DockerSettings("tcp://h", Optional.empty(), Duration.ofSeconds(1)).address())
                .isEqualTo("tcp://h:2375");
        assertThat(new DockerSettings("unix:///x", Optional.empty(), Duration.ofSeconds(1)).address())
                .isEqualTo("unix:///x");
    }
}
