package dev.mooring.volume.work;

import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * A program that does one job on a directory whose file system may hang, so that only this process hangs and can be killed. Reads the job
 * from its input, writes how it ended to its output. Started by {@link CarefulHands}, never by a person.
 */
public final class WorkChild {
    private WorkChild() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        String answer = answer(System.in);
        try (FileOutputStream output = new FileOutputStream(FileDescriptor.out)) {
            output.write(answer.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String answer(InputStream input) throws IOException, InterruptedException {
        try {
            DirectoryJob job = JobJson.readJob(new String(input.readAllBytes(), StandardCharsets.UTF_8));
            return JobJson.done(new OwnHands(SystemCalls.real(), MountTable::read).perform(job));
        } catch (VolumeWorkException e) {
            return JobJson.failed(e);
        }
    }
}
