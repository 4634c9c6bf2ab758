/** The time axis, and the rows of dots, bars and marks that the timeline draws. Pure. */
import { clock, day, parseKey, shortKey } from "./names.js";
import { upperBound } from "./store.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((each) => each * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * MINUTE),
  ...[1, 2, 3, 6, 12].map((each) => each * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((each) => each * DAY),
];

/** Shortest span that can be shown. */
export const MIN_SPAN = 50;

/** Maps a span of time to pixels. */
export class Scale {
  constructor(start, end, width) {
    this.start = start;
    this.end = Math.max(end, start + MIN_SPAN);
    this.width = Math.max(1, width);
  }

  x(time) {
    return ((time - this.start) / (this.end - this.start)) * this.width;
  }

  time(x) {
    return this.start + (x / this.width) * (this.end - this.start);
  }

  /** Returns the span after zooming by a factor around a time, inside the limits. */
  zoom(factor, around, first, last) {
    const span = clamp((this.end - this.start) * factor, MIN_SPAN, Math.max(MIN_SPAN, last - first));
    const share = (around - this.start) / (this.end - this.start);
    return fit(around - span * share, span, first, last);
  }

  /** Returns the span moved by a number of milliseconds, inside the limits. */
  pan(millis, first, last) {
    return fit(this.start + millis, this.end - this.start, first, last);
  }
}

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

function fit(start, span, first, last) {
  const at = clamp(start, first, Math.max(first, last - span));
  return { start: at, end: at + span };
}

/** Returns at most max ticks at round local times. */
export function ticks(start, end, max) {
  const step = STEPS.find((each) => (end - start) / each <= max) || STEPS[STEPS.length - 1];
  const zone = new Date(start).getTimezoneOffset() * MINUTE;
  const found = [];
  for (let at = Math.ceil((start - zone) / step) * step + zone; at <= end; at += step) {
    found.push({ time: at, label: label(at, step) });
  }
  return found;
}

function label(time, step) {
  if (step >= DAY) {
    return day(time);
  }
  if (step < SECOND) {
    return clock(time, true);
  }
  const text = clock(time);
  return step < MINUTE ? text : text === "00:00:00" ? day(time) : text.slice(0, 5);
}

const STARTED =
  /^Volume(Device)?(Mounting|Unmounting|Attaching|Detaching|Expanding|Provisioning|Deleting|Scrubbing|Growing)$/;
const ENDED = /^Volume.*(Mounted|Unmounted|Attached|Detached|Expanded|Succeeded|Failed|Uncertain)$/;
const OPERATED = new Set(["actualvolumes", "volumeoperations"]);

/**
 * Returns the operations in events as bars: {key, name, start, end, from, to, result, attempt}. The result is ok, bad,
 * unsure, or open while the end is not known.
 */
export function operations(events) {
  const bars = [];
  const open = new Map();
  const failures = new Map();
  for (const event of events) {
    const started = STARTED.test(event.type);
    if (!started && !ENDED.test(event.type)) {
      continue;
    }
    for (const change of event.changes) {
      if (!OPERATED.has(change.resource)) {
        continue;
      }
      const bar = open.get(change.key);
      if (started) {
        const name = event.type.replace(/^Volume/, "");
        const made = { key: change.key, name, start: event.at, end: null, from: event.revision, result: "open" };
        made.attempt = (failures.get(`${change.key} ${name}`) || 0) + 1;
        open.set(change.key, made);
        bars.push(made);
      } else if (bar) {
        bar.end = event.at;
        bar.to = event.revision;
        bar.result = /Failed$/.test(event.type) ? "bad" : /Uncertain$/.test(event.type) ? "unsure" : "ok";
        failures.set(`${change.key} ${bar.name}`, bar.result === "ok" ? 0 : bar.attempt);
        open.delete(change.key);
      }
    }
  }
  return bars;
}

const MARKS = [
  [/^ChaosStopped$/, "faults ended", "chaos"],
  [/^ChaosVerticleKilled$/, "killed", "kill"],
  [/^Chaos/, "fault injected", "chaos"],
  [/^(ServerStarted|NodeStarted|NodeRegistered)$/, "server started", "start"],
];
const RESTARTS = /^Verticle(Died|Degraded|Recovered)$/;

/** Returns the text and type of an event that concerns the server itself, or null. */
export function markOf(event) {
  for (const change of event.changes) {
    if (change.resource === "events" && RESTARTS.test(change.object?.reason || "")) {
      const verticle = /verticle (\S+)/.exec(change.object.message || "")?.[1] || "verticle";
      return { text: change.object.message, label: `${verticle} restarted`, type: "restart" };
    }
  }
  const found = MARKS.find(([pattern]) => pattern.test(event.type));
  const note = event.changes.find((change) => change.resource === "events")?.object?.message;
  return found ? { text: note || `${event.type} by ${event.actor}`, label: found[1], type: found[2] } : null;
}

const KIND_ROWS = [
  ["Claims", /^persistentvolumeclaims$/],
  ["Volumes", /^(persistentvolumes|storageclasses|volumeattachments|volumesnapshots)$/],
  ["Pods", /^pods$/],
  ["Mounts", /^(actualvolumes|desiredvolumes)$/],
  ["Operations", /^volumeoperations$/],
  ["Nodes", /^nodes$/],
];

/** Returns whether a bar shows the change, so that it needs no dot. */
function hasBar(event, change) {
  return OPERATED.has(change.resource) && (STARTED.test(event.type) || ENDED.test(event.type));
}

/** Returns rows {id, label, dots, bars} by kind; a last row has all other objects. */
export function rowsByKind(events, { folded = false } = {}) {
  const rows = KIND_ROWS.map(([text]) => ({ id: text, label: text, dots: [], bars: [] }));
  const other = { id: "Other", label: "Other", dots: [], bars: [] };
  for (const event of events) {
    if (event.folded && !folded) {
      continue;
    }
    const seen = new Set();
    for (const change of event.changes) {
      const index = KIND_ROWS.findIndex(([, pattern]) => pattern.test(change.resource));
      const row = rows[index] || (change.resource === "events" ? null : other);
      if (row && !seen.has(row) && !hasBar(event, change)) {
        seen.add(row);
        row.dots.push({ event, change });
      }
    }
  }
  for (const bar of operations(events)) {
    rows[bar.key.startsWith("volumeoperations/") ? 4 : 3].bars.push(bar);
  }
  return other.dots.length ? [...rows, other] : rows;
}

/** Returns rows for the given keys, or for every object in the events in the order of their first event. */
export function rowsByObject(events, keys, { folded = false } = {}) {
  const rows = new Map((keys || []).map((key) => [key, objectRow(key)]));
  for (const event of events) {
    if (event.folded && !folded) {
      continue;
    }
    for (const change of event.changes) {
      if (!keys && change.applies && !rows.has(change.key)) {
        rows.set(change.key, objectRow(change.key));
      }
      if (!hasBar(event, change)) {
        rows.get(change.key)?.dots.push({ event, change });
      }
    }
  }
  for (const bar of operations(events)) {
    rows.get(bar.key)?.bars.push(bar);
  }
  return [...rows.values()];
}

function objectRow(key) {
  const { short, name } = parseKey(key);
  return { id: key, key, label: `${short}/${name}`, full: shortKey(key), dots: [], bars: [] };
}

/** Returns the revision at a time, from the buckets of the server's timeline {first, last, buckets}. */
export function revisionAt(timeline, time) {
  const points = [...timeline.buckets.filter((each) => each.events > 0), timeline.last];
  const index = upperBound(points, time, (each) => each.at) - 1;
  if (index < 0) {
    return timeline.first.revision;
  }
  const [from, to] = [points[index], points[index + 1]];
  if (!to) {
    return timeline.last.revision;
  }
  const share = to.at > from.at ? (time - from.at) / (to.at - from.at) : 0;
  return Math.floor(from.revision + share * (to.revision - from.revision));
}

/** Returns the approximate time of a revision, from the same buckets. */
export function timeAt(timeline, revision) {
  const points = [...timeline.buckets.filter((each) => each.events > 0), timeline.last];
  const index = Math.max(0, upperBound(points, revision, (each) => each.revision) - 1);
  const [from, to] = [points[index], points[index + 1]];
  if (!to || to.revision <= from.revision) {
    return from.at;
  }
  return from.at + ((revision - from.revision) / (to.revision - from.revision)) * (to.at - from.at);
}
