/** State of the page and everything that changes it. Views read the state and call these methods. */
import { openBundle } from "./core/bundle.js";
import { worldDiff } from "./core/diff.js";
import { build } from "./core/model.js";
import { keyOfObject, normalKey, shortKey } from "./core/names.js";
import { Segment, Store, normalize } from "./core/store.js";
import { revisionAt, timeAt } from "./core/timeaxis.js";
import { ApiError, ServerSource, loadConfig, logIn } from "./source.js";

const TOKEN = "mooring-token";
const THEME = "mooring-theme";

/** Revisions that are loaded at once. */
const CHUNK = 500;

/** Events that are loaded before the newest ones without being asked for. */
const PRELOADED = 2000;

/** Length of the span that the timeline shows first. */
const FIRST_SPAN = 15 * 60_000;

/** Events of a span of the timeline that are loaded at once. */
const MAX_SPAN_EVENTS = 5000;

const FIRST_BACK_OFF = 500;
const MAX_BACK_OFF = 10_000;

/** Longest wait between two events while playing; longer gaps without events are shortened. */
const MAX_GAP = 1500;

export const VIEWS = ["graph", "table", "events", "compare", "files", "chaos"];
export const TABS = ["explain", "history", "yaml", "describe", "log"];
export const NO_FILTERS = { namespace: "", node: "", className: "", problems: false, text: "" };

export class App {
  constructor(onChange) {
    this.onChange = onChange;
    this.config = { version: "", host: "", chaos: false };
    /** loading, signin, denied, error or ready. */
    this.phase = "loading";
    this.error = null;
    this.source = null;
    this.bundle = null;
    this.connection = "connecting";
    this.view = "graph";
    this.tab = "explain";
    this.selected = "";
    this.filters = { ...NO_FILTERS };
    this.compare = { from: "", to: "" };
    this.showFolded = false;
    this.dialog = "";
    this.notice = "";
    this.theme = localStorage.getItem(THEME) || "";
    this.reset();
  }

  reset() {
    this.abort?.abort();
    this.abort = new AbortController();
    this.store = new Store();
    this.timeline = null;
    this.live = true;
    this.wanted = null;
    this.spanTooLong = false;
    this.mayInjectFaults = false;
    this.maySeeMounts = true;
    this.playing = false;
    this.speed = this.speed || 1;
    this.openSections = new Set();
    /** Span of time that the timeline shows; follow: the end moves with the newest event. */
    this.span = { start: 0, end: 0, follow: true };
    this.modelVersion = -1;
  }

  changed() {
    if (!this.frame) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.onChange();
      });
    }
  }

  set(values) {
    Object.assign(this, values);
    this.changed();
  }

  // --- start and sign-in

  async start() {
    this.applyTheme();
    const code = /[#&]code=([^&]+)/.exec(location.hash)?.[1];
    if (code) {
      history.replaceState(null, "", location.pathname);
    }
    this.readHash();
    try {
      this.config = await loadConfig();
      document.title = this.config.host ? `Mooring · ${this.config.host}` : "Mooring";
    } catch (error) {
      return this.fail(error);
    }
    if (code) {
      return this.signInWithCode(decodeURIComponent(code));
    }
    const token = sessionStorage.getItem(TOKEN);
    return token ? this.connect(token) : this.set({ phase: "signin" });
  }

  async signInWithCode(code) {
    try {
      const { token } = await logIn(code);
      return this.connect(token);
    } catch (error) {
      return this.set({ phase: "signin", error });
    }
  }

  /** Signs in with a token, or with a one-time code or a link that contains one. */
  signIn(text) {
    const given = text.trim();
    const code = /code=([^&\s]+)/.exec(given)?.[1];
    this.set({ phase: "loading", error: null });
    return code ? this.signInWithCode(decodeURIComponent(code)) : this.connect(given);
  }

  signOut(error = null) {
    sessionStorage.removeItem(TOKEN);
    this.reset();
    this.set({ phase: "signin", source: null, bundle: null, error });
  }

  async connect(token) {
    this.reset();
    this.bundle = null;
    this.source = new ServerSource(token);
    await this.load();
    if (this.phase === "ready") {
      sessionStorage.setItem(TOKEN, token);
    }
  }

  fail(error) {
    if (error?.name === "AbortError") {
      return;
    }
    if (error instanceof ApiError && error.status === 401) {
      this.signOut(error);
    } else {
      this.set({ phase: error instanceof ApiError && error.status === 403 ? "denied" : "error", error });
    }
  }

  /** Loads the newest World and follows it. */
  async load() {
    const { signal } = this.abort;
    try {
      const [world, timeline] = await Promise.all([this.source.world(undefined, signal), this.source.timeline()]);
      this.takeTimeline(timeline);
      const segment = new Segment(world.revision, world.revision, worldMap(world));
      this.store.setLive(segment);
      this.store.seek(world.revision);
      this.newest(world.revision, Date.parse(world.time));
      this.set({ phase: "ready", error: null });
      this.readHash();
      this.follow(segment, signal);
      this.background(this.loadRights());
      this.background(this.preload(signal));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Loads what the user may do, so that the page shows no control or column that cannot work. */
  async loadRights() {
    const { source, config } = this;
    const [mayInjectFaults, maySeeMounts] = await Promise.all([
      config.chaos ? source.may("create", "chaos") : false,
      source.may("list", "actualvolumes"),
    ]);
    this.set({ mayInjectFaults, maySeeMounts });
  }

  /** Returns the current time of the server. */
  now() {
    return Date.now() + (this.source?.offset || 0);
  }

  /** Returns the time of the shown World: now while live. */
  shownTime() {
    return this.live && !this.bundle ? this.now() : this.timeOf(this.store.revision);
  }

  // --- live events

  async follow(segment, signal) {
    let wait = FIRST_BACK_OFF;
    while (!signal.aborted) {
      try {
        await this.source.watch(
          segment.to + 1,
          signal,
          () => {
            wait = FIRST_BACK_OFF;
            this.set({ connection: "connected" });
          },
          (message) => this.receive(segment, message),
        );
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        if (error instanceof ApiError && error.status === 401) {
          this.signOut(error);
          return;
        }
        if (error instanceof ApiError && (error.status === 410 || error.status === 400)) {
          this.resync();
          return;
        }
      }
      if (signal.aborted) {
        return;
      }
      this.set({ connection: "disconnected", reconnectAt: Date.now() + wait });
      await new Promise((resolve) => {
        this.reconnect = resolve;
        setTimeout(resolve, wait);
      });
      wait = Math.min(MAX_BACK_OFF, wait * 2);
    }
  }

  receive(segment, message) {
    if (message.type === "BOOKMARK") {
      const revision = Number(message.object.metadata.resourceVersion);
      if (revision < segment.to) {
        // The server has another log than the one that was loaded.
        this.resync();
        return;
      }
      segment.to = revision;
    } else {
      const event = normalize(message.object);
      if (!this.store.append(event)) {
        return;
      }
      this.newest(event.revision, event.at);
    }
    if (this.live) {
      this.store.seek(segment.to);
    }
    this.changed();
  }

  /** Loads everything again after the server no longer has the revisions in between. */
  resync() {
    const { live, store } = this;
    const { revision } = store;
    this.reset();
    this.load().then(() => live || this.goTo(revision));
  }

  newest(revision, time) {
    const { timeline } = this;
    if (time >= timeline.last.at) {
      timeline.last = { revision, time: new Date(time).toISOString(), at: time };
    }
    if (this.span.follow) {
      // A span that shows all history grows with it, up to the length of the first view.
      const whole = this.span.start <= timeline.first.at;
      const length = Math.max(this.span.end - this.span.start, whole ? FIRST_SPAN : 0);
      this.span.end = timeline.last.at;
      this.span.start = Math.max(timeline.first.at, timeline.last.at - length);
    }
  }

  takeTimeline(timeline) {
    const parse = (each) => ({ ...each, at: Date.parse(each.time) });
    this.timeline = {
      first: parse(timeline.first),
      last: parse(timeline.last),
      buckets: (timeline.buckets || []).map(parse),
      starts: (timeline.starts || []).map(parse),
    };
    const { first, last } = this.timeline;
    this.span = { start: Math.max(first.at, last.at - FIRST_SPAN), end: last.at, follow: true };
  }

  // --- loading of the past

  async preload(signal) {
    const { first } = this.timeline;
    while (!signal.aborted && this.store.live) {
      const { from, events } = this.store.live;
      if (from < Math.max(1, first.revision) || events.length >= PRELOADED) {
        return;
      }
      await this.loadChunk(from - 1, signal);
      if (this.store.live.from >= from) {
        return;
      }
    }
  }

  /** Loads the events before those that are loaded. */
  loadOlder() {
    const segment = this.store.find(this.store.revision);
    if (segment && segment.from >= this.timeline.first.revision) {
      this.background(this.loadChunk(segment.from - 1, this.abort.signal));
    }
  }

  canLoadOlder() {
    const segment = this.store.find(this.store.revision);
    return !this.bundle && Boolean(segment) && segment.from >= Math.max(1, this.timeline?.first.revision ?? 1);
  }

  async background(promise) {
    try {
      await promise;
      this.changed();
    } catch (error) {
      if (error?.name !== "AbortError") {
        this.notify(error.message);
      }
    }
  }

  /** Loads the events around a revision that is not loaded. */
  async loadChunk(revision, signal) {
    if (this.store.covers(revision)) {
      return;
    }
    const first = this.timeline.first.revision;
    const before = this.store.segments.filter((each) => each.to < revision).pop();
    const after = this.store.segments.find((each) => each.from > revision);
    const start = Math.floor(revision / CHUNK) * CHUNK;
    const from = Math.max(start, before ? before.to : 0, first > 1 ? first : 0);
    const to = Math.min(start + CHUNK, after ? after.from : Infinity);
    const [base, items] = await Promise.all([
      before?.to === from ? before.tip : from === 0 ? new Map() : this.source.world(from, signal).then(worldMap),
      to > from ? this.source.events(from + 1, to, signal) : [],
    ]);
    if (!signal.aborted && !this.store.covers(revision)) {
      this.store.add(new Segment(from, to, new Map(base), items.map(normalize)));
      this.changed();
    }
  }

  // --- moving in time

  get lastRevision() {
    return this.store.live?.to ?? 0;
  }

  timeOf(revision) {
    const segment = this.store.find(revision);
    const event = segment?.events[segment.indexOf(revision) - 1];
    return event ? event.at : this.timeline ? timeAt(this.timeline, revision) : Date.now();
  }

  revisionOf(time) {
    for (const segment of this.store.segments) {
      const { events } = segment;
      if (events.length && time >= events[0].at && time <= events[events.length - 1].at) {
        let low = 0;
        let high = events.length;
        while (low < high) {
          const middle = (low + high) >> 1;
          if (events[middle].at <= time) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        return events[low - 1].revision;
      }
    }
    return time >= this.timeline.last.at ? this.lastRevision : revisionAt(this.timeline, time);
  }

  goTo(revision, { keepPlaying = false } = {}) {
    const first = this.bundle ? this.bundle.segment.from : Math.max(1, this.timeline?.first.revision ?? 1);
    const target = Math.min(Math.max(revision, first), this.lastRevision);
    if (!keepPlaying) {
      this.playing = false;
    }
    this.live = false;
    if (this.store.seek(target)) {
      this.wanted = null;
      this.reveal(this.timeOf(target));
      this.changed();
      this.writeHash();
      return;
    }
    this.wanted = target;
    this.changed();
    clearTimeout(this.loading);
    this.loading = setTimeout(async () => {
      try {
        await this.loadChunk(target, this.abort.signal);
        if (this.wanted === target) {
          this.goTo(target, { keepPlaying });
        }
      } catch (error) {
        if (error?.name !== "AbortError") {
          this.wanted = null;
          this.notify(error.message);
        }
      }
    }, 80);
  }

  goLive() {
    this.playing = false;
    this.wanted = null;
    this.live = true;
    this.store.seek(this.lastRevision);
    this.span.follow = true;
    this.newest(this.timeline.last.revision, this.timeline.last.at);
    this.changed();
    this.writeHash();
  }

  /** Moves the span of the timeline if a time is outside it. */
  reveal(time) {
    const { start, end } = this.span;
    if (time < start || time > end) {
      const { first, last } = this.timeline;
      const length = end - start;
      const moved = Math.max(first.at, Math.min(time - length / 2, last.at - length));
      this.showSpan({ start: moved, end: moved + length, follow: false });
    }
  }

  /** Shows a span of time in the timeline and loads its events, unless they are too many. */
  showSpan(span) {
    this.span = span;
    this.changed();
    if (this.bundle) {
      return;
    }
    clearTimeout(this.spanTimer);
    this.spanTimer = setTimeout(() => this.background(this.loadSpan(this.abort.signal)), 250);
  }

  async loadSpan(signal) {
    const { span, timeline } = this;
    const first = Math.max(1, timeline.first.revision);
    const from = Math.max(first, revisionAt(timeline, span.start));
    const to = Math.min(this.lastRevision, revisionAt(timeline, span.end));
    this.spanTooLong = to - from > MAX_SPAN_EVENTS && !(this.store.covers(from) && this.store.find(from).to >= to);
    for (let at = from; at <= to && !this.spanTooLong && this.span === span && !signal.aborted;) {
      await this.loadChunk(at, signal);
      at = (this.store.find(at)?.to ?? at) + 1;
    }
  }

  visible(event) {
    return this.showFolded || !event.folded;
  }

  async step(direction, keepPlaying = false) {
    const { store } = this;
    const from = this.wanted ?? store.revision;
    let next = store.neighbour(from, direction, (event) => this.visible(event));
    if (next === undefined && store.covers(from)) {
      const { from: low, to: high } = store.find(from);
      const beyond = direction > 0 ? high + 1 : low - 1;
      const first = this.bundle ? store.live.from : Math.max(1, this.timeline.first.revision);
      if (direction < 0 && low <= first) {
        next = low;
      } else if (beyond <= this.lastRevision && beyond >= first && !this.bundle) {
        await this.background(this.loadChunk(beyond, this.abort.signal));
        next = store.neighbour(from, direction, (event) => this.visible(event)) ?? beyond;
      }
    }
    if (next === undefined) {
      if (direction > 0 && !this.bundle) {
        this.goLive();
      } else {
        this.set({ playing: false });
      }
      return;
    }
    this.goTo(next, { keepPlaying });
  }

  play(playing = !this.playing) {
    this.playing = playing;
    clearTimeout(this.player);
    if (playing) {
      if (this.live || this.store.revision >= this.lastRevision) {
        this.goTo(this.revisionOf(this.span.start), { keepPlaying: true });
      }
      this.playNext();
    }
    this.changed();
  }

  playNext() {
    const { revision } = this.store;
    const next = this.store.neighbour(revision, 1, (event) => this.visible(event));
    const gap = next === undefined ? 0 : this.timeOf(next) - this.timeOf(revision);
    this.player = setTimeout(
      async () => {
        if (this.playing) {
          await this.step(1, true);
          if (this.playing) {
            this.playNext();
          }
        }
      },
      Math.min(MAX_GAP, Math.max(16, gap / this.speed)),
    );
  }

  // --- derived state

  get model() {
    if (this.modelVersion !== this.store.version) {
      this.modelVersion = this.store.version;
      this.built = build(this.store.world);
    }
    return this.built;
  }

  object(key) {
    return this.store.world.get(key);
  }

  /** Returns the newest loaded revision of an object; the history of the object is complete up to it. */
  lastRevisionOf(key) {
    return this.store.live?.tip.get(key)?.metadata?.resourceVersion ?? "";
  }

  // --- selection, filters, address

  select(key, tab) {
    this.selected = key ? normalKey(key) : "";
    if (tab) {
      this.tab = tab;
    }
    this.changed();
    this.writeHash();
  }

  show(view) {
    this.set({ view });
    this.writeHash();
  }

  showTab(tab) {
    this.set({ tab });
    this.writeHash();
  }

  filter(values) {
    this.set({ filters: { ...this.filters, ...values } });
  }

  compareMoments(from, to) {
    this.compare = { from, to };
    this.show("compare");
  }

  writeHash() {
    const values = new URLSearchParams();
    // The revisions of a bundle are not those of the server that the address belongs to.
    if (!this.live && !this.bundle) {
      values.set("rev", this.store.revision);
    }
    if (this.selected) {
      values.set("object", shortKey(this.selected));
      if (this.tab !== "explain") {
        values.set("tab", this.tab);
      }
    }
    if (this.view !== "graph") {
      values.set("view", this.view);
    }
    if (this.view === "compare" && this.compare.from) {
      values.set("from", this.compare.from);
      values.set("to", this.compare.to);
    }
    const text = String(values).replaceAll("%2F", "/");
    const hash = text ? `#/?${text}` : "#/";
    if (location.hash !== hash) {
      history.replaceState(null, "", hash);
    }
  }

  readHash() {
    const values = new URLSearchParams(location.hash.replace(/^#\/?\??/, ""));
    const view = values.get("view");
    const tab = values.get("tab");
    this.view = VIEWS.includes(view) ? view : "graph";
    this.tab = TABS.includes(tab) ? tab : "explain";
    this.compare = { from: values.get("from") || this.compare.from, to: values.get("to") || this.compare.to };
    this.selected = values.get("object") ? normalKey(values.get("object")) : "";
    const revision = Number(values.get("rev"));
    if (this.phase === "ready") {
      if (revision) {
        this.goTo(revision);
      } else if (!this.live) {
        this.goLive();
      }
    }
    this.changed();
  }

  /** Returns the address of a moment, for links. */
  href(revision, key) {
    const values = new URLSearchParams();
    if (revision) {
      values.set("rev", revision);
    }
    if (key) {
      values.set("object", shortKey(key));
    }
    return `#/?${String(values).replaceAll("%2F", "/")}`;
  }

  // --- explanations, differences and histories, from the server or the bundle

  async explain(ref, revision, signal) {
    if (!this.bundle) {
      return this.source.explain(ref, this.live ? undefined : revision, signal);
    }
    const found = this.bundle.explanations.get(
      normalKey([ref.resource, ref.namespace, ref.name].filter(Boolean).join("/")),
    );
    if (found) {
      return found;
    }
    const end = this.bundle.about.to.revision;
    throw new ApiError(404, "NotInBundle", `The bundle explains only objects that had a problem at revision ${end}.`);
  }

  async diff(from, to) {
    const [a, b] = [from, to].map((each) => (/^\d+$/.test(String(each)) ? Number(each) : null));
    if (a !== null && b !== null) {
      const [first, second] = [this.store.worldAt(a), this.store.worldAt(b)];
      if (first && second) {
        const at = (revision) => ({ revision, time: new Date(this.timeOf(revision)).toISOString() });
        return { from: at(a), to: at(b), items: worldDiff(first, second) };
      }
    }
    if (this.bundle) {
      const { from: start, to: end } = this.bundle.about;
      throw new ApiError(400, "BadRequest", `Give two revisions from ${start.revision} to ${end.revision}.`);
    }
    return this.source.diff(from, to || this.lastRevision);
  }

  async objectHistory(key, signal) {
    if (this.bundle) {
      const own = (event) => event.changes.some((change) => change.key === key);
      return this.bundle.segment.events
        .filter(own)
        .map((event) => only(event, key))
        .reverse();
    }
    const page = await this.source.history({ object: shortKey(key), order: "desc", limit: 500 }, signal);
    return page.items.map((each) => only(normalize(each), key));
  }

  async related(revision, direction, signal) {
    if (this.bundle) {
      return localChain(this.bundle.segment.events, revision, direction);
    }
    const page = await this.source.history({ [direction]: revision, limit: 200 }, signal);
    return page.items.map(normalize).sort((a, b) => a.revision - b.revision);
  }

  // --- bundles

  async openBundle(file) {
    try {
      const bundle = await openBundle(await file.arrayBuffer(), file.name);
      this.reset();
      this.source = null;
      this.bundle = bundle;
      this.compare = { from: "", to: "" };
      const { from, to } = bundle.about;
      this.takeTimeline({ first: from, last: to, buckets: bundleBuckets(bundle), starts: [] });
      this.span = {
        start: this.timeline.first.at,
        end: Math.max(this.timeline.last.at, this.timeline.first.at + 1000),
        follow: false,
      };
      this.store.setLive(bundle.segment);
      this.store.seek(bundle.segment.to);
      this.set({ phase: "ready", live: false, connection: "bundle", error: null, selected: "", view: "graph" });
      this.writeHash();
    } catch (error) {
      this.notify(`Cannot open ${file.name}: ${error.message}`);
    }
  }

  closeBundle() {
    const token = sessionStorage.getItem(TOKEN);
    this.bundle = null;
    this.compare = { from: "", to: "" };
    history.replaceState(null, "", "#/");
    if (token) {
      this.set({ phase: "loading" });
      this.connect(token);
    } else {
      this.signOut();
    }
  }

  // --- messages and appearance

  notify(message) {
    this.set({ notice: message });
    clearTimeout(this.noticeTimer);
    this.noticeTimer = setTimeout(() => this.set({ notice: "" }), 8000);
  }

  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.notify("Copied");
    } catch {
      this.notify("The browser did not allow copying; select the text and copy it");
    }
  }

  toggleTheme() {
    const dark = this.isDark();
    this.theme = dark ? "light" : "dark";
    localStorage.setItem(THEME, this.theme);
    this.applyTheme();
    this.changed();
  }

  isDark() {
    return this.theme ? this.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  applyTheme() {
    document.documentElement.dataset.theme = this.isDark() ? "dark" : "light";
  }
}

function worldMap(world) {
  return new Map(world.items.map((each) => [keyOfObject(each), each]));
}

function only(event, key) {
  return { ...event, changes: event.changes.filter((change) => change.key === key) };
}

function localChain(events, revision, direction) {
  const byRevision = new Map(events.map((each) => [each.revision, each]));
  if (direction === "causes") {
    const found = [];
    for (let at = byRevision.get(revision); at; at = byRevision.get(at.cause?.revision)) {
      found.unshift(at);
    }
    return found;
  }
  const known = new Set([revision]);
  return events.filter((each) => {
    const follows = each.revision === revision || known.has(each.cause?.revision);
    if (follows) {
      known.add(each.revision);
    }
    return follows;
  });
}

function bundleBuckets({ segment, about }) {
  const [start, end] = [Date.parse(about.from.time), Date.parse(about.to.time)];
  const width = Math.max(1, (end - start) / 200);
  const buckets = new Map();
  for (const event of segment.events) {
    const index = Math.max(0, Math.min(199, Math.floor((event.at - start) / width)));
    const time = new Date(start + index * width).toISOString();
    const bucket = buckets.get(index) || { revision: event.revision, time, events: 0 };
    bucket.events++;
    buckets.set(index, bucket);
  }
  return [...buckets.values()];
}
