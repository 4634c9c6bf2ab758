/**
 * The timeline: transport controls, an overview of all history with the shown span, and rows of dots and bars. The rows
 * are drawn on a canvas; the Events view and the History tab have the same as text.
 */
import { relatedKeys } from "../core/model.js";
import { clock, count, day, duration, ordinal, parseKey, plural, shorten } from "../core/names.js";
import { Scale, markOf, rowsByKind, rowsByObject, ticks } from "../core/timeaxis.js";
import { Component, IconButton, h } from "./parts.js";

const LABELS = 148;
const ROW = 22;
const AXIS = 22;
const OVERVIEW = 30;
const SPEEDS = [1, 10, 100];
const HIT = 6;
const MODES = [
  ["kinds", "by kind"],
  ["objects", "by object"],
  ["related", "selected"],
];

export class TimelineView extends Component {
  constructor() {
    super();
    this.state = { width: 800, height: 160, mode: "kinds", hover: null, top: 0 };
  }

  componentDidMount() {
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(this.box);
    this.measure();
    this.body.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
  }

  componentWillUnmount() {
    this.observer.disconnect();
  }

  measure() {
    const { clientWidth } = this.box;
    this.setState({ width: Math.max(100, clientWidth - LABELS), height: this.body.clientHeight });
  }

  componentDidUpdate() {
    this.draw();
  }

  scale(app = this.props.app) {
    return new Scale(app.span.start, app.span.end, this.state.width);
  }

  overviewScale(app = this.props.app) {
    return new Scale(app.timeline.first.at, app.timeline.last.at, this.state.width);
  }

  /** Returns the rows of the shown span; computed again only after a change. */
  rows(app) {
    const mode = this.state.mode === "related" && !app.selected ? "kinds" : this.state.mode;
    const id = `${app.store.loads} ${mode === "related" ? app.store.version : 0} ${app.span.start} ${app.span.end} ${mode} ${app.selected} ${app.showFolded}`;
    if (id !== this.id) {
      this.id = id;
      const margin = app.span.end - app.span.start;
      const events = app.store.between(app.span.start - margin * 0.2, app.span.end + margin * 0.02);
      const options = { folded: app.showFolded };
      if (mode === "kinds") {
        this.list = rowsByKind(events, options);
      } else {
        const keys =
          mode === "related"
            ? relatedKeys(app.model, app.selected).filter((each) => !each.startsWith("storageclasses/"))
            : null;
        const inSpan = (row) =>
          row.dots.some(({ event }) => event.at >= app.span.start) ||
          row.bars.some((bar) => (bar.end ?? Infinity) >= app.span.start);
        this.list = rowsByObject(events, keys, options).filter((row) => keys || inSpan(row));
      }
      this.marks = events.map((event) => ({ event, mark: markOf(event) })).filter((each) => each.mark);
      if (mode === "kinds" && this.marks.length) {
        this.list = [...this.list, { id: "Server", label: "Server", dots: [], bars: [], marks: true }];
      }
      app.timeline.starts.forEach((each) =>
        this.marks.push({ event: each, mark: { text: "The server started", label: "server started", type: "start" } }),
      );
    }
    return this.list;
  }

  /** Returns the rows in view with their indexes. */
  shownRows(list) {
    const { top, height } = this.state;
    const first = Math.max(0, Math.floor(top / ROW) - 2);
    return list.slice(first, Math.ceil((top + height) / ROW) + 2).map((row, index) => [row, first + index]);
  }

  // --- drawing

  draw() {
    const { app } = this.props;
    if (!this.canvas || !app.timeline) {
      return;
    }
    const style = getComputedStyle(this.box);
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    const colors = Object.fromEntries(
      ["text", "muted", "line", "accent", "ok", "bad", "wait", "unsure", "surface", "back", "idle"].map((each) => [
        each,
        color(each),
      ]),
    );
    this.drawOverview(app, colors);
    this.drawRows(app, colors);
  }

  prepare(canvas, width, height) {
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
  }

  drawOverview(app, colors) {
    const { width } = this.state;
    const context = this.prepare(this.overview, width, OVERVIEW);
    const scale = this.overviewScale(app);
    const { buckets, first, last } = app.timeline;
    const counts = new Float64Array(Math.max(1, Math.ceil(width / 3)));
    const add = (at, number) => {
      const index = Math.min(counts.length - 1, Math.max(0, Math.floor(scale.x(at) / 3)));
      counts[index] += number;
    };
    const known = buckets.length ? buckets[buckets.length - 1].at : first.at;
    buckets.forEach((each) => add(each.at, each.events));
    const loaded = app.store.live?.events || [];
    for (let i = loaded.length - 1; i >= 0 && loaded[i].at > known + (last.at - first.at) / 200; i--) {
      add(loaded[i].at, 1);
    }
    const most = Math.max(1, ...counts);
    context.fillStyle = colors.idle;
    counts.forEach((each, index) => {
      if (each) {
        const height = Math.max(2, Math.sqrt(each / most) * (OVERVIEW - 8));
        context.fillRect(index * 3, OVERVIEW - 2 - height, 2, height);
      }
    });
    const [x1, x2] = [scale.x(app.span.start), scale.x(app.span.end)];
    context.fillStyle = colors.accent;
    context.globalAlpha = 0.12;
    context.fillRect(x1, 0, Math.max(3, x2 - x1), OVERVIEW);
    context.globalAlpha = 1;
    context.strokeStyle = colors.accent;
    context.strokeRect(Math.max(0.5, x1 + 0.5), 0.5, Math.min(width - 1, Math.max(3, x2 - x1)) - 1, OVERVIEW - 1);
    this.drawHead(context, scale.x(this.headTime(app)), OVERVIEW, colors, false);
  }

  headTime(app) {
    return app.wanted ? app.timeOf(app.wanted) : app.live ? app.timeline.last.at : app.timeOf(app.store.revision);
  }

  drawHead(context, x, height, colors, handle) {
    const { width } = this.state;
    const at = Math.min(width - 1, Math.max(1, Math.round(x)));
    context.strokeStyle = colors.accent;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(at, 0);
    context.lineTo(at, height);
    context.stroke();
    context.lineWidth = 1;
    if (handle) {
      context.fillStyle = colors.accent;
      context.beginPath();
      context.moveTo(at - 6, 0);
      context.lineTo(at + 6, 0);
      context.lineTo(at + 6, 8);
      context.lineTo(at, 15);
      context.lineTo(at - 6, 8);
      context.fill();
    }
  }

  drawRows(app, colors) {
    const { width, top, height } = this.state;
    const context = this.prepare(this.canvas, width, height);
    const scale = this.scale(app);
    const head = scale.x(this.headTime(app));
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    context.textBaseline = "middle";
    // Rows first, then the axis over them.
    const list = this.list;
    const first = Math.floor(top / ROW);
    const last = Math.min(list.length, Math.ceil((top + height) / ROW));
    for (let i = first; i < last; i++) {
      const y = AXIS + i * ROW - top;
      context.fillStyle = colors.line;
      context.fillRect(0, y + ROW - 1, width, 1);
      list[i].bars.forEach((bar) => this.drawBar(context, scale, bar, y, colors, app));
      this.drawDots(context, scale, list[i], y, colors, head);
      if (list[i].marks) {
        this.drawMarks(context, scale, y, colors);
      }
    }
    context.fillStyle = colors.surface;
    context.fillRect(0, 0, width, AXIS);
    context.fillStyle = colors.line;
    context.fillRect(0, AXIS - 1, width, 1);
    for (const tick of ticks(scale.start, scale.end, Math.max(2, width / 90))) {
      const x = Math.round(scale.x(tick.time));
      context.fillStyle = colors.line;
      context.fillRect(x, AXIS - 6, 1, 6);
      context.globalAlpha = 0.4;
      context.fillRect(x, AXIS, 1, height - AXIS);
      context.globalAlpha = 1;
      context.fillStyle = colors.muted;
      if (x > 4 && x < width - 40) {
        context.fillText(tick.label, x + 4, 10);
      }
    }
    this.drawMarkLines(context, scale, height, colors);
    if (app.spanTooLong) {
      context.fillStyle = colors.muted;
      context.fillText("Too many events to load at once. Zoom in to see each of them.", 12, AXIS + 11);
    }
    this.drawHead(context, head, height, colors, true);
  }

  drawDots(context, scale, row, y, colors, head) {
    let before = -10;
    for (const { event, change } of row.dots) {
      const x = scale.x(event.at);
      // Dots on the same pixel are one dot, so that drawing costs what can be seen.
      if (x - before < 1.5) {
        continue;
      }
      before = x;
      const tone = /Fail|Unschedul|Waits/.test(event.type)
        ? "bad"
        : /Uncertain/.test(event.type)
          ? "unsure"
          : change.change === "deleted"
            ? "muted"
            : "accent";
      context.fillStyle = colors[tone];
      context.strokeStyle = colors[tone];
      context.globalAlpha = x > head + 1 ? 0.45 : 1;
      context.beginPath();
      if (change.change === "deleted") {
        context.moveTo(x - 3, y + 8);
        context.lineTo(x + 3, y + 14);
        context.moveTo(x + 3, y + 8);
        context.lineTo(x - 3, y + 14);
        context.lineWidth = 1.5;
        context.stroke();
        context.lineWidth = 1;
      } else {
        context.arc(x, y + 11, change.change === "created" ? 4 : 3, 0, 7);
        context.fill();
      }
    }
    context.globalAlpha = 1;
  }

  drawBar(context, scale, bar, y, colors, app) {
    const x1 = scale.x(bar.start);
    const x2 = Math.max(x1 + 3, scale.x(bar.end ?? app.timeline.last.at));
    if (x2 < 0 || x1 > this.state.width) {
      return;
    }
    const color = colors[{ ok: "ok", bad: "bad", unsure: "unsure", open: "wait" }[bar.result]];
    context.fillStyle = color;
    context.globalAlpha = 0.3;
    context.fillRect(x1, y + 5, x2 - x1, 12);
    context.globalAlpha = 1;
    context.strokeStyle = color;
    context.strokeRect(x1 + 0.5, y + 5.5, Math.max(2, x2 - x1 - 1), 11);
    if (x2 - x1 > 54) {
      context.fillStyle = colors.text;
      context.fillText(shorten(bar.name, Math.floor((x2 - x1 - 20) / 6)), x1 + 5, y + 11.5);
    }
    context.fillStyle = color;
    if (x2 - x1 > 16 || bar.result === "bad") {
      context.fillText({ ok: "✓", bad: "✕", unsure: "?", open: "…" }[bar.result], Math.max(x1 + 4, x2 - 11), y + 11.5);
    }
  }

  /** Draws restarts and injected faults through all rows. */
  drawMarkLines(context, scale, height, colors) {
    context.setLineDash([2, 3]);
    for (const { event, mark } of this.marks) {
      const x = Math.round(scale.x(event.at)) + 0.5;
      context.strokeStyle = markColor(mark, colors);
      context.beginPath();
      context.moveTo(x, AXIS);
      context.lineTo(x, height);
      context.stroke();
    }
    context.setLineDash([]);
  }

  /** Draws the row of the server: what restarted or failed, with its name where there is room. */
  drawMarks(context, scale, y, colors) {
    let next = this.state.width;
    for (const { event, mark } of [...this.marks].sort((a, b) => b.event.at - a.event.at)) {
      const x = scale.x(event.at);
      if (x < 0 || x > this.state.width) {
        continue;
      }
      context.fillStyle = markColor(mark, colors);
      context.strokeStyle = context.fillStyle;
      context.beginPath();
      if (mark.type === "kill" || mark.type === "chaos") {
        context.moveTo(x - 5, y + 15);
        context.lineTo(x + 5, y + 15);
        context.lineTo(x, y + 6);
        context.fill();
      } else {
        context.lineWidth = 1.5;
        context.arc(x, y + 11, 4, 0.8, 5.8);
        context.stroke();
        context.lineWidth = 1;
      }
      if (next - x > context.measureText(mark.label).width + 16) {
        context.fillStyle = colors.text;
        context.fillText(mark.label, x + 9, y + 11.5);
      }
      next = x - 6;
    }
  }

  // --- input

  timeAt(event, canvas, scale) {
    return scale.time(event.clientX - canvas.getBoundingClientRect().left);
  }

  scrub(app, time) {
    if (time >= app.timeline.last.at && !app.bundle) {
      app.goLive();
    } else {
      app.goTo(app.revisionOf(time));
    }
  }

  onWheel(event) {
    const { app } = this.props;
    if (!app.timeline) {
      return;
    }
    const { first, last } = app.timeline;
    const scale = this.scale(app);
    if (event.ctrlKey || event.metaKey || event.altKey) {
      event.preventDefault();
      const around = this.timeAt(event, this.canvas, scale);
      this.setSpan(app, scale.zoom(Math.exp(event.deltaY * 0.002), around, first.at, last.at));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      event.preventDefault();
      const delta = event.deltaX || event.deltaY;
      this.setSpan(app, scale.pan((delta / this.state.width) * (scale.end - scale.start), first.at, last.at));
    }
  }

  setSpan(app, { start, end }) {
    app.showSpan({ start, end, follow: app.live && end >= app.timeline.last.at });
  }

  zoomBy(app, factor) {
    const { first, last } = app.timeline;
    const { start, end } = app.span;
    const head = this.headTime(app);
    const around = head >= start && head <= end ? head : (start + end) / 2;
    this.setSpan(app, this.scale(app).zoom(factor, around, first.at, last.at));
  }

  /** Starts a drag; the handler gets the time below the pointer until it is released. */
  drag(event, canvas, scale, handle) {
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    handle(this.timeAt(event, canvas, scale));
    const move = (each) => handle(this.timeAt(each, canvas, scale));
    const end = () => {
      canvas.removeEventListener("pointermove", move);
      canvas.removeEventListener("pointerup", end);
      canvas.removeEventListener("pointercancel", end);
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    this.slider.focus({ preventScroll: true });
  }

  /** Returns the dot, bar or mark at a point of the rows. */
  hit(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const scale = this.scale();
    if (y < AXIS) {
      return null;
    }
    const row = this.list[Math.floor((y - AXIS + this.state.top) / ROW)];
    if (!row) {
      return null;
    }
    if (row.marks) {
      const mark = this.marks.find((each) => Math.abs(scale.x(each.event.at) - x) <= HIT);
      return mark ? { x, y, text: mark.mark.text, revision: mark.event.revision, at: mark.event.at } : null;
    }
    let best = null;
    for (const dot of row.dots) {
      const distance = Math.abs(scale.x(dot.event.at) - x);
      if (distance <= HIT && (!best || distance < best.distance)) {
        best = { distance, dot };
      }
    }
    if (best) {
      const { event: found, change } = best.dot;
      const name = `${parseKey(change.key).short}/${shorten(change.name, 32)}`;
      return {
        x,
        y,
        text: `${found.type} · ${name}${change.summary ? ` · ${shorten(change.summary, 90)}` : ""}`,
        revision: found.revision,
        at: found.at,
        key: change.key,
      };
    }
    const bar = row.bars.find(
      (each) => x >= scale.x(each.start) && x <= Math.max(scale.x(each.start) + 4, scale.x(each.end ?? Infinity)),
    );
    if (bar) {
      const took = bar.end
        ? `took ${bar.end - bar.start < 1000 ? `${bar.end - bar.start} ms` : duration(bar.end - bar.start)}`
        : "runs";
      const result = { ok: "succeeded", bad: "failed", unsure: "uncertain", open: "not ended" }[bar.result];
      const attempt = bar.attempt > 1 ? `, ${ordinal(bar.attempt)} attempt` : "";
      return {
        x,
        y,
        text: `${bar.name} · ${shorten(parseKey(bar.key).name, 32)} · ${result}, ${took}${attempt}`,
        revision: bar.to || bar.from,
        at: bar.start,
        key: bar.key,
      };
    }
    return null;
  }

  onRowsDown(event, app) {
    const found = this.hit(event);
    if (found) {
      event.preventDefault();
      app.goTo(found.revision);
      if (found.key && app.store.world.has(found.key)) {
        app.select(found.key);
      }
      return;
    }
    this.drag(event, this.canvas, this.scale(app), (time) =>
      this.scrub(app, Math.min(Math.max(time, app.timeline.first.at), app.timeline.last.at)),
    );
  }

  onOverviewDown(event, app) {
    const { start, end } = app.span;
    const scale = this.overviewScale(app);
    this.drag(event, this.overview, scale, (time) => {
      const { first, last } = app.timeline;
      const moved = new Scale(start, end, 1).pan(time - (start + end) / 2, first.at, last.at);
      if (end - start < (last.at - first.at) * 0.98) {
        this.setSpan(app, moved);
      }
      this.scrub(app, Math.min(Math.max(time, first.at), last.at));
    });
  }

  onSliderKey(event, app) {
    const actions = {
      ArrowLeft: () => app.step(-1),
      ArrowRight: () => app.step(1),
      ArrowDown: () => app.step(-1),
      ArrowUp: () => app.step(1),
      PageDown: () => app.goTo(app.store.revision - 20),
      PageUp: () => app.goTo(app.store.revision + 20),
      Home: () => app.goTo(1),
      End: () => app.goLive(),
    };
    if (actions[event.key]) {
      event.preventDefault();
      event.stopPropagation();
      actions[event.key]();
    }
  }

  // --- elements

  render({ app }) {
    const list = app.timeline ? this.rows(app) : [];
    const { mode, hover } = this.state;
    const revision = app.wanted ?? app.store.revision;
    const time = app.timeline ? this.headTime(app) : Date.now();
    const first = app.bundle ? app.bundle.about.from.revision : app.timeline?.first.revision || 1;
    const total = AXIS + list.length * ROW;
    return h(
      "section",
      { class: "timeline", "aria-label": "Timeline" },
      h(
        "div",
        { class: "timeline-bar" },
        h(
          "div",
          { class: "group", role: "group", "aria-label": "Move in time" },
          h(IconButton, { glyph: "first", label: "First revision", onClick: () => app.goTo(first) }),
          h(IconButton, { glyph: "previous", label: "Step back ( [ )", onClick: () => app.step(-1) }),
          h(IconButton, {
            glyph: app.playing ? "pause" : "play",
            label: app.playing ? "Pause (space)" : "Play (space)",
            onClick: () => app.play(),
          }),
          h(IconButton, { glyph: "next", label: "Step forward ( ] )", onClick: () => app.step(1) }),
          app.bundle
            ? h(IconButton, { glyph: "last", label: "Last revision", onClick: () => app.goTo(app.lastRevision) })
            : h(
                "button",
                {
                  type: "button",
                  class: app.live ? "button live on" : "button live",
                  "aria-pressed": String(app.live),
                  title: "Follow the newest revision (l)",
                  onClick: () => app.goLive(),
                },
                h("span", { class: "live-dot", "aria-hidden": "true" }),
                "Live",
              ),
        ),
        h(
          "div",
          { class: "group segmented", role: "group", "aria-label": "Speed" },
          SPEEDS.map((each) =>
            h(
              "button",
              {
                type: "button",
                key: each,
                "aria-pressed": String(app.speed === each),
                "aria-label": `Speed ${each}`,
                onClick: () => app.set({ speed: each }),
              },
              `×${each}`,
            ),
          ),
        ),
        h(
          "div",
          { class: "group segmented", role: "group", "aria-label": "Rows" },
          MODES.map(([id, label]) =>
            h(
              "button",
              {
                type: "button",
                key: id,
                disabled: id === "related" && !app.selected,
                "aria-pressed": String(mode === id),
                onClick: () => this.setState({ mode: id, top: 0 }),
              },
              label,
            ),
          ),
        ),
        h(
          "span",
          { class: "timeline-hint" },
          hover ? `rev ${count(hover.revision)} · ${clock(hover.at, true)} · ${hover.text}` : "",
        ),
        h("span", { class: "timeline-now" }, app.timeline ? `${day(time)} ${clock(time, true)}` : ""),
        h(
          "div",
          { class: "group", role: "group", "aria-label": "Zoom" },
          h(IconButton, { glyph: "minus", label: "Zoom out", onClick: () => this.zoomBy(app, 2) }),
          h(IconButton, { glyph: "plus", label: "Zoom in", onClick: () => this.zoomBy(app, 0.5) }),
          h(IconButton, {
            glyph: "fit",
            label: "Show all history",
            onClick: () => this.setSpan(app, { start: app.timeline.first.at, end: app.timeline.last.at }),
          }),
        ),
      ),
      h(
        "div",
        {
          class: "timeline-box",
          ref: (box) => {
            this.box = box;
          },
        },
        h(
          "div",
          { class: "overview-label" },
          app.timeline ? plural(app.lastRevision - Math.max(first, 1) + 1, "revision") : "",
        ),
        h(
          "div",
          { class: "overview" },
          h("canvas", {
            "aria-hidden": "true",
            ref: (canvas) => {
              this.overview = canvas;
            },
            onPointerDown: (event) => this.onOverviewDown(event, app),
          }),
          h("div", {
            class: "slider",
            role: "slider",
            tabIndex: 0,
            "aria-label": "Revision",
            "aria-valuemin": first,
            "aria-valuemax": Math.max(first, app.lastRevision),
            "aria-valuenow": Math.max(first, revision),
            "aria-valuetext": `Revision ${count(revision)} of ${count(app.lastRevision)}, ${clock(time)}${app.live ? ", live" : ""}`,
            ref: (slider) => {
              this.slider = slider;
            },
            onKeyDown: (event) => this.onSliderKey(event, app),
          }),
        ),
        h(
          "div",
          {
            class: "timeline-body",
            ref: (body) => {
              this.body = body;
            },
            onScroll: (event) => this.setState({ top: event.currentTarget.scrollTop }),
          },
          h(
            "div",
            { class: "timeline-labels", style: { height: `${total}px` } },
            this.shownRows(list).map(([row, index]) =>
              row.key
                ? h(
                    "button",
                    {
                      type: "button",
                      key: row.id,
                      class: row.key === app.selected ? "selected" : "",
                      title: row.full,
                      style: { top: `${AXIS + index * ROW}px` },
                      onClick: () => app.select(row.key),
                    },
                    rowLabel(row.label),
                  )
                : h("span", { key: row.id, style: { top: `${AXIS + index * ROW}px` } }, row.label),
            ),
          ),
          h("canvas", {
            class: "rows",
            "aria-hidden": "true",
            style: { width: `${this.state.width}px`, height: `${this.state.height}px` },
            ref: (canvas) => {
              this.canvas = canvas;
            },
            onPointerDown: (event) => this.onRowsDown(event, app),
            onPointerMove: (event) => {
              const found = this.hit(event);
              if (found || hover) {
                this.setState({ hover: found });
              }
            },
            onPointerLeave: () => this.setState({ hover: null }),
          }),
        ),
      ),
    );
  }
}

function markColor(mark, colors) {
  return mark.type === "kill" || mark.type === "chaos" ? colors.wait : colors.unsure;
}

function rowLabel(label) {
  const at = label.indexOf("/");
  return [h("span", { class: "kind", key: "kind" }, label.slice(0, at + 1)), shorten(label.slice(at + 1), 18 - at)];
}
