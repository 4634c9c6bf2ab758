package dev.mooring.api.auth;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes audit records to a file on its own thread; accepts records from any thread without blocking.
 *
 * <p>The queue is bounded. A record is dropped if the queue is full or the write fails: it is counted in
 * {@code mooring.audit.dropped}, logged once, and reported by {@link #problem} until records are written again. Refused
 * requests are recorded at a limited rate per user or address, so that an unauthorized client cannot rotate other
 * records out of the file.
 */
public final class AuditLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);

    /** Queue capacity: a few seconds of writes at full speed. */
    private static final int MAX_QUEUED_RECORDS = 8192;

    /** Maximum total size of bodies in the queue. */
    private static final int MAX_QUEUED_BODY_BYTES = 8 * 1024 * 1024;

    /** Maximum size of a recorded body; larger ones are omitted. */
    public static final int MAX_BODY_BYTES = 64 * 1024;

    private static final int BATCH = 64;
    private static final int CHUNK_BYTES = 256 * 1024;
    private static final long CLOSE_SECONDS = 5;
    private static final RateLimit.RateLimitSettings REFUSALS = new RateLimit.RateLimitSettings(1, 100, 10_000);

    private static final Optional<AuditRecord> END = Optional.empty();

    private final AuditLevel level;
    private final RotatingFile file;
    private final RateLimit refusals;
    private final BlockingQueue<Optional<AuditRecord>> queue;
    private final AtomicInteger bodyBytes = new AtomicInteger();
    private final Counter written;
    private final Counter droppedByQueue;
    private final Counter droppedByDisk;
    private final Counter droppedRefusals;
    private final Thread writer = new Thread(this::run, "mooring-audit");
    private volatile boolean closed;
    private volatile Optional<String> problem = Optional.empty();

    /**
     * Opens the file and starts the writer thread.
     *
     * @param maxBytes size at which the file is rotated
     * @param files number of files to keep, including the current one
     * @param nanoTime as {@link System#nanoTime}: only differences count
     */
    public AuditLog(AuditLevel level, Path path, long maxBytes, int files, LongSupplier nanoTime, MeterRegistry meters)
            throws IOException {
        this(level, new RotatingFile(path, maxBytes, files), MAX_QUEUED_RECORDS, nanoTime, meters);
        writer.setDaemon(true);
        writer.start();
    }

    /** Creates a log that writes nothing until {@link #run} is called. */
    AuditLog(AuditLevel level, RotatingFile file, int queued, LongSupplier nanoTime, MeterRegistry meters) {
        this.level = level;
        this.file = file;
        this.queue = new ArrayBlockingQueue<>(queued);
        this.refusals = new RateLimit(REFUSALS, nanoTime);
        this.written = Counter.builder("mooring.audit.records")
                .description("Records written to the audit log")
                .register(meters);
        this.droppedByQueue = dropped(meters, "queue");
        this.droppedByDisk = dropped(meters, "disk");
        this.droppedRefusals = dropped(meters, "refusals");
    }

    private static Counter dropped(MeterRegistry meters, String reason) {
        return Counter.builder("mooring.audit.dropped")
                .description("Records dropped from the audit log: queue full, disk not writable, or too many refused"
                        + " requests of one client")
                .tag("reason", reason)
                .register(meters);
    }

    /** Returns whether bodies are recorded. */
    public boolean recordsBodies() {
        return level == AuditLevel.REQUEST;
    }

    /** Returns why records are being dropped; empty if they are not. */
    public Optional<String> problem() {
        return problem;
    }

    /** Adds a record of a refused request, unless the client exceeded the rate of recorded refusals. */
    public void addRefused(AuditRecord record) {
        String client =
                record.user().map(User::name).map(name -> "user " + name).orElse(record.address());
        if (refusals.acquire(client).isEmpty()) {
            add(record);
        } else {
            droppedRefusals.increment();
        }
    }

    /** Adds a record without blocking. */
    public void add(AuditRecord record) {
        AuditRecord bounded = record;
        if (bodyBytes.addAndGet(bytesOf(record)) > MAX_QUEUED_BODY_BYTES) {
            bodyBytes.addAndGet(-bytesOf(record));
            bounded = record.withoutBody("too many other bodies are queued");
        }
        if (closed || !queue.offer(Optional.of(bounded))) {
            bodyBytes.addAndGet(-bytesOf(bounded));
            droppedByQueue.increment();
            if (!closed) {
                failed("the queue is full", null);
            }
        }
    }

    /** Writes records until the log is closed. */
    void run() {
        List<Optional<AuditRecord>> batch = new ArrayList<>();
        boolean ended = false;
        while (!ended) {
            try {
                batch.add(queue.take());
            } catch (InterruptedException e) {
                // Interrupts do not end this thread; close() does.
                continue;
            }
            queue.drainTo(batch, BATCH - 1);
            ended = batch.contains(END);
            batch.removeIf(Optional::isEmpty);
            write(batch);
            batch.clear();
        }
    }

    private void write(List<Optional<AuditRecord>> batch) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream(1024 * Math.max(1, batch.size()));
        int gathered = 0;
        for (Optional<AuditRecord> each : batch) {
            AuditRecord record = each.orElseThrow();
            bodyBytes.addAndGet(-bytesOf(record));
            try {
                lines.writeBytes(record.toJsonLine());
                gathered++;
            } catch (RuntimeException e) {
                droppedByDisk.increment();
                failed("a record could not be encoded", e);
            }
            if (lines.size() > CHUNK_BYTES) {
                write(lines, gathered);
                gathered = 0;
            }
        }
        write(lines, gathered);
    }

    private void write(ByteArrayOutputStream lines, int records) {
        try {
            file.write(lines.toByteArray());
            written.increment(records);
            succeeded();
        } catch (IOException e) {
            droppedByDisk.increment(records);
            failed(String.valueOf(e.getMessage()), e);
        }
        lines.reset();
    }

    private static int bytesOf(AuditRecord record) {
        return record.body().map(AuditRecord.RecordedBody::bytes).orElse(0);
    }

    private void failed(String why, Exception cause) {
        boolean first;
        synchronized (this) {
            first = problem.isEmpty();
            problem = Optional.of("records are being dropped: " + why);
        }
        if (first) {
            LOG.atWarn()
                    .addKeyValue("file", file.path())
                    .addKeyValue("reason", why)
                    .setCause(cause)
                    .log("Failed to write audit log; dropping records until it can be written");
        }
    }

    /** Clears the problem, unless the queue is still full and the next record would be dropped. */
    private void succeeded() {
        if (problem.isPresent() && queue.isEmpty()) {
            synchronized (this) {
                problem = Optional.empty();
            }
            LOG.atInfo().addKeyValue("file", file.path()).log("Resumed writing audit log");
        }
    }

    /** Writes the queued records and stops. Later records are dropped. */
    @Override
    public void close() {
        closed = true;
        try {
            if (queue.offer(END, CLOSE_SECONDS, TimeUnit.SECONDS)) {
                writer.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
            }
            if (writer.isAlive()) {
                LOG.atWarn()
                        .addKeyValue("file", file.path())
                        .addKeyValue("records", queue.size())
                        .log("Failed to write audit log before the server stopped; records are lost");
            } else {
                file.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("file", file.path()).setCause(e).log("Failed to close audit log");
        }
    }

    /** How much the audit log records of a request. */
    public enum AuditLevel {
        /** No audit log. */
        OFF,
        /** User, address, verb, object, decision and response code. */
        METADATA,
        /** Metadata and the request's body without secrets. */
        REQUEST
    }
}
