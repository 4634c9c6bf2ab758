package dev.mooring.architecture;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Adds a source type that the program does not know, by service files only, and takes a claim of its provisioner
 * through validation, provisioning, binding, mounting, unmounting and deletion. The program is loaded by its own class
 * loader, so that other tests do not see the toy.
 */
class ToyPluginTest {
    @Test
    void sourceType_registeredByServiceFilesOnly_isProvisionedBoundMountedAndDeleted(@TempDir Path directory)
            throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader isolated = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(isolated);
            Object scenario = isolated.loadClass("dev.mooring.architecture.toy.ToyScenario")
                    .getConstructor(Path.class)
                    .newInstance(directory);
            ((Callable<?>) scenario).call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL[] classPath() throws Exception {
        List<URL> urls = new ArrayList<>();
        urls.add(ToyPluginTest.class.getResource("/toy-plugin/"));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }
}
