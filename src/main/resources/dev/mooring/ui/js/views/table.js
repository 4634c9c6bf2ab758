/** The table: every object of the World, sortable; only the rows in view are in the document. */
import { matches, rows } from "../core/model.js";
import { RESOURCES, count, duration, moment, quantity, resourceOf, shorten } from "../core/names.js";
import { Component, State, h } from "./parts.js";

const ROW = 30;
const OVERSCAN = 8;

/** Width below which the columns marked wide, and the next attempts of failed operations, are not shown. */
const NARROW_WIDTH = 800;
const COLUMNS = [
  { id: "kind", label: "Kind", width: "44px" },
  { id: "namespace", label: "Namespace", width: "minmax(72px, 0.600fr)" },
  { id: "name", label: "Name", width: "minmax(110px, 2fr)" },
  { id: "word", label: "State", width: "minmax(110px, 1.500fr)" },
  { id: "size", label: "Size", width: "44px", by: (row) => quantity(row.size) || 0 },
  { id: "className", label: "Class", width: "minmax(68px, 0.500fr)" },
  { id: "related", label: "Belongs to", width: "minmax(96px, 1.200fr)" },
  { id: "node", label: "Node", width: "minmax(64px, 0.500fr)", wide: true },
  { id: "created", label: "Age", width: "70px", by: (row) => -row.created, wide: true },
];

export class Table extends Component {
  constructor() {
    super();
    this.state = { top: 0, height: 600, width: 900, sort: "kind", descending: false, kind: "" };
    this.version = -1;
  }

  componentDidMount() {
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(this.box);
    this.measure();
  }

  componentWillUnmount() {
    this.observer.disconnect();
  }

  componentDidUpdate() {
    const { selected } = this.props.app;
    this.measure();
    if (selected !== this.scrolledTo) {
      this.scrolledTo = selected;
      this.reveal(this.list.findIndex((each) => each.key === selected));
    }
  }

  measure() {
    const { clientHeight, clientWidth } = this.box;
    if (clientHeight !== this.state.height || clientWidth !== this.state.width) {
      this.setState({ height: clientHeight, width: clientWidth });
    }
  }

  reveal(index) {
    if (index < 0) {
      return;
    }
    const top = index * ROW;
    const { scrollTop, clientHeight } = this.box;
    if (top < scrollTop || top + 2 * ROW > scrollTop + clientHeight) {
      this.box.scrollTop = Math.max(0, top - clientHeight / 2);
    }
  }

  /** Returns the filtered and sorted rows; computed again only after a change. */
  rows(app) {
    const { sort, descending, kind } = this.state;
    const id = JSON.stringify([app.store.version, app.filters, sort, descending, kind]);
    if (id !== this.id) {
      this.id = id;
      const { namespace, node, className, problems, text } = app.filters;
      this.all = rows(app.store.world, app.model);
      const list = this.all.filter(
        (row) =>
          (!kind || row.kind === kind) &&
          (!namespace || row.namespace === namespace) &&
          (!node || row.node === node) &&
          (!className || row.className === className || (row.kind === "StorageClass" && row.name === className)) &&
          (!problems || row.problem) &&
          (!text || matches(row, text)),
      );
      const by = COLUMNS.find((each) => each.id === sort).by || ((row) => row[sort]);
      const sign = descending ? -1 : 1;
      const place = new Map(RESOURCES.map((each, index) => [each.kind, index]));
      const value = sort === "kind" ? (row) => place.get(row.kind) ?? 99 : by;
      list.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        return x < y ? -sign : x > y ? sign : a.key < b.key ? -1 : 1;
      });
      this.list = list;
    }
    return this.list;
  }

  move(app, step) {
    const at = this.list.findIndex((each) => each.key === app.selected);
    const next = this.list[Math.min(this.list.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
    if (next) {
      app.select(next.key);
    }
  }

  narrow() {
    return this.state.width < NARROW_WIDTH;
  }

  sortBy(id) {
    const { sort, descending } = this.state;
    this.setState({ sort: id, descending: sort === id && !descending });
  }

  onKey(event, app) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9 }[event.key];
    if (step && event.target === event.currentTarget) {
      event.preventDefault();
      this.move(app, step);
    }
  }

  render({ app }) {
    const list = this.rows(app);
    const { top, height, sort, descending, kind } = this.state;
    const first = Math.max(0, Math.floor(top / ROW) - OVERSCAN);
    const shown = list.slice(first, Math.ceil((top + height) / ROW) + OVERSCAN);
    const columns = COLUMNS.filter((each) => !each.wide || !this.narrow());
    const template = { gridTemplateColumns: columns.map((each) => each.width).join(" ") };
    const active = list.findIndex((each) => each.key === app.selected);
    const visible = active >= first && active < first + shown.length;
    const kinds = RESOURCES.filter((each) => this.all.some((row) => row.kind === each.kind));
    return h(
      "div",
      { class: "table-view" },
      h(
        "div",
        { class: "chips", role: "group", "aria-label": "Kind" },
        [{ kind: "", label: "All" }, ...kinds].map((each) =>
          h(
            "button",
            {
              type: "button",
              key: each.kind,
              class: "chip",
              "aria-pressed": String(kind === each.kind),
              onClick: () => this.setState({ kind: each.kind, top: 0 }),
            },
            each.label,
          ),
        ),
        h("span", { class: "number" }, `${count(list.length)} of ${count(this.all.length)} objects`),
      ),
      h(
        "div",
        {
          class: "table",
          role: "grid",
          tabIndex: 0,
          "aria-label": "Objects",
          "aria-rowcount": list.length + 1,
          "aria-activedescendant": visible ? `row-${active}` : undefined,
          ref: (box) => {
            this.box = box;
          },
          onScroll: (event) => this.setState({ top: event.currentTarget.scrollTop }),
          onKeyDown: (event) => this.onKey(event, app),
        },
        h(
          "div",
          { role: "rowgroup", class: "table-head" },
          h(
            "div",
            { role: "row", "aria-rowindex": 1, style: template },
            columns.map((each) =>
              h(
                "span",
                {
                  key: each.id,
                  role: "columnheader",
                  "aria-sort": sort === each.id ? (descending ? "descending" : "ascending") : "none",
                },
                h(
                  "button",
                  { type: "button", onClick: () => this.sortBy(each.id) },
                  each.id === "created" && !app.live ? "Created" : each.label,
                  h(
                    "span",
                    { class: "sort", "aria-hidden": "true" },
                    sort === each.id ? (descending ? " ↓" : " ↑") : "",
                  ),
                ),
              ),
            ),
          ),
        ),
        h(
          "div",
          { role: "rowgroup", class: "table-body", style: { height: `${list.length * ROW}px` } },
          shown.map((row, index) => this.row(app, row, first + index, template)),
        ),
      ),
    );
  }

  row(app, row, index, template) {
    const selected = row.key === app.selected;
    const cell = (id, content, more = {}) =>
      h("span", { role: "gridcell", key: id, class: `cell-${id}`, ...more }, content);
    const now = app.shownTime();
    return h(
      "div",
      {
        role: "row",
        key: row.key,
        id: `row-${index}`,
        class: selected ? "row selected" : "row",
        "aria-rowindex": index + 2,
        "aria-selected": String(selected),
        style: { ...template, transform: `translateY(${index * ROW}px)` },
        onClick: () => app.select(row.key),
      },
      cell("kind", resourceOf(row.kind)?.short || row.kind, { title: row.kind }),
      cell("namespace", row.namespace),
      cell("name", shorten(row.name, 40), { title: row.name }),
      cell("word", h(State, { facts: row.facts, now, bare: this.narrow() }), { title: row.facts.message || "" }),
      cell("size", row.size),
      cell("className", row.className),
      cell("related", shorten(row.related, 17), { title: row.related }),
      this.narrow() ? null : cell("node", row.node),
      this.narrow()
        ? null
        : cell("created", app.live ? duration(now - row.created) : moment(row.created, now), {
            title: new Date(row.created).toISOString(),
          }),
    );
  }
}
