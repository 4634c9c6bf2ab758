/**
 * Small elements that several views use. Preact 10.28.0 does not insert some elements of keyed lists (fixed in 10.28.1),
 * which the table and the graph depend on: use 10.27.2 or a version after 10.28.0.
 */
import { Component, h } from "../../lib/preact/dist/preact.module.js";
import { brief } from "../core/diff.js";
import { count, duration, moment, ordinal, parseKey, plural, shorten } from "../core/names.js";

export { Component, h };

const TONES = {
  ok: [h("circle", { cx: 8, cy: 8, r: 6.25 }), h("path", { d: "M5.2 8.2l2 2 3.600-4.200" })],
  wait: [h("circle", { cx: 8, cy: 8, r: 6.25 }), h("path", { d: "M8 4.500V8l2.300 1.500" })],
  bad: [
    h("path", { d: "M5.300 1.750h5.400l3.550 3.550v5.400l-3.550 3.550H5.300L1.750 10.700V5.300z" }),
    h("path", { d: "M5.700 5.700l4.600 4.600m0-4.600l-4.600 4.600" }),
  ],
  unsure: [
    h("path", { d: "M8 1.500L14.500 8 8 14.500 1.500 8z" }),
    h("path", { d: "M6.600 6.600c.1-1.700 2.800-1.700 2.800-.1C9.400 7.600 8 7.600 8 8.700m0 1.900v.1" }),
  ],
  idle: [h("circle", { cx: 8, cy: 8, r: 5, "stroke-dasharray": "none" })],
  info: [h("circle", { cx: 8, cy: 8, r: 6.25 }), h("path", { d: "M8 7.500v3.500M8 5v.1" })],
};

/** The shape of a tone; its word is always next to it, so it is hidden from screen readers. */
export function ToneIcon({ tone }) {
  return h(
    "svg",
    { class: `icon tone-${tone}`, viewBox: "0 0 16 16", "aria-hidden": "true" },
    TONES[tone] || TONES.idle,
  );
}

const GLYPHS = {
  close: "M4 4l8 8m0-8l-8 8",
  copy: "M5.500 5.500V2.500h8v8h-3M2.500 5.500h8v8h-8z",
  first: "M3.500 3v10M12.500 3.500L6 8l6.500 4.500z",
  previous: "M11 3.500L4.500 8l6.500 4.500z",
  next: "M5 3.500L11.500 8 5 12.500z",
  last: "M12.500 3v10M3.500 3.500L10 8l-6.500 4.500z",
  play: "M4.500 3l8 5-8 5z",
  pause: "M5 3v10M11 3v10",
  sun: "M8 5.200a2.800 2.800 0 100 5.600 2.800 2.800 0 000-5.600M8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1.100 1.100M11.900 11.900L13 13M3 13l1.100-1.100M11.900 4.100L13 3",
  moon: "M13.500 9.500A5.500 5.500 0 016.500 2.500a5.500 5.500 0 107 7z",
  help: "M5.800 6c.1-3 4.400-3 4.400-.1 0 2-2.200 2-2.200 3.700m0 2.400v.1",
  chevron: "M6 4l4 4-4 4",
  plus: "M8 3.500v9M3.500 8h9",
  minus: "M3.500 8h9",
  fit: "M2.500 6V2.500H6M10 2.500h3.500V6M13.500 10v3.500H10M6 13.500H2.500V10",
  search: "M7 2.500a4.500 4.500 0 100 9 4.500 4.500 0 000-9M10.300 10.300L14 14",
  link: "M6.500 9.500l3-3M7 4.500l1.500-1.500a3 3 0 014.500 4.500L11.500 9M9 11.500L7.500 13A3 3 0 013 8.500L4.500 7",
};

export function Glyph({ name }) {
  return h("svg", { class: "glyph", viewBox: "0 0 16 16", "aria-hidden": "true" }, h("path", { d: GLYPHS[name] }));
}

export function IconButton({ glyph, label, ...more }) {
  return h(
    "button",
    { type: "button", class: "icon-button", "aria-label": label, title: label, ...more },
    h(Glyph, { name: glyph }),
  );
}

/** A ring that empties until the next attempt. */
export function Ring({ facts, now }) {
  const total = Math.max(1000, facts.retryAt - (facts.failedAt || facts.retryAt - 10_000));
  const left = Math.max(0, Math.min(1, (facts.retryAt - now) / total));
  const around = 2 * Math.PI * 6;
  return h(
    "svg",
    { class: "icon ring tone-bad", viewBox: "0 0 16 16", "aria-hidden": "true" },
    h("circle", { class: "ring-back", cx: 8, cy: 8, r: 6 }),
    h("circle", { cx: 8, cy: 8, r: 6, "stroke-dasharray": `${left * around} ${around}`, transform: "rotate(-90 8 8)" }),
    h("path", { d: "M6 6l4 4m0-4l-4 4" }),
  );
}

/** Returns "5th try in 3 s" for something that failed and is tried again, or "". */
export function retryText(facts, now) {
  if (!facts.retryAt || facts.tone !== "bad") {
    return facts.attempts && facts.tone === "bad" ? `failed ${plural(facts.attempts, "time")}` : "";
  }
  const next = facts.attempts ? `${ordinal(facts.attempts + 1)} try` : "next try";
  return facts.retryAt > now ? `${next} in ${duration(facts.retryAt - now)}` : `${next} due`;
}

export function State({ facts, now, bare = false }) {
  const retry = retryText(facts, now);
  const waiting = facts.retryAt > now && facts.tone === "bad";
  return h(
    "span",
    { class: `state tone-${facts.tone}` },
    waiting ? h(Ring, { facts, now }) : h(ToneIcon, { tone: facts.tone }),
    h("span", { class: "word" }, facts.word || "–"),
    retry && !bare && h("span", { class: "retry" }, ` · ${retry}`),
  );
}

export function CopyButton({ app, text, label }) {
  return h(IconButton, { glyph: "copy", label, onClick: () => app.copy(text) });
}

/** A command that can be copied. */
export function Command({ app, text }) {
  return h(
    "div",
    { class: "command" },
    h("pre", { tabIndex: 0, "aria-label": "Command" }, text),
    h(CopyButton, { app, text, label: "Copy command" }),
  );
}

/** A link to an object, and to the moment if a revision is given. */
export function ObjectLink({ app, objectKey, revision, max = 36, withNamespace = false }) {
  const { short, namespace, name } = parseKey(objectKey);
  const follow = (event) => {
    event.preventDefault();
    if (revision) {
      app.goTo(revision);
    }
    app.select(objectKey);
  };
  const full = `${short}/${namespace ? `${namespace}/` : ""}${name}`;
  return h(
    "a",
    {
      class: "object-link",
      href: app.href(revision || (app.live ? 0 : app.store.revision), objectKey),
      title: full,
      onClick: follow,
    },
    h("span", { class: "kind" }, `${short}/`),
    withNamespace && namespace ? `${namespace}/` : "",
    shorten(name, max),
  );
}

export function RevisionLink({ app, revision, label }) {
  const follow = (event) => {
    event.preventDefault();
    app.goTo(revision);
  };
  const text = label || count(revision);
  return h(
    "a",
    {
      class: "revision",
      href: app.href(revision, app.selected),
      onClick: follow,
      title: `Go to revision ${count(revision)}`,
    },
    text,
  );
}

/** A time: relative while live, absolute when a past revision is shown. */
export function Time({ app, at }) {
  if (!at) {
    return h("span", { class: "time" }, "–");
  }
  const now = app.now();
  const iso = new Date(at).toISOString();
  const text = app.live && now - at < 86_400_000 ? `${duration(now - at)} ago` : moment(at, now);
  return h("time", { class: "time", dateTime: iso, title: iso }, text);
}

/** The table of changed fields. */
export function Fields({ list }) {
  if (!list?.length) {
    return null;
  }
  return h(
    "dl",
    { class: "fields" },
    list.map((each) =>
      h(
        "div",
        { key: each.path },
        h("dt", null, each.path),
        h(
          "dd",
          null,
          "from" in each && h("del", { title: brief(each.from, 4000) }, brief(each.from, 160)),
          "from" in each && "to" in each && h("span", { class: "arrow", "aria-label": "became" }, " → "),
          "to" in each && h("ins", { title: brief(each.to, 4000) }, brief(each.to, 160)),
        ),
      ),
    ),
  );
}

/** A designed state: a heading, a sentence and the next command. */
export function Notice({ app, title, text, command, children, tone = "idle" }) {
  return h(
    "div",
    { class: `notice tone-${tone}` },
    h("h2", null, title),
    text && h("p", null, text),
    command && h(Command, { app, text: command }),
    children,
  );
}

/** Loads a value when its key changes; the value before it stays visible meanwhile. */
export class Loader extends Component {
  constructor() {
    super();
    this.state = { value: null, error: null, loaded: null };
  }

  componentDidMount() {
    this.load();
  }

  componentDidUpdate(before) {
    if (before.id !== this.props.id) {
      this.load();
    }
  }

  componentWillUnmount() {
    this.abort?.abort();
    clearTimeout(this.timer);
  }

  load() {
    this.abort?.abort();
    clearTimeout(this.timer);
    const abort = new AbortController();
    this.abort = abort;
    const { id, load, delay = 0 } = this.props;
    this.timer = setTimeout(
      async () => {
        try {
          const value = await load(abort.signal);
          if (!abort.signal.aborted) {
            this.setState({ value, error: null, loaded: id });
          }
        } catch (error) {
          if (!abort.signal.aborted) {
            this.setState({ value: null, error, loaded: id });
          }
        }
      },
      this.state.loaded === null ? 0 : delay,
    );
  }

  render({ children, id, scope }) {
    const { value, error, loaded } = this.state;
    const stale = loaded !== id;
    // A value of another object must not be shown; one of another revision may, until the new one is there.
    const other = scope !== undefined && loaded !== null && !String(loaded).startsWith(`${scope} `);
    return children({ value: other ? null : value, error: other ? null : error, stale });
  }
}

export function ErrorNote({ app, error }) {
  const denied = error.status === 403;
  return h(Notice, {
    app,
    title: denied ? "Not allowed" : error.status === 404 ? "Not found" : "Failed to load",
    text: error.message,
    tone: denied || error.status === 404 ? "idle" : "bad",
  });
}

/** Moves the focus in a tab list with the arrow keys. */
export function tabKeys(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
  if (step === undefined) {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  const tabs = [...event.currentTarget.querySelectorAll('[role="tab"]')];
  const at = tabs.indexOf(document.activeElement);
  const next = Math.abs(step) === 1 ? (at + step + tabs.length) % tabs.length : step > 0 ? tabs.length - 1 : 0;
  tabs[next].focus();
  tabs[next].click();
}
