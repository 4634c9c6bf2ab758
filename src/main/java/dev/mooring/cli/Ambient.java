package dev.mooring.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * What a process finds around it: time, chance, environment, output. Handed down from {@code main}, so that tests can hand down
 * something else.
 *
 * @param out for data
 * @param err for everything else
 */
public record Ambient(
        Clock clock,
        SecureRandom secureRandom,
        RandomGenerator random,
        Map<String, String> environment,
        String hostName,
        PrintStream out,
        PrintStream err) {
    private static final Path KERNEL_HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    public static Ambient ofThisProcess() {
        return new Ambient(
                Clock.systemUTC(),
                new SecureRandom(),
                new Random(),
                System.getenv(),
                thisHost(),
                System.out,
                System.err);
    }

    /** The kernel answers at once; Java's own way may ask a name server first. */
    private static String thisHost() {
        try {
            String name = Files.readString(KERNEL_HOST_NAME).trim();
            if (!name.isEmpty() && !name.equals("(none)")) {
                return name;
            }
        } catch (IOException e) {
            // Not Linux: the slow way.
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
