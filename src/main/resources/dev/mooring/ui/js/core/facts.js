/**
 * The state of an object in one word, its tone, and how it is drawn. Facts depend only on the object and are computed
 * once per version of it. Pure.
 */

/**
 * Tones: ok, wait (not yet as desired), bad (failed), unsure (uncertain), idle (nothing to do).
 * Lines: solid (actual), dashed (desired but not actual), striped (uncertain).
 */
const fact = (word, tone = "idle", line = "solid", more = {}) => ({ word, tone, line, ...more });

const cache = new WeakMap();

export function factsOf(object) {
  let facts = cache.get(object);
  if (!facts) {
    facts = (READERS[object.kind] || (() => fact("")))(object, object.status || {}, object.spec || {});
    if (object.metadata?.deletionTimestamp && facts.word !== "Terminating") {
      facts = { ...facts, word: "Terminating", tone: facts.tone === "bad" ? "bad" : "wait", was: facts.word };
    }
    cache.set(object, facts);
  }
  return facts;
}

function condition(status, type) {
  return (status.conditions || []).find((each) => each.type === type);
}

const READERS = {
  StorageClass: (object) => {
    const annotations = object.metadata?.annotations || {};
    const isDefault = annotations["storageclass.kubernetes.io/is-default-class"] === "true";
    return fact(isDefault ? "default" : "", "idle", "solid", { provisioner: object.provisioner || "" });
  },
  PersistentVolume: (object, status) => {
    const phase = status.phase || "Pending";
    const tone = { Bound: "ok", Available: "idle", Released: "wait", Failed: "bad", Pending: "wait" }[phase] || "idle";
    return fact(phase, tone, phase === "Pending" ? "dashed" : "solid", {
      message: status.message || (phase === "Released" ? "Its claim was deleted" : ""),
    });
  },
  PersistentVolumeClaim: (object, status) => {
    const phase = status.phase || "Pending";
    const bound = condition(status, "Bound");
    const terminating = condition(status, "Terminating");
    const resizing = condition(status, "Resizing") || condition(status, "FileSystemResizePending");
    const message = terminating?.message || (phase === "Bound" ? resizing?.message : bound?.message) || "";
    const tone = { Bound: "ok", Pending: "wait", Lost: "bad" }[phase] || "idle";
    return fact(phase, tone, phase === "Pending" ? "dashed" : "solid", { message, reason: bound?.reason });
  },
  Pod: readPod,
  Node: (object, status, spec) => {
    const ready = condition(status, "Ready");
    if (ready?.status !== "True") {
      return fact("NotReady", "bad", "solid", { message: ready?.message });
    }
    return fact(spec.unschedulable ? "Ready, cordoned" : "Ready", "ok");
  },
  Namespace: (object, status) => fact(status.phase || "Active", status.phase === "Terminating" ? "wait" : "ok"),
  DesiredVolume: (object, status) => {
    const { error } = status;
    return error
      ? fact("Waiting", "wait", "dashed", { reason: error.reason, message: error.message })
      : fact("Resolved", "ok", "dashed");
  },
  ActualVolume: (object, status) => mountFacts(status),
  VolumeOperation: (object, status, spec) => {
    const state = status.state || "Pending";
    const tone = { Succeeded: "ok", Failed: "bad", Uncertain: "unsure" }[state] || "wait";
    return fact(state, tone, state === "Succeeded" ? "solid" : "dashed", {
      ...retry(status),
      operation: spec.operation,
    });
  },
  VolumeAttachment: (object, status) => {
    const error = status.attachError || status.detachError;
    if (error) {
      return fact("Failed", "bad", "dashed", { message: error.message });
    }
    return status.attached ? fact("Attached", "ok") : fact("Attaching", "wait", "dashed");
  },
};

/** Returns the facts of an ActualVolume's status or of one of its mounts. */
export function mountFacts(status) {
  const state = status.state || "Unknown";
  const more = retry(status);
  if (state === "Mounted" && status.health && status.health.healthy === false) {
    return fact("Unhealthy", "bad", "solid", { ...more, message: status.health.message });
  }
  switch (state) {
    case "Mounted":
    case "Attached":
      return fact(state, "ok", "solid", more);
    case "Failed":
      return fact("Failed", "bad", "dashed", more);
    case "Uncertain":
      return fact("Uncertain", "unsure", "striped", more);
    default:
      return fact(state, more.attempts ? "bad" : "wait", "dashed", more);
  }
}

function retry(status) {
  const more = {};
  if (status.attempts) {
    more.attempts = status.attempts;
  }
  if (status.nextTry) {
    more.retryAt = Date.parse(status.nextTry);
  }
  if (status.lastError) {
    more.reason = status.lastError.reason;
    more.message = status.lastError.message;
    more.failedAt = Date.parse(status.lastError.time);
  }
  return more;
}

function readPod(object, status, spec) {
  const containers = status.containerStatuses || [];
  const total = (spec.containers || []).length;
  const ready = containers.filter((each) => each.ready).length;
  const restarts = containers.reduce((sum, each) => sum + (each.restartCount || 0), 0);
  const more = { ready: `${ready}/${total}`, restarts };
  if (object.metadata?.deletionTimestamp) {
    return fact("Terminating", "wait", "solid", more);
  }
  const phase = status.phase || "Pending";
  if (phase === "Succeeded") {
    return fact("Completed", "idle", "solid", more);
  }
  if (phase === "Failed") {
    return fact(status.reason || "Failed", "bad", "solid", { ...more, message: status.message });
  }
  const waiting = [...(status.initContainerStatuses || []), ...containers].find((each) => each.state?.waiting);
  if (waiting) {
    const { reason, message } = waiting.state.waiting;
    const starts = reason === "ContainerCreating" || reason === "PodInitializing";
    return fact(reason || phase, starts ? "wait" : "bad", "dashed", { ...more, reason, message });
  }
  const scheduled = condition(status, "PodScheduled");
  if (phase === "Pending") {
    const unscheduled = scheduled?.status === "False";
    return fact("Pending", "wait", "dashed", {
      ...more,
      reason: unscheduled ? scheduled.reason : "",
      message: unscheduled ? scheduled.message : "",
    });
  }
  return ready === total
    ? fact("Running", "ok", "solid", more)
    : fact("NotReady", "wait", "solid", { ...more, message: condition(status, "Ready")?.message });
}

export const isProblem = (facts) => facts.tone === "bad" || facts.tone === "unsure" || facts.tone === "wait";
