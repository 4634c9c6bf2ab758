package dev.mooring.server;

import java.io.IOException;
import java.io.InputStream;
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
 * The environment of a process: clock, randomness, variables, output. Passed down from {@code main}, so that tests can
 * replace it.
 *
 * @param in commands of interactive programs
 * @param out for data
 * @param err for everything else
 */
public record ProcessEnvironment(
        Clock clock,
        SecureRandom secureRandom,
        RandomGenerator random,
        Map<String, String> environment,
        String hostName,
        InputStream in,
        PrintStream out,
        PrintStream err) {
    private static final Path KERNEL_HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    /** Creates an environment without input. */
    public ProcessEnvironment(
            Clock clock,
            SecureRandom secureRandom,
            RandomGenerator random,
            Map<String, String> environment,
            String hostName,
            PrintStream out,
            PrintStream err) {
        this(clock, secureRandom, random, environment, hostName, InputStream.nullInputStream(), out, err);
    }

    public static ProcessEnvironment ofThisProcess() {
        return new ProcessEnvironment(
                Clock.systemUTC(),
                new SecureRandom(),
                new Random(),
                System.getenv(),
                thisHost(),
                System.in,
                System.out,
                System.err);
    }

    /** Reads the host name from the kernel; Java's own lookup may query DNS first. */
    private static String thisHost() {
        try {
            String name = Files.readString(KERNEL_HOST_NAME).trim();
            if (!name.isEmpty() && !name.equals("(none)")) {
                return name;
            }
        } catch (IOException e) {
            // Not Linux: use Java's lookup.
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
