/** Events: the list with filters, and one event with its diff, causes and effects. */
import { count, moment, parseKey, shorten } from "../core/names.js";
import { normalize } from "../core/store.js";
import { Component, ErrorNote, Fields, Loader, Notice, ObjectLink, RevisionLink, Time, h } from "./parts.js";

const PAGE = 200;

/** The order of kinds in a comparison: what users create first. */
const ORDER = [
  "persistentvolumeclaims",
  "persistentvolumes",
  "pods",
  "storageclasses",
  "actualvolumes",
  "desiredvolumes",
];

const SIGNS = { created: "+", updated: "~", deleted: "−" };

/** One line of a history; opens to the changes, causes and effects. */
export function EventLine({ app, event, open, onToggle, own, current }) {
  const first = event.changes.find((each) => each.applies) || event.changes[0];
  const text = event.changes
    .map((each) => each.summary)
    .filter(Boolean)
    .join("; ");
  const id = `event-${own ? "own-" : ""}${event.revision}`;
  return h(
    "li",
    {
      class: `event${current ? " current" : ""}${event.folded ? " folded" : ""}${open ? " open" : ""}`,
      key: event.revision,
    },
    h(
      "div",
      { class: "event-line" },
      h(RevisionLink, { app, revision: event.revision }),
      h(Time, { app, at: event.at }),
      h(
        "button",
        { type: "button", class: "event-text", "aria-expanded": String(open), "aria-controls": id, onClick: onToggle },
        h("span", { class: "type" }, event.type),
        !own && first
          ? h(
              "span",
              { class: "about" },
              `${SIGNS[first.change]}${parseKey(first.key).short}/${shorten(first.name, 28)}${event.changes.length > 1 ? ` +${event.changes.length - 1}` : ""}`,
            )
          : null,
        text ? h("span", { class: "summary" }, text) : null,
        event.reason && event.reason !== event.type ? h("span", { class: "event-reason" }, event.reason) : null,
      ),
      h("span", { class: "actor" }, event.actor),
    ),
    open ? h("div", { id, class: "event-more" }, h(EventMore, { app, event })) : null,
  );
}

function EventMore({ app, event }) {
  // A line of an object's history has only the change of that object; the loaded event has all of them.
  const whole = app.store.event(event.revision) || event;
  return [
    whole.changes.map((change) =>
      h(
        "div",
        { class: "change", key: change.key },
        h(
          "div",
          { class: `change-head ${change.change}` },
          h("span", { class: "sign" }, change.change),
          h(ObjectLink, { app, objectKey: change.key, revision: event.revision, max: 48, withNamespace: true }),
        ),
        change.resource === "events" && change.object
          ? h("p", { class: "note" }, `${change.object.reason}: ${change.object.message}`)
          : h(Fields, { list: change.fields }),
      ),
    ),
    h(
      "div",
      { class: "chains" },
      h(Chain, { app, event, direction: "causes", title: "Caused by" }),
      h(Chain, { app, event, direction: "effects", title: "Led to" }),
    ),
    h(
      "p",
      { class: "actions" },
      h(
        "button",
        {
          type: "button",
          class: "link",
          onClick: () => app.compareMoments(String(event.revision - 1), String(event.revision)),
        },
        "Compare with the revision before",
      ),
    ),
  ];
}

function Chain({ app, event, direction, title }) {
  return h(Loader, {
    id: `${direction} ${event.revision}`,
    load: (signal) => app.related(event.revision, direction, signal),
    children: ({ value, error }) => {
      const list = (value || []).filter((each) => each.revision !== event.revision);
      const request =
        direction === "causes" && [...(value || []), event].map((each) => each.cause?.request).find(Boolean);
      return h(
        "section",
        { class: "chain", "aria-label": title },
        h("h3", null, title),
        error ? h("p", { class: "muted" }, error.message) : null,
        value && !list.length && !request
          ? h("p", { class: "muted" }, direction === "causes" ? "nothing earlier" : "nothing else")
          : null,
        h(
          "ol",
          null,
          request ? h("li", { key: "request" }, h("span", { class: "type" }, "request"), ` ${request}`) : null,
          list.slice(0, 30).map((each) =>
            h(
              "li",
              { key: each.revision },
              h(RevisionLink, { app, revision: each.revision }),
              " ",
              h("span", { class: "type" }, each.type),
              " ",
              each.changes[0]
                ? h(ObjectLink, {
                    app,
                    objectKey: (each.changes.find((x) => x.applies) || each.changes[0]).key,
                    revision: each.revision,
                    max: 20,
                  })
                : null,
            ),
          ),
          list.length > 30 ? h("li", { class: "muted", key: "more" }, `and ${count(list.length - 30)} more`) : null,
        ),
      );
    },
  });
}

/** All loaded events up to the shown revision, newest first. */
export class Events extends Component {
  constructor() {
    super();
    this.state = { open: 0, type: "", actor: "", own: false, limit: PAGE };
  }

  list(app) {
    const { namespace, text } = app.filters;
    const { type, actor, own } = this.state;
    const wanted = text.toLowerCase();
    const segment = app.store.find(app.store.revision);
    const events = segment ? segment.events : [];
    const found = [];
    for (let i = (segment?.indexOf(app.store.revision) ?? 0) - 1; i >= 0 && found.length < this.state.limit; i--) {
      const event = events[i];
      if (
        app.visible(event) &&
        (!type || event.type === type) &&
        (!actor || event.actor === actor) &&
        (!own || event.changes.some((each) => each.key === app.selected)) &&
        (!namespace || event.changes.some((each) => each.namespace === namespace)) &&
        (!wanted ||
          `${event.type} ${event.actor} ${event.changes.map((each) => `${each.key} ${each.summary}`).join(" ")}`
            .toLowerCase()
            .includes(wanted))
      ) {
        found.push(event);
      }
    }
    return found;
  }

  options(app, field) {
    const found = new Set();
    for (const { events } of app.store.segments) {
      events.forEach((each) => (app.visible(each) ? found.add(each[field]) : 0));
    }
    return [...found].sort();
  }

  select(app, field, label) {
    return h(
      "label",
      { class: "field" },
      h("span", null, label),
      h(
        "select",
        {
          value: this.state[field],
          onChange: (event) => this.setState({ [field]: event.currentTarget.value, searched: null }),
        },
        h("option", { value: "" }, "all"),
        this.options(app, field).map((each) => h("option", { key: each, value: each }, each)),
      ),
    );
  }

  /** Searches all history on the server for the chosen type and actor. */
  async search(app) {
    const { type, actor } = this.state;
    try {
      const page = await app.source.history({
        type,
        actor,
        namespace: app.filters.namespace,
        order: "desc",
        limit: 500,
      });
      this.setState({ searched: page.items.map(normalize) });
    } catch (error) {
      app.notify(error.message);
    }
  }

  move(app, step) {
    const list = this.list(app);
    const at = list.findIndex((each) => each.revision === this.state.open);
    const next = list[Math.min(list.length - 1, Math.max(0, at + step))];
    if (next) {
      this.setState({ open: next.revision });
    }
  }

  render({ app }) {
    const { type, actor, own, searched, open } = this.state;
    const list = searched || this.list(app);
    return h(
      "div",
      { class: "events-view" },
      h(
        "div",
        { class: "toolbar" },
        this.select(app, "type", "Type"),
        this.select(app, "actor", "Actor"),
        h(
          "label",
          { class: "check" },
          h("input", {
            type: "checkbox",
            checked: own,
            disabled: !app.selected,
            onChange: (event) => this.setState({ own: event.currentTarget.checked }),
          }),
          "only the selected object",
        ),
        h(
          "label",
          { class: "check" },
          h("input", {
            type: "checkbox",
            checked: app.showFolded,
            onChange: (event) => app.set({ showFolded: event.currentTarget.checked }),
          }),
          "Kubernetes Events and status updates",
        ),
        (type || actor) && !app.bundle
          ? h("button", { type: "button", class: "button", onClick: () => this.search(app) }, "Search all history")
          : null,
        h("span", { class: "number" }, searched ? `${count(list.length)} found in all history` : ""),
      ),
      list.length
        ? h(
            "ol",
            {
              class: "event-list",
              "aria-label": "Events, newest first",
              style: { "--revision-width": `${count(list[0].revision).length + 1}ch` },
            },
            list.map((event) =>
              h(EventLine, {
                app,
                event,
                key: event.revision,
                open: open === event.revision,
                current: event.revision === app.store.revision,
                onToggle: () => this.setState({ open: open === event.revision ? 0 : event.revision }),
              }),
            ),
            list.length >= this.state.limit
              ? h(
                  "li",
                  null,
                  h(
                    "button",
                    {
                      type: "button",
                      class: "button",
                      onClick: () => this.setState({ limit: this.state.limit + PAGE }),
                    },
                    "Show more",
                  ),
                )
              : null,
            !searched && app.canLoadOlder()
              ? h(
                  "li",
                  null,
                  h("button", { type: "button", class: "button", onClick: () => app.loadOlder() }, "Load older events"),
                )
              : null,
          )
        : h(
            Notice,
            { app, title: "No events", text: "No loaded event matches the filters." },
            app.canLoadOlder()
              ? h("button", { type: "button", class: "button", onClick: () => app.loadOlder() }, "Load older events")
              : null,
          ),
    );
  }
}

/** The history of one object, newest first. */
export class ObjectHistory extends Component {
  constructor() {
    super();
    this.state = { open: 0 };
  }

  render({ app, objectKey }) {
    const tip = app.lastRevisionOf(objectKey);
    return h(Loader, {
      id: `${objectKey} ${tip}`,
      scope: objectKey,
      delay: 250,
      load: (signal) => app.objectHistory(objectKey, signal),
      children: ({ value, error }) => {
        if (error) {
          return h(ErrorNote, { app, error });
        }
        if (!value) {
          return h("p", { class: "muted", role: "status" }, "Loading…");
        }
        const list = value.filter((event) => app.visible(event));
        const hidden = value.length - list.length;
        const current = list.find((each) => each.revision <= app.store.revision);
        return [
          h(
            "ol",
            { class: "event-list compact", key: "list", "aria-label": "Events of this object, newest first" },
            list.map((event) =>
              h(EventLine, {
                app,
                event,
                own: true,
                key: event.revision,
                current: event === current,
                open: this.state.open === event.revision,
                onToggle: () => this.setState({ open: this.state.open === event.revision ? 0 : event.revision }),
              }),
            ),
          ),
          hidden
            ? h(
                "button",
                { type: "button", class: "link", key: "more", onClick: () => app.set({ showFolded: true }) },
                `Show ${count(hidden)} folded events`,
              )
            : null,
        ];
      },
    });
  }
}

/** Two moments side by side: what was created, changed and deleted in between. */
export class Compare extends Component {
  constructor() {
    super();
    this.state = { result: null, error: null };
  }

  componentDidMount() {
    const { app } = this.props;
    if (!app.compare.from) {
      const from = app.revisionOf(Math.max(app.timeline.first.at, app.timeOf(app.store.revision) - 5 * 60_000));
      app.compare = { from: String(from), to: String(app.store.revision) };
      app.writeHash();
    }
    this.run();
  }

  async run() {
    const { app } = this.props;
    const { from, to } = app.compare;
    const id = `${from} ${to}`;
    this.id = id;
    try {
      const result = await app.diff(from, to);
      if (this.id === id) {
        this.setState({ result, error: null });
      }
    } catch (error) {
      this.setState({ result: null, error });
    }
  }

  componentDidUpdate() {
    const { from, to } = this.props.app.compare;
    if (this.id !== `${from} ${to}`) {
      this.run();
    }
  }

  field(app, name, label) {
    return h(
      "label",
      { class: "field" },
      h("span", null, label),
      h("input", {
        type: "text",
        value: app.compare[name],
        size: 12,
        spellcheck: false,
        title: "A revision (812), a duration before now (10m) or a time (2026-01-02T03:04:05Z)",
        onChange: (event) =>
          app.compareMoments(
            name === "from" ? event.currentTarget.value.trim() : app.compare.from,
            name === "to" ? event.currentTarget.value.trim() : app.compare.to,
          ),
      }),
    );
  }

  render({ app }) {
    const { result, error } = this.state;
    const shown = String(app.store.revision);
    return h(
      "div",
      { class: "compare-view" },
      h(
        "div",
        { class: "toolbar" },
        this.field(app, "from", "From"),
        h(
          "button",
          { type: "button", class: "button", onClick: () => app.compareMoments(shown, app.compare.to) },
          "Shown revision",
        ),
        this.field(app, "to", "To"),
        h(
          "button",
          { type: "button", class: "button", onClick: () => app.compareMoments(app.compare.from, shown) },
          "Shown revision",
        ),
      ),
      error ? h(ErrorNote, { app, error }) : null,
      result ? this.result(app, result) : error ? null : h("p", { class: "muted", role: "status" }, "Comparing…"),
    );
  }

  result(app, { from, to, items }) {
    const groups = ["created", "updated", "deleted"].map((change) => [
      change,
      items.filter((each) => each.change === change).sort((a, b) => rank(a) - rank(b)),
    ]);
    const at = (each) => [
      h(RevisionLink, { app, revision: each.revision }),
      ` (${moment(Date.parse(each.time), app.now())})`,
    ];
    return h(
      "div",
      { class: "compare-result" },
      h(
        "p",
        { class: "compare-title" },
        "Between revision ",
        at(from),
        " and ",
        at(to),
        ": ",
        items.length
          ? groups
              .filter(([, list]) => list.length)
              .map(([change, list]) => `${count(list.length)} ${change}`)
              .join(", ")
          : "no difference",
        ".",
      ),
      groups
        .filter(([, list]) => list.length)
        .map(([change, list]) =>
          h(
            "section",
            { key: change },
            h("h3", null, { created: "Created", updated: "Changed", deleted: "Deleted" }[change]),
            h(
              "ul",
              { class: "compare-list" },
              list.slice(0, 500).map((each) => {
                const key = [each.resource.split(".")[0], each.namespace, each.name].filter(Boolean).join("/");
                return h(
                  "li",
                  { key: key + each.uid, class: change },
                  h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[change]),
                  h(
                    "div",
                    null,
                    h(ObjectLink, {
                      app,
                      objectKey: key,
                      revision: change === "deleted" ? from.revision : to.revision,
                      max: 48,
                      withNamespace: true,
                    }),
                    h(Fields, { list: each.fields }),
                  ),
                );
              }),
            ),
          ),
        ),
    );
  }
}

function rank(item) {
  const at = ORDER.indexOf(item.resource.split(".")[0]);
  return at < 0 ? ORDER.length : at;
}
