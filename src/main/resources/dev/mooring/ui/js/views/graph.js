/** The graph: class, volume, claim, Pod, mount in columns. Only the rows in view are in the document. */
import { Layout, ordered, sectionOf, sections } from "../core/layout.js";
import { COLUMNS, accepts, heightOf, nodesOf, relatedKeys, tally } from "../core/model.js";
import { count, plural, shorten } from "../core/names.js";
import { Component, Glyph, Ring, ToneIcon, h, retryText } from "./parts.js";

/** Distance of rows and height of cards; in a narrow graph the second text of a card has two lines. */
const WIDE = { pitch: 52, card: 42, gutter: 40, weights: [0.72, 1.05, 1.1, 1.1, 1] };
const NARROW = { pitch: 68, card: 58, gutter: 14, weights: [0.95, 1, 1, 1, 1] };
const NARROW_WIDTH = 800;
const HEADER = 44;
const PADDING = 12;
const MIN_UNIT = 104;
const CHARACTER = 7.3;
const OVERSCAN = 4;

/** Number of nodes above which they are grouped by namespace and class. */
export const MAX_FLAT = 200;

const FADE = 700;
const COMPACT_AFTER = 1500;
const MAX_WASTE = 0.3;
const COLUMN_NAMES = ["class", "volume", "claim", "Pod", "mount"];

export class Graph extends Component {
  constructor() {
    super();
    this.state = { top: 0, height: 600, width: 900 };
    this.layouts = new Map();
    this.shown = new Map();
    this.ghosts = new Map();
    this.filterText = "";
  }

  componentDidMount() {
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(this.box);
    this.measure();
  }

  componentWillUnmount() {
    this.observer.disconnect();
    clearTimeout(this.compactTimer);
    clearTimeout(this.fadeTimer);
  }

  componentDidUpdate() {
    const { app } = this.props;
    // The panel of a selected object makes the graph narrow, which moves the rows.
    if (app.selected !== this.scrolledTo || this.shape() !== this.scrolledShape) {
      this.scrolledTo = app.selected;
      this.scrolledShape = this.shape();
      this.reveal(app.selected);
    }
  }

  measure() {
    const { clientWidth, clientHeight } = this.box;
    if (clientWidth !== this.state.width || clientHeight !== this.state.height) {
      this.setState({ width: clientWidth, height: clientHeight });
    }
  }

  /** Scrolls to an object if it is outside the view. */
  reveal(key) {
    const place =
      this.placed?.byKey.get(key) || [...(this.placed?.byKey.values() || [])].find((each) => each.node.target === key);
    if (!place) {
      return;
    }
    this.scrollTo(place.row);
  }

  scrollTo(row) {
    const { scrollTop, clientHeight } = this.box;
    const { pitch } = this.shape();
    const top = row * pitch;
    if (top < scrollTop || top + pitch > scrollTop + clientHeight - HEADER) {
      this.box.scrollTop = Math.max(0, top - clientHeight / 3);
    }
  }

  layoutOf(id) {
    if (!this.layouts.has(id)) {
      this.layouts.set(id, new Layout());
    }
    return this.layouts.get(id);
  }

  /** Returns the places of all nodes: {byKey: Map of key to {node, row}, headers, rows}. */
  place(app) {
    const { model, filters } = app;
    const filterText = JSON.stringify(filters);
    if (filterText !== this.filterText || app.store !== this.store) {
      this.filterText = filterText;
      this.store = app.store;
      this.layouts.clear();
      this.ghosts.clear();
      this.shown.clear();
    }
    this.openSelected(app);
    const chains = [...model.chains.values()].filter((each) => accepts(each, filters));
    const counts = [0, 0, 0, 0, 0];
    let total = 0;
    for (const each of chains) {
      for (const node of nodesOf(each)) {
        total++;
        counts[node.column] += node.placeholder ? 0 : 1;
      }
    }
    const placed = { byKey: new Map(), headers: [], rows: 0, grouped: total > MAX_FLAT, counts };
    if (!placed.grouped) {
      this.placeChains(placed, chains, this.layoutOf(""), 0, app);
      this.placeClasses(placed, model, this.layoutOf(""), filters);
      placed.rows = this.layoutOf("").rows();
    } else {
      for (const section of sections(chains)) {
        const open = app.openSections.has(section.id);
        placed.headers.push({ ...section, row: placed.rows, open });
        placed.rows++;
        if (open) {
          const layout = this.layoutOf(section.id);
          this.placeChains(placed, section.chains, layout, placed.rows, app);
          placed.rows += layout.rows();
        }
      }
    }
    return placed;
  }

  /** Opens the section of a newly selected object. */
  openSelected(app) {
    const { selected, model } = app;
    if (selected !== this.openedFor) {
      const node = model.byKey.get(selected) || [...model.byKey.values()].find((each) => each.target === selected);
      const chain = model.chains.get(node?.chain);
      if (chain || !selected) {
        this.openedFor = selected;
      }
      if (chain) {
        app.openSections.add(sectionOf(chain));
      }
    }
  }

  placeChains(placed, chains, layout, offset, app) {
    layout.update(ordered(chains).map((each) => ({ id: each.id, height: heightOf(each) })));
    if (layout.waste() > MAX_WASTE) {
      this.compactLater(app, layout, app.store.revision);
    }
    for (const each of chains) {
      this.placeChain(placed, each, offset + layout.rowOf(each.id));
      layout.byId.get(each.id).className = each.className;
    }
  }

  /** Closes gaps after the World has been left alone for a while; never during scrubbing. */
  compactLater(app, layout, revision) {
    clearTimeout(this.compactTimer);
    this.compactTimer = setTimeout(() => {
      if (layout.waste() > MAX_WASTE && (app.live || app.store.revision === revision) && !app.playing) {
        layout.compact();
        app.changed();
      }
    }, COMPACT_AFTER);
  }

  placeChain(placed, chain, row) {
    const put = (node, at) => node && placed.byKey.set(node.key, { node, row: at });
    put(chain.volume, row);
    put(chain.claim, row);
    let at = row;
    const taken = new Set();
    for (const pod of chain.pods) {
      put(pod, at);
      pod.mounts.forEach((mount, index) => {
        put(mount, at + index);
        taken.add(mount);
      });
      at += Math.max(1, pod.mounts.length);
    }
    for (const mount of chain.mounts.filter((each) => !taken.has(each))) {
      put(mount, at++);
    }
  }

  placeClasses(placed, model, layout) {
    const rows = new Map();
    for (const { className, row } of layout.places) {
      if (className && (!rows.has(className) || row < rows.get(className))) {
        rows.set(className, row);
      }
    }
    for (const node of model.byKey.values()) {
      if (node.column === 0 && rows.has(node.className)) {
        placed.byKey.set(node.key, { node, row: rows.get(node.className) });
      }
    }
  }

  /** Remembers nodes that disappeared, so that they fade at their place. */
  fade(placed) {
    const now = performance.now();
    for (const [key, place] of this.shown) {
      if (!placed.byKey.has(key) && !this.ghosts.has(key)) {
        this.ghosts.set(key, { ...place, until: now + FADE });
      }
    }
    for (const [key, ghost] of this.ghosts) {
      if (placed.byKey.has(key) || ghost.until < now) {
        this.ghosts.delete(key);
      }
    }
    this.shown = placed.grouped ? new Map() : placed.byKey;
    if (placed.grouped) {
      this.ghosts.clear();
    }
    if (this.ghosts.size && !this.fadeTimer) {
      this.fadeTimer = setTimeout(() => {
        this.fadeTimer = 0;
        this.setState({});
      }, FADE + 20);
    }
  }

  shape() {
    return this.state.width < NARROW_WIDTH ? NARROW : WIDE;
  }

  columns() {
    const { gutter, weights } = this.shape();
    const sum = weights.reduce((a, b) => a + b, 0);
    const unit = Math.max(MIN_UNIT, (this.state.width - 2 * PADDING - 4 * gutter) / sum);
    let x = PADDING;
    return weights.map((weight) => {
      const column = { x, width: Math.floor(weight * unit) };
      x += column.width + gutter;
      return column;
    });
  }

  render({ app }) {
    const placed = this.place(app);
    this.placed = placed;
    this.fade(placed);
    const columns = this.columns();
    const width = columns[4].x + columns[4].width + PADDING;
    const { top, height } = this.state;
    const shape = this.shape();
    const { pitch } = shape;
    const first = Math.floor(top / pitch) - OVERSCAN;
    const last = Math.ceil((top + height) / pitch) + OVERSCAN;
    const inView = (row) => row >= first && row <= last;
    const related = app.selected ? new Set(relatedKeys(app.model, app.selected)) : null;
    const order = this.order(placed);
    const current = order.find((each) => isSelected(app, each.node)) || order[0];
    const nodes = [];
    for (const [key, place] of placed.byKey) {
      if (inView(place.row)) {
        nodes.push(this.card(app, key, place, columns, { tabbable: place === current, related }));
      }
    }
    for (const [key, place] of this.ghosts) {
      if (inView(place.row)) {
        nodes.push(this.card(app, key, place, columns, { ghost: true }));
      }
    }
    const edges = app.model.edges.filter(({ from, to }) => {
      const [a, b] = [placed.byKey.get(from), placed.byKey.get(to)];
      return a && b && Math.min(a.row, b.row) <= last && Math.max(a.row, b.row) >= first;
    });
    const headers = placed.headers.filter((each) => inView(each.row));
    const total = placed.byKey.size || placed.headers.length;
    return h(
      "div",
      {
        class: shape === NARROW ? "graph narrow" : "graph",
        ref: (box) => {
          this.box = box;
        },
        onScroll: (event) => this.setState({ top: event.currentTarget.scrollTop }),
        onKeyDown: (event) => this.onKey(event, app),
      },
      h(
        "div",
        { class: "graph-head", style: { width: `${width}px` } },
        columns.map((column, index) =>
          h(
            "span",
            { key: index, style: { left: `${column.x}px`, width: `${column.width}px` } },
            headOf(index, placed, app),
          ),
        ),
      ),
      total === 0
        ? null
        : h(
            "div",
            {
              class: "graph-body",
              role: "group",
              "aria-label": "Graph of storage classes, volumes, claims, Pods and mounts",
              style: { width: `${width}px`, height: `${placed.rows * pitch + PADDING}px` },
            },
            h(
              "svg",
              { class: "edges", width, height: placed.rows * pitch + PADDING, "aria-hidden": "true" },
              edges.map((edge) => edgePath(edge, placed, columns, related, shape)),
            ),
            headers.map((each) => this.sectionRow(app, each, columns, width)),
            nodes,
          ),
    );
  }

  card(app, key, { node, row }, columns, { tabbable, related, ghost }) {
    const column = columns[node.column];
    const now = app.shownTime();
    const { facts } = node;
    const retry = retryText(facts, now);
    const waiting = facts.tone === "bad" && facts.retryAt > now;
    const selected = !ghost && isSelected(app, node);
    const classes = ["node", `tone-${facts.tone}`, `line-${facts.line}`];
    if (node.placeholder) {
      classes.push("placeholder");
    }
    if (selected) {
      classes.push("selected");
    }
    if (ghost) {
      classes.push("ghost");
    }
    if (related && !related.has(node.key.split("#")[0]) && !related.has(node.target)) {
      classes.push("unrelated");
    }
    const room = Math.floor((column.width - 44) / CHARACTER);
    const several = app.model.namespaces.length > 1 && !app.filters.namespace && node.column === 2;
    const title = node.title || (node.placeholder ? "no volume" : "");
    return h(
      "button",
      {
        type: "button",
        key: ghost ? `ghost ${key}` : key,
        class: classes.join(" "),
        style: { width: `${column.width}px`, transform: `translate(${column.x}px, ${row * this.shape().pitch + 5}px)` },
        title: hint(node),
        "aria-current": selected ? "true" : undefined,
        "aria-hidden": ghost ? "true" : undefined,
        disabled: ghost,
        tabIndex: tabbable ? 0 : -1,
        "data-key": node.key,
        onClick: () => app.select(node.target || node.key),
      },
      h(
        "span",
        { class: "unseen" },
        `${kindOf(node)} ${node.namespace ? `${node.namespace}/` : ""}${title}, ${facts.word || "present"}${retry ? `, ${retry}` : ""}`,
      ),
      waiting ? h(Ring, { facts, now }) : h(ToneIcon, { tone: facts.tone }),
      h(
        "span",
        { class: "title", "aria-hidden": "true" },
        shorten(title, room),
        node.column === 4 && node.volumeName
          ? h("span", { class: "prefix" }, ` ${shorten(node.volumeName, Math.max(3, room - title.length - 1))}`)
          : null,
      ),
      h(
        "span",
        { class: "sub", "aria-hidden": "true" },
        h("span", { class: "word" }, facts.word),
        subText(node, retry, several, column.width),
      ),
    );
  }

  sectionRow(app, section, columns, width) {
    const columnNodes = [1, 2, 3, 4].map((index) =>
      section.chains
        .flatMap((chain) => nodesOf(chain))
        .filter((each) => each.column === index && !(index === 1 && each.placeholder)),
    );
    const worst = tally(columnNodes.flat())[0]?.tone || "idle";
    const label = `${section.namespace || "no namespace"}, class ${section.className || "none"}`;
    const toggle = () => {
      if (section.open) {
        app.openSections.delete(section.id);
      } else {
        app.openSections.add(section.id);
      }
      app.changed();
    };
    return h(
      "button",
      {
        type: "button",
        key: `section ${section.id}`,
        class: `section tone-${worst}`,
        "data-section": section.id,
        style: {
          width: `${width - 2 * PADDING + 8}px`,
          transform: `translate(${PADDING - 4}px, ${section.row * this.shape().pitch + 5}px)`,
        },
        "aria-expanded": String(section.open),
        "aria-label": `${label}: ${columnNodes.map((list, index) => plural(list.length, COLUMN_NAMES[index + 1])).join(", ")}`,
        onClick: toggle,
      },
      h(
        "span",
        { class: "section-name", style: { width: `${columns[0].width}px` } },
        h(Glyph, { name: "chevron" }),
        h(
          "span",
          null,
          h("span", { class: "title" }, shorten(section.namespace || "no namespace", 14)),
          h("span", { class: "sub" }, section.className || "no class"),
        ),
      ),
      columnNodes.map((list, index) =>
        h(
          "span",
          {
            key: index,
            class: "section-cell",
            style: { left: `${columns[index + 1].x - PADDING + 4}px`, width: `${columns[index + 1].width}px` },
          },
          h("span", { class: "title" }, list.length ? count(list.length) : "–"),
          h(
            "span",
            { class: "sub" },
            tally(list)
              .slice(0, 4)
              .map((each) =>
                h(
                  "span",
                  { key: each.word, class: `state tone-${each.tone}` },
                  h(ToneIcon, { tone: each.tone }),
                  `${count(each.number)} `,
                  h("span", { class: "word" }, shorten(each.word, 14)),
                ),
              ),
          ),
        ),
      ),
    );
  }

  /** Returns the places in reading order. */
  order(placed) {
    return [...placed.byKey.values()].sort((a, b) => a.row - b.row || a.node.column - b.node.column);
  }

  /** Moves through nodes and headers of sections in reading order; used by j and k. */
  move(app, step) {
    // A placeholder that leads to its claim would stop the movement there.
    const stops = this.order(this.placed).filter(({ node }) => !app.model.byKey.has(node.target));
    const list = [...this.placed.headers, ...stops].sort((a, b) => a.row - b.row);
    if (!list.length) {
      return;
    }
    const focused = document.activeElement?.dataset?.section;
    const here = (each) => (each.node ? focused === undefined && isSelected(app, each.node) : each.id === focused);
    const at = list.findIndex(here);
    const next = list[Math.min(list.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
    if (next.node) {
      app.select(next.node.target || next.node.key);
    } else {
      this.scrollTo(next.row);
    }
    requestAnimationFrame(() => requestAnimationFrame(() => this.focus(next.node?.key, next.id)));
  }

  focus(key, section) {
    const wanted = ({ dataset }) => (section === undefined ? dataset.key === key : dataset.section === section);
    [...this.box.querySelectorAll(".node, .section")].find(wanted)?.focus({ preventScroll: true });
  }

  onKey(event, app) {
    const at = event.target.closest?.(".node")?.dataset.key;
    const place = at && this.placed.byKey.get(at);
    if (!place || !/^Arrow/.test(event.key)) {
      return;
    }
    const candidates = this.order(this.placed).filter((each) => {
      const { column } = each.node;
      switch (event.key) {
        case "ArrowDown":
          return column === place.node.column && each.row > place.row;
        case "ArrowUp":
          return column === place.node.column && each.row < place.row;
        case "ArrowRight":
          return column > place.node.column;
        default:
          return column < place.node.column;
      }
    });
    const distance = (each) => Math.abs(each.row - place.row) * 2 + Math.abs(each.node.column - place.node.column) * 3;
    const next = candidates.sort((a, b) => distance(a) - distance(b))[0];
    event.preventDefault();
    if (next) {
      app.select(next.node.target || next.node.key);
      requestAnimationFrame(() => requestAnimationFrame(() => this.focus(next.node.key)));
    }
  }
}

function isSelected(app, node) {
  const { selected, model } = app;
  return Boolean(selected) && (node.key === selected || (node.target === selected && !model.byKey.has(selected)));
}

function headOf(index, { counts }, app) {
  const hidden = index === 4 && !app.maySeeMounts;
  return [
    h("b", null, COLUMNS[index]),
    counts[index] ? h("span", { class: "number" }, count(counts[index])) : null,
    hidden ? h("span", { title: "An admin can create a token for all namespaces" }, "not visible to this token") : null,
  ];
}

function kindOf(node) {
  return node.column === 4
    ? "Mount"
    : node.object?.kind || ["StorageClass", "PersistentVolume", "PersistentVolumeClaim", "Pod"][node.column];
}

function hint(node) {
  const { facts } = node;
  const name = node.object?.metadata?.name || node.title;
  const claim = node.column === 1 && node.claimName ? `claim ${node.claimName}` : "";
  return [name, claim, facts.word, facts.reason, facts.message].filter(Boolean).join("\n");
}

function subText(node, retry, several, width) {
  const parts = [
    node.column === 0 && node.object ? node.object.provisioner?.replace(/^.*\//, "") : "",
    node.size,
    node.column === 3 && node.mountCount ? `${node.mountCount}${width > 190 ? " mounted" : ""}` : "",
    retry,
    several ? node.namespace : "",
  ].filter(Boolean);
  const text = parts.join(" · ");
  return text && node.facts.word ? ` · ${text}` : text;
}

function edgePath({ id, from, to, tone, line }, placed, columns, related, { pitch, card }) {
  const [a, b] = [placed.byKey.get(from), placed.byKey.get(to)];
  const [left, right] = [columns[a.node.column], columns[b.node.column]];
  const x1 = left.x + left.width;
  const x2 = right.x;
  const y1 = a.row * pitch + 5 + card / 2;
  const y2 = b.row * pitch + 5 + card / 2;
  const middle = (x1 + x2) / 2;
  const path = y1 === y2 ? `M${x1} ${y1}H${x2}` : `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
  const active = related && related.has(from.split("#")[0]) && related.has(to.split("#")[0]);
  const classes = `edge line-${line} tone-${tone}${related ? (active ? " active" : " unrelated") : ""}`;
  return h("path", { key: id, class: classes, d: path });
}
