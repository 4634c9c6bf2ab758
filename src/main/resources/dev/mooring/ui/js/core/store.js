/**
 * The loaded part of history and a cursor in it. A segment is a World at a revision and the events after it; each
 * change keeps the object it replaced, so the cursor moves in both directions without requests. Pure.
 */
import { RESOURCES, keyOf } from "./names.js";

const WORLD_RESOURCES = new Set(RESOURCES.map((each) => each.resource));

/** Number of events above which loaded segments far from the cursor are dropped. */
const MAX_EVENTS = 60_000;

/** Number of events above which the segment that grows forgets its older half. */
const MAX_LIVE_EVENTS = 20_000;

/** Returns an event with parsed time and keys; changes of resources outside the World stay visible but unapplied. */
export function normalize(item) {
  const changes = (item.changes || []).map((change) => {
    const key = keyOf(change.resource, change.namespace, change.name);
    const resource = key.slice(0, key.indexOf("/"));
    return { ...change, resource, key, applies: WORLD_RESOURCES.has(resource) };
  });
  return { ...item, at: Date.parse(item.time), changes };
}

export class Segment {
  /**
   * @param from revision of the base World
   * @param to last revision covered; grows while events are appended
   * @param base Map of key to object
   */
  constructor(from, to, base, events = []) {
    this.from = from;
    this.to = to;
    this.base = base;
    this.events = [];
    this.tip = new Map(base);
    for (const event of events) {
      this.append(event);
    }
    this.to = Math.max(to, this.to);
  }

  append(event) {
    if (this.events.length && event.revision <= this.events[this.events.length - 1].revision) {
      return false;
    }
    for (const change of event.changes) {
      if (change.applies) {
        change.before = this.tip.get(change.key);
        change.after = change.change === "deleted" ? undefined : (change.object ?? change.before);
        put(this.tip, change.key, change.after);
      }
    }
    this.events.push(event);
    this.to = Math.max(this.to, event.revision);
    return true;
  }

  /** Forgets the oldest events; the base World moves forward. */
  trim(count) {
    for (const event of this.events.splice(0, count)) {
      for (const change of event.changes) {
        if (change.applies) {
          put(this.base, change.key, change.after);
        }
      }
      this.from = event.revision;
    }
  }

  /** Returns the number of events up to and including the revision. */
  indexOf(revision) {
    return upperBound(this.events, revision, (each) => each.revision);
  }
}

export function upperBound(list, value, by) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (by(list[middle]) <= value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function put(world, key, object) {
  if (object === undefined) {
    world.delete(key);
  } else {
    world.set(key, object);
  }
}

export class Store {
  constructor() {
    /** Loaded segments in order of revision; they do not overlap except at their boundaries. */
    this.segments = [];
    this.maxLiveEvents = MAX_LIVE_EVENTS;
    this.live = null;
    this.world = new Map();
    this.revision = 0;
    this.segment = null;
    this.index = 0;
    /** Increases with each change of the World. */
    this.version = 0;
    /** Increases with each change of the loaded events. */
    this.loads = 0;
  }

  /** Sets the segment that live events are appended to. */
  setLive(segment) {
    this.segments = this.segments.filter((each) => each !== this.live && each.to <= segment.from);
    this.live = segment;
    this.add(segment);
  }

  /** Adds a segment and joins it with its neighbours. */
  add(segment) {
    const at = upperBound(this.segments, segment.from, (each) => each.from);
    this.segments.splice(at, 0, segment);
    this.join(at);
    if (at > 0) {
      this.join(at - 1);
    }
    this.evict();
    this.loads++;
  }

  /** Joins the segments at index and index + 1 if they meet. */
  join(index) {
    const [first, second] = [this.segments[index], this.segments[index + 1]];
    if (!first || !second || first.to !== second.from) {
      return;
    }
    const cursor = this.segment === second ? this.index + first.events.length : null;
    second.events = first.events.concat(second.events);
    second.base = first.base;
    second.from = first.from;
    this.segments.splice(index, 1);
    if (cursor !== null) {
      this.index = cursor;
    } else if (this.segment === first) {
      this.segment = second;
    }
  }

  evict() {
    let total = this.segments.reduce((sum, each) => sum + each.events.length, 0);
    while (total > MAX_EVENTS && this.segments.length > 2) {
      const victims = this.segments.filter((each) => each !== this.live && each !== this.segment);
      const far = victims.sort((a, b) => Math.abs(b.from - this.revision) - Math.abs(a.from - this.revision))[0];
      if (!far) {
        return;
      }
      total -= far.events.length;
      this.segments.splice(this.segments.indexOf(far), 1);
    }
  }

  /** Appends a live event; returns whether it was new. */
  append(event) {
    if (!this.live || !this.live.append(event)) {
      return false;
    }
    this.trim();
    this.loads++;
    return true;
  }

  /** Keeps the live segment small, unless the cursor is in the part that would be dropped. */
  trim() {
    const half = this.maxLiveEvents / 2;
    const here = this.segment === this.live;
    if (this.live.events.length > this.maxLiveEvents && !(here && this.index < half)) {
      this.live.trim(half);
      this.index -= here ? half : 0;
    }
  }

  covers(revision) {
    return this.find(revision) !== undefined;
  }

  find(revision) {
    if (this.segment && this.segments.includes(this.segment) && inside(this.segment, revision)) {
      return this.segment;
    }
    return this.segments.find((each) => inside(each, revision));
  }

  /** Moves the World to a loaded revision; returns false if it is not loaded. */
  seek(revision) {
    const segment = this.find(revision);
    if (!segment) {
      return false;
    }
    if (segment !== this.segment) {
      this.segment = segment;
      const nearEnd = segment.indexOf(revision) > segment.events.length / 2;
      this.world = new Map(nearEnd ? segment.tip : segment.base);
      this.index = nearEnd ? segment.events.length : 0;
    }
    const target = segment.indexOf(revision);
    while (this.index < target) {
      for (const change of segment.events[this.index++].changes) {
        if (change.applies) {
          put(this.world, change.key, change.after);
        }
      }
    }
    while (this.index > target) {
      const { changes } = segment.events[--this.index];
      for (let i = changes.length - 1; i >= 0; i--) {
        if (changes[i].applies) {
          put(this.world, changes[i].key, changes[i].before);
        }
      }
    }
    this.revision = revision;
    this.version++;
    return true;
  }

  /** Returns the World of another loaded revision without moving the cursor, or null. */
  worldAt(revision) {
    const segment = this.find(revision);
    if (!segment) {
      return null;
    }
    const world = new Map(segment.base);
    const end = segment.indexOf(revision);
    for (let i = 0; i < end; i++) {
      for (const change of segment.events[i].changes) {
        if (change.applies) {
          put(world, change.key, change.after);
        }
      }
    }
    return world;
  }

  /** Returns the loaded event of a revision, or undefined. */
  event(revision) {
    const segment = this.find(revision);
    const event = segment?.events[segment.indexOf(revision) - 1];
    return event?.revision === revision ? event : undefined;
  }

  /** Returns the revision of the next or previous visible event in the loaded segment, or undefined at its end. */
  neighbour(revision, step, accept = () => true) {
    const segment = this.find(revision);
    if (!segment) {
      return undefined;
    }
    let index = segment.indexOf(revision) + (step > 0 ? 0 : -1);
    if (step < 0 && segment.events[index]?.revision === revision) {
      index--;
    }
    for (; index >= 0 && index < segment.events.length; index += step) {
      if (accept(segment.events[index])) {
        return segment.events[index].revision;
      }
    }
    return undefined;
  }

  /** Returns the loaded events in a span of time, in order. */
  between(start, end) {
    const found = [];
    for (const { events } of this.segments) {
      const first = upperBound(events, start - 1, (each) => each.at);
      for (let i = first; i < events.length && events[i].at <= end; i++) {
        found.push(events[i]);
      }
    }
    return found;
  }
}

function inside(segment, revision) {
  return segment.from <= revision && revision <= segment.to;
}
