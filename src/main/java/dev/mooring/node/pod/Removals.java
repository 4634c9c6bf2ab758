package dev.mooring.node.pod;

import dev.mooring.model.ObjectKey;
import dev.mooring.node.container.ConfigException;
import dev.mooring.node.pod.ContainerBook.Busy;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.Labels;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes containers of Pods: each Pod's on a thread of its own, and its sandboxes after the others, when it is their turn. One that cannot be removed
 * keeps none of the others. A container that hangs is waited for by its own Pod only. How it went is in the book before the slot is free again.
 * Thread-safe; beginning never blocks.
 */
final class Removals {
    private static final Logger LOG = LoggerFactory.getLogger(Removals.class);

    private final PodParts parts;

    Removals(PodParts parts) {
        this.parts = parts;
    }

    /** Removes what has ended, unless something is being done in that slot already. */
    void remove(String uid, ObjectKey pod, String slot, List<ContainerFacts> ended) {
        new Removal(uid, pod, slot, List.of(), ended).begin();
    }

    /** Ends and removes what is left of a Pod that does not exist any more. */
    void clearAway(String uid, ObjectKey pod, List<ContainerFacts> left) {
        List<ContainerFacts> live =
                left.stream().filter(each -> each.isLive() && !isSandbox(each)).toList();
        new Removal(uid, pod, Step.REMOVAL, live, left).begin();
    }

    private static boolean isSandbox(ContainerFacts facts) {
        return facts.whose().role() == Labels.Role.SANDBOX;
    }

    /** All that is removed of a Pod at a time. One thread at a time has it. */
    private final class Removal {
        private final String uid;
        private final ObjectKey pod;
        private final String slot;
        private final List<ContainerFacts> live;
        private final List<ContainerFacts> containers;
        private final List<ContainerFacts> sandboxes;
        private Optional<String> failure = Optional.empty();

        private Removal(String uid, ObjectKey pod, String slot, List<ContainerFacts> live, List<ContainerFacts> all) {
            this.uid = uid;
            this.pod = pod;
            this.slot = slot;
            this.live = live;
            this.containers = all.stream().filter(each -> !isSandbox(each)).toList();
            this.sandboxes = all.stream().filter(Removals::isSandbox).toList();
        }

        private void begin() {
            if (!parts.book().begin(uid, pod, slot, new Busy(Optional.empty()))) {
                return;
            }
            if (containers.isEmpty()) {
                parts.sandboxRemovals().run(this::removeSandboxes);
                return;
            }
            try {
                parts.work().threads().execute(this::removeContainers);
            } catch (RejectedExecutionException e) {
                // The process ends.
                parts.book().ended(uid, slot, Optional.empty());
            }
        }

        private void removeContainers() {
            boolean goesOn = false;
            try {
                for (ContainerFacts each : live) {
                    parts.runtime().stop(each.id(), PodEnding.LEAST);
                }
                remove(containers);
                goesOn = !sandboxes.isEmpty();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (EngineException e) {
                failed(e.getMessage());
            } catch (RuntimeException | AssertionError | StackOverflowError e) {
                failed(e);
            } finally {
                if (goesOn) {
                    parts.sandboxRemovals().run(this::removeSandboxes);
                } else {
                    end();
                }
            }
        }

        private void removeSandboxes() {
            try {
                remove(sandboxes);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException | AssertionError | StackOverflowError e) {
                failed(e);
            } finally {
                end();
            }
        }

        private void remove(List<ContainerFacts> all) throws InterruptedException {
            for (ContainerFacts each : all) {
                try {
                    parts.runtime().remove(each.id());
                    parts.book().removed(each.id());
                } catch (EngineException e) {
                    failed(e.getMessage());
                }
            }
        }

        private void failed(Throwable unexpected) {
            LOG.atError()
                    .addKeyValue("pod", pod)
                    .addKeyValue("uid", uid)
                    .setCause(unexpected)
                    .log("Expected to remove containers of a Pod, but failed; it is tried again");
            failed(String.valueOf(unexpected.getMessage()));
        }

        private void failed(String why) {
            failure = failure.or(() -> Optional.of(why));
        }

        private void end() {
            Optional<Trouble> trouble = failure.map(why -> parts.trouble(uid, slot, ConfigException.CREATE_ERROR, why));
            trouble.filter(each -> each.times() == 1)
                    .ifPresent(first -> LOG.atWarn()
                            .addKeyValue("pod", pod)
                            .addKeyValue("uid", uid)
                            .addKeyValue("reason", first.message())
                            .log("Expected to remove containers of a Pod, but could not; it is tried again"));
            parts.book().ended(uid, slot, trouble);
            parts.wakes().accept(pod);
        }
    }
}
