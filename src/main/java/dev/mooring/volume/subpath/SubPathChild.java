package dev.mooring.volume.subpath;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.SystemCalls;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * A program that opens and binds a part of a volume whose server may be dead, so that only this process hangs and can be killed. What it binds
 * is there for all, since it lives in the same mount namespace. Reads the job from its input, writes how it ended to its output. Started
 * by {@link SubPaths}, never by a person.
 */
public final class SubPathChild {
    private SubPathChild() {}

    public static void main(String[] arguments) throws IOException {
        String answer = answer(System.in);
        try (FileOutputStream output = new FileOutputStream(FileDescriptor.out)) {
            output.write(answer.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String answer(InputStream input) throws IOException {
        SystemCalls calls = SystemCalls.real();
        try {
            SubPathJob job = SubPathJson.readJob(new String(input.readAllBytes(), StandardCharsets.UTF_8));
            return SubPathJson.write(
                    SubPathWork.patient(calls, new KernelBinder(calls)).perform(job));
        } catch (SubPathException e) {
            return SubPathJson.write(e);
        } catch (VolumeException e) {
            return SubPathJson.write(e);
        }
    }
}
