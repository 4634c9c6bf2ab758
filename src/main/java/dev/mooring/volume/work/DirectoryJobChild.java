package dev.mooring.volume.work;

import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * A child program that runs one job on a directory whose file system may hang, so that only the child hangs and can be
 * killed. Reads the job from stdin and writes the result to stdout. Started by {@link IsolatedFileOperations}.
 */
public final class DirectoryJobChild {
    private DirectoryJobChild() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        String answer = answer(System.in);
        try (FileOutputStream output = new FileOutputStream(FileDescriptor.out)) {
            output.write(answer.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String answer(InputStream input) throws IOException, InterruptedException {
        try {
            DirectoryJob job = DirectoryJobJson.readJob(new String(input.readAllBytes(), StandardCharsets.UTF_8));
            return DirectoryJobJson.done(new DirectFileOperations(SystemCalls.real(), MountTable::read).perform(job));
        } catch (VolumeWorkException e) {
            return DirectoryJobJson.failed(e);
        }
    }
}
