package dev.mooring.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A small tmpfs, for tests that fill a disk. Needs root. */
public final class SmallDisk implements AutoCloseable {
    public static final String WHY_NOT = "mounting a tmpfs needs root";

    private final Path path;

    private SmallDisk(Path path) {
        this.path = path;
    }

    public static boolean isPossible() {
        return "root".equals(System.getProperty("user.name"));
    }

    public static SmallDisk mount(Path parent, String size) throws IOException, InterruptedException {
        Path path = Files.createDirectory(parent.resolve("small"));
        run("mount", "-t", "tmpfs", "-o", "size=" + size, "mooring-test", path.toString());
        return new SmallDisk(path);
    }

    public Path path() {
        return path;
    }

    public void resize(String size) throws IOException, InterruptedException {
        run("mount", "-o", "remount,size=" + size, path.toString());
    }

    @Override
    public void close() throws IOException, InterruptedException {
        run("umount", path.toString());
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (!process.waitFor(120, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException(String.join(" ", command) + " failed or did not end within 120 s");
        }
    }
}
