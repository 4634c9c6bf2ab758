package dev.mooring.node.pod;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ConfigException;
import dev.mooring.node.pod.ContainerBook.Busy;
import dev.mooring.node.probe.HookException;
import dev.mooring.node.probe.Hooks;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.EngineException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the steps of plans, each on a thread of its own, and at most one of a slot at a time. How it went is in the book before the slot is free again.
 * Thread-safe; {@link #begin} never blocks.
 */
final class PodWork {
    private static final Logger LOG = LoggerFactory.getLogger(PodWork.class);

    private static final String CREATE_ERROR = ConfigException.CREATE_ERROR;
    private static final String START_ERROR = "RunContainerError";
    private final PodParts parts;
    private final PodTeller teller;
    private final PodSteps steps;
    private final Removals removals;

    PodWork(PodParts parts) {
        this.parts = parts;
        this.teller = new PodTeller(parts.actor(), parts.work());
        this.steps = new PodSteps(parts, teller);
        this.removals = new Removals(parts);
    }

    /** Has a step done, unless something is being done there already. */
    void begin(Pod pod, Step step) {
        if (step instanceof Step.Remove remove) {
            removals.remove(pod.uid(), pod.key(), remove.slot(), remove.ended());
            return;
        }
        Optional<Instant> end = step instanceof Step.Stop stop ? Optional.of(stop.end()) : Optional.empty();
        if (!parts.book().begin(pod.uid(), pod.key(), step.slot(), new Busy(end))) {
            return;
        }
        try {
            parts.work().threads().execute(() -> perform(pod, step));
        } catch (RejectedExecutionException e) {
            // The process ends.
            parts.book().ended(pod.uid(), step.slot(), Optional.empty());
        }
    }

    /** Ends and removes what is left of a Pod that does not exist any more. */
    void clearAway(String uid, ObjectKey key, List<ContainerFacts> left) {
        removals.clearAway(uid, key, left);
    }

    private void perform(Pod pod, Step step) {
        Optional<Trouble> trouble = Optional.empty();
        try {
            steps.perform(pod, step);
        } catch (EngineException e) {
            trouble = trouble(pod, step, reason(step), e.getMessage());
            if (step instanceof Step.Make make && e.kind() == EngineException.Kind.NOT_FOUND) {
                // Somebody has removed the image meanwhile.
                parts.images().consumed(pod.uid(), make.spec().path("name").asText(""));
            }
            if (e.kind() != EngineException.Kind.UNREACHABLE) {
                tellFailure(pod, step, e.getMessage());
            }
        } catch (ConfigException e) {
            trouble = trouble(pod, step, e.reason(), e.getMessage());
            teller.warning(pod, "Failed", "Error: " + e.getMessage());
        } catch (HookException e) {
            // What it says may hold secrets.
            LOG.atWarn()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("reason", e.getMessage())
                    .log("A postStart hook failed");
            teller.warning(pod, Hooks.POST_START_REASON, Hooks.POST_START_FAILED);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            LOG.atError()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("step", step.slot())
                    .setCause(e)
                    .log("Expected to work on a Pod's container, but failed; it is tried again");
            trouble = trouble(pod, step, reason(step), String.valueOf(e.getMessage()));
        } finally {
            parts.book().ended(pod.uid(), step.slot(), trouble);
            parts.wakes().accept(pod.key());
        }
    }

    private Optional<Trouble> trouble(Pod pod, Step step, String reason, String message) {
        return Optional.of(parts.trouble(pod.uid(), step.slot(), reason, message));
    }

    private static String reason(Step step) {
        return step instanceof Step.Start ? START_ERROR : CREATE_ERROR;
    }

    private void tellFailure(Pod pod, Step step, String message) {
        if (step instanceof Step.BeginSandbox) {
            teller.warning(pod, "FailedCreatePodSandBox", "Failed to create pod sandbox: " + message);
        } else if (step instanceof Step.Make || step instanceof Step.Start) {
            teller.warning(pod, "Failed", "Error: " + message);
        } else if (step instanceof Step.Stop || step instanceof Step.Hasten) {
            teller.warning(pod, "FailedKillPod", "error killing pod: " + message);
        }
    }
}
