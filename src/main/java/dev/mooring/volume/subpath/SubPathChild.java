package dev.mooring.volume.subpath;

import dev.mooring.host.SystemCalls;
import dev.mooring.volume.VolumeException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * A child program that opens and binds a subPath of a volume whose server may be down, so that only the child hangs and
 * can be killed. It runs in the same mount namespace, so its bind mounts are visible to all processes. Reads the job
 * from stdin and writes the result to stdout. Started by {@link SubPaths}.
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
            return SubPathJson.write(SubPathMounter.allowingHangs(calls, new KernelBindMounter(calls))
                    .perform(job));
        } catch (SubPathException e) {
            return SubPathJson.write(e);
        } catch (VolumeException e) {
            return SubPathJson.write(e);
        }
    }
}
