/** The frame of the page: header with filters, banner, main views, dialogs, and the states without data. */
import { NO_FILTERS } from "../app.js";
import { clock, count, day, duration, plural } from "../core/names.js";
import { Files } from "./bundle.js";
import { Chaos } from "./chaos.js";
import { Compare, Events } from "./events.js";
import { Graph } from "./graph.js";
import { Panel } from "./panel.js";
import { Command, Component, IconButton, Notice, h, tabKeys } from "./parts.js";
import { Table } from "./table.js";
import { TimelineView } from "./timeline.js";

const QUICK_START = `kubectl apply -f - <<'END'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    image: busybox
    command: [sleep, "3600"]
    volumeMounts: [{name: data, mountPath: /data}]
  volumes:
  - name: data
    persistentVolumeClaim: {claimName: data}
END`;

const KEYS = [
  ["/", "Search"],
  ["j  k", "Next, previous object"],
  ["enter", "Open the object"],
  ["arrows", "Move in the graph"],
  ["e  h  y", "Explain, history, YAML"],
  ["d  g", "Describe, container log"],
  ["[  ]", "Step back, step forward"],
  ["space", "Play, pause"],
  ["l", "Back to live"],
  ["1 … 4", "Graph, table, events, compare"],
  ["p", "Only problems"],
  ["t", "Light or dark"],
  ["esc", "Close"],
  ["?", "This help"],
];

export class Shell extends Component {
  componentDidMount() {
    this.listener = (event) => this.onKey(event);
    document.addEventListener("keydown", this.listener);
    const stop = (event) => event.preventDefault();
    document.addEventListener("dragover", (event) => {
      stop(event);
      document.body.classList.add("dropping");
    });
    document.addEventListener(
      "dragleave",
      (event) => event.relatedTarget || document.body.classList.remove("dropping"),
    );
    document.addEventListener("drop", (event) => {
      stop(event);
      document.body.classList.remove("dropping");
      const [file] = event.dataTransfer?.files || [];
      if (file) {
        this.props.app.openBundle(file);
      }
    });
    addEventListener("hashchange", () => this.props.app.readHash());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.props.app.applyTheme();
      this.props.app.changed();
    });
    this.ticker = setInterval(() => this.tick(), 500);
  }

  /** Redraws what depends on the time: countdowns and ages. */
  tick() {
    const { app } = this.props;
    if (app.phase !== "ready" || document.hidden) {
      return;
    }
    const second = Math.floor(Date.now() / 1000);
    const counts =
      app.connection === "disconnected" ||
      (app.live && [...app.model.byKey.values()].some((each) => each.facts.retryAt > app.now() - 2000));
    if (counts || (app.live && second % 10 === 0)) {
      app.changed();
    }
  }

  onKey(event) {
    const { app } = this.props;
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || app.phase !== "ready" || app.dialog) {
      return;
    }
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && !["checkbox", "radio"].includes(target.type);
    if (event.key === "Escape") {
      if (typing) {
        target.blur();
      } else if (app.selected) {
        app.select("");
      }
      return;
    }
    if (typing) {
      return;
    }
    const onButton = target.tagName === "BUTTON" || target.tagName === "A";
    const open = (tab) => app.selected && app.showTab(tab);
    const actions = {
      "/": () => document.getElementById("search").focus(),
      j: () => this.view?.move?.(app, 1),
      k: () => this.view?.move?.(app, -1),
      e: () => open("explain"),
      h: () => open("history"),
      y: () => open("yaml"),
      d: () => open("describe"),
      g: () => open("log"),
      "[": () => app.step(-1),
      "]": () => app.step(1),
      l: () => app.bundle || app.goLive(),
      p: () => app.filter({ problems: !app.filters.problems }),
      t: () => app.toggleTheme(),
      1: () => app.show("graph"),
      2: () => app.show("table"),
      3: () => app.show("events"),
      4: () => app.show("compare"),
      "?": () => app.set({ dialog: "help" }),
    };
    if (event.key === " " && !onButton) {
      event.preventDefault();
      app.play();
    } else if (event.key === "Enter" && !onButton && app.selected) {
      event.preventDefault();
      document.getElementById("panel-body")?.focus();
    } else if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]();
    }
  }

  render({ app }) {
    if (app.phase !== "ready") {
      return h("main", { class: "outside" }, h(Outside, { app }), h(Toast, { app }), h(DropHint));
    }
    return h(
      "div",
      { class: "shell" },
      h(Header, { app }),
      h(Banner, { app }),
      h(
        "div",
        { class: app.selected ? "middle with-panel" : "middle" },
        h(Main, {
          app,
          viewRef: (view) => {
            this.view = view;
          },
        }),
        app.selected ? h(Panel, { app }) : null,
      ),
      h(TimelineView, { app }),
      app.dialog === "help" ? h(Help, { app }) : null,
      h(Toast, { app }),
      h(DropHint),
    );
  }
}

function Header({ app }) {
  const { filters, model } = app;
  const select = (field, label, all, values) =>
    h(
      "label",
      { class: "field" },
      h("span", { class: "unseen" }, label),
      h(
        "select",
        {
          value: filters[field],
          class: filters[field] ? "active" : "",
          onChange: (event) => app.filter({ [field]: event.currentTarget.value }),
        },
        h("option", { value: "" }, all),
        withCurrent(values, filters[field]).map((each) => h("option", { key: each, value: each }, each)),
      ),
    );
  return h(
    "header",
    { class: "header" },
    h("h1", null, "Mooring"),
    h(
      "span",
      { class: "host", title: app.bundle ? app.bundle.fileName : `version ${app.config.version}` },
      app.bundle ? app.bundle.fileName || "bundle" : app.config.host,
    ),
    h(
      "div",
      { class: "search", role: "search" },
      h("input", {
        id: "search",
        type: "search",
        placeholder: "Search  /",
        "aria-label": "Search",
        value: filters.text,
        spellcheck: false,
        onInput: (event) => app.filter({ text: event.currentTarget.value }),
      }),
    ),
    select("namespace", "Namespace", "all namespaces", model.namespaces),
    select("node", "Node", "all nodes", model.nodeNames),
    select("className", "Class", "all classes", model.classes),
    h(
      "label",
      { class: "check" },
      h("input", {
        type: "checkbox",
        checked: filters.problems,
        onChange: (event) => app.filter({ problems: event.currentTarget.checked }),
      }),
      "Only problems",
      h(
        "span",
        {
          class: model.problems ? "badge bad" : "badge",
          title: plural(model.problems, "object with a problem", "objects with problems"),
        },
        count(model.problems),
      ),
    ),
    h("span", { class: "grow" }),
    h(Connection, { app }),
    h(IconButton, { glyph: "help", label: "Keyboard shortcuts ( ? )", onClick: () => app.set({ dialog: "help" }) }),
    h(IconButton, {
      glyph: app.isDark() ? "sun" : "moon",
      label: app.isDark() ? "Light theme" : "Dark theme",
      onClick: () => app.toggleTheme(),
    }),
    app.bundle
      ? h("button", { type: "button", class: "button", onClick: () => app.closeBundle() }, "Close bundle")
      : h("button", { type: "button", class: "button", onClick: () => app.signOut() }, "Sign out"),
  );
}

/** Keeps a chosen value in the list even if no object has it at the shown revision. */
function withCurrent(values, current) {
  return current && !values.includes(current) ? [...values, current] : values;
}

function Connection({ app }) {
  if (app.bundle) {
    return h("span", { class: "connection" }, "offline bundle");
  }
  if (app.connection === "disconnected") {
    return h(
      "span",
      { class: "connection bad" },
      h("span", { class: "live-dot", "aria-hidden": "true" }),
      `disconnected · retry in ${duration(Math.max(0, app.reconnectAt - Date.now()))}`,
      h("button", { type: "button", class: "link", onClick: () => app.reconnect?.() }, "Retry now"),
    );
  }
  const word = app.connection === "connected" ? "live" : "connecting";
  return h(
    "span",
    { class: `connection ${app.live ? "on" : ""}` },
    h("span", { class: "live-dot", "aria-hidden": "true" }),
    word,
    h("span", { class: "number" }, ` rev ${count(app.lastRevision)}`),
  );
}

/** Says which revision is shown; announced to screen readers. */
function Banner({ app }) {
  const { revision } = app.store;
  const time = app.timeOf(revision);
  const today = day(time) === day(Date.now());
  let content = null;
  if (!app.live) {
    const loading = app.wanted ? ` · loading revision ${count(app.wanted)}…` : "";
    content = [
      h(
        "span",
        { key: "text" },
        `Revision ${count(revision)} of ${count(app.lastRevision)} · ${today ? "" : `${day(time)} `}${clock(time)} · read only${loading}`,
      ),
      app.bundle
        ? null
        : h("button", { type: "button", key: "live", class: "button", onClick: () => app.goLive() }, "Back to live"),
      h(
        "button",
        {
          type: "button",
          key: "compare",
          class: "link",
          onClick: () => app.compareMoments(String(revision), String(app.lastRevision)),
        },
        app.bundle ? "Compare with the end" : "Compare with now",
      ),
      app.bundle
        ? null
        : h(
            "button",
            { type: "button", key: "copy", class: "link", onClick: () => app.copy(location.href) },
            "Copy link",
          ),
    ];
  }
  return h(
    "div",
    { class: content ? "banner" : "banner empty", role: "status", "aria-label": "Shown revision" },
    content,
  );
}

function Main({ app, viewRef }) {
  const views = [
    ["graph", "Graph"],
    ["table", "Table"],
    ["events", "Events"],
    ["compare", "Compare"],
  ];
  if (app.bundle) {
    views.push(["files", "Files"]);
  }
  if (app.mayInjectFaults) {
    views.push(["chaos", "Chaos"]);
  }
  const view = views.some(([id]) => id === app.view) ? app.view : "graph";
  const empty = app.model.byKey.size === 0 || [...app.model.chains.values()].every((each) => each.storageClass);
  return h(
    "main",
    { class: "main" },
    h(
      "div",
      { class: "tabs", role: "tablist", "aria-label": "View", onKeyDown: tabKeys },
      views.map(([id, label]) =>
        h(
          "button",
          {
            type: "button",
            key: id,
            role: "tab",
            id: `view-${id}`,
            "aria-selected": String(id === view),
            "aria-controls": "view-body",
            tabIndex: id === view ? 0 : -1,
            onClick: () => app.show(id),
          },
          label,
        ),
      ),
      h(Legend, { view }),
    ),
    h(
      "div",
      { class: "view-body", id: "view-body", role: "tabpanel", "aria-labelledby": `view-${view}` },
      h("h2", { class: "unseen" }, views.find(([id]) => id === view)[1]),
      content(app, view, empty, viewRef),
    ),
  );
}

function content(app, view, empty, viewRef) {
  switch (view) {
    case "table":
      return h(Table, { app, ref: viewRef });
    case "events":
      return h(Events, { app, ref: viewRef });
    case "compare":
      return h(Compare, { app, ref: viewRef });
    case "files":
      return h(Files, { app });
    case "chaos":
      return h(Chaos, { app, ref: viewRef });
    default:
      if (empty && app.live) {
        return h(Notice, {
          app,
          title: "No claims, volumes or Pods yet",
          text: "Create a claim and a Pod that uses it; both appear here at once.",
          command: QUICK_START,
        });
      }
      if (empty) {
        return h(Notice, {
          app,
          title: "Nothing existed yet",
          text: `At revision ${count(app.store.revision)} there was no claim, volume or Pod. Step forward with ].`,
        });
      }
      return [h(Graph, { app, ref: viewRef, key: "graph" }), h(NoMatch, { app, key: "none" })];
  }
}

/** Shown over the graph if the filters leave nothing. */
function NoMatch({ app }) {
  const { namespace, node, className, problems, text } = app.filters;
  const active = namespace || node || className || problems || text;
  if (!active || document.querySelector(".graph .node, .graph .section")) {
    return null;
  }
  const alone = problems && !(namespace || node || className || text);
  return h(
    Notice,
    {
      app,
      title: alone ? "No problems" : "Nothing matches",
      text: alone ? "Every object is in its desired state." : "No object passes the filters.",
    },
    h(
      "button",
      {
        type: "button",
        class: "button",
        onClick: () => app.filter(NO_FILTERS),
      },
      "Clear filters",
    ),
  );
}

function Legend({ view }) {
  if (view !== "graph") {
    return null;
  }
  const line = (name, word) =>
    h(
      "span",
      { class: `legend-item ${name}` },
      h("span", { class: `swatch line-${name}`, "aria-hidden": "true" }),
      word,
    );
  return h(
    "span",
    { class: "legend" },
    line("solid", "actual"),
    line("dashed", "desired, not actual"),
    line("striped", "uncertain"),
  );
}

// --- dialogs and messages

class Help extends Component {
  componentDidMount() {
    this.before = document.activeElement;
    this.dialog.showModal();
  }

  componentWillUnmount() {
    this.before?.focus?.();
  }

  render({ app }) {
    return h(
      "dialog",
      {
        class: "dialog",
        "aria-labelledby": "help-title",
        ref: (dialog) => {
          this.dialog = dialog;
        },
        onClose: () => app.set({ dialog: "" }),
        onClick: (event) => event.target === this.dialog && this.dialog.close(),
      },
      h(
        "div",
        { class: "dialog-head" },
        h("h2", { id: "help-title" }, "Keyboard shortcuts"),
        h(IconButton, { glyph: "close", label: "Close", onClick: () => this.dialog.close() }),
      ),
      h(
        "dl",
        { class: "keys" },
        KEYS.map(([keys, text]) =>
          h(
            "div",
            { key: keys },
            h(
              "dt",
              null,
              keys.split("  ").map((each) => h("kbd", { key: each }, each)),
            ),
            h("dd", null, text),
          ),
        ),
      ),
      h(
        "p",
        { class: "muted" },
        "Drop a file of “mooring debug bundle” on the page to look at another machine's history. The page changes nothing.",
      ),
    );
  }
}

function Toast({ app }) {
  return h("div", { class: app.notice ? "toast" : "toast empty", role: "status", "aria-label": "Message" }, app.notice);
}

function DropHint() {
  return h("div", { class: "drop-hint", "aria-hidden": "true" }, "Drop the bundle to open it");
}

// --- states without data

function Outside({ app }) {
  const { phase, error } = app;
  if (phase === "signin") {
    return h(SignIn, { app });
  }
  if (phase === "denied") {
    return h(
      Notice,
      {
        app,
        title: "Not allowed",
        text: `${error.message}. The role view suffices for this page; an admin creates such a token with:`,
        command: "mooring token create NAME --role view",
      },
      h("button", { type: "button", class: "button", onClick: () => app.signOut() }, "Sign in with another token"),
    );
  }
  if (phase === "error") {
    return h(
      Notice,
      {
        app,
        title: "The server does not answer",
        text: `${error?.message || "Unknown error"}. Check that it runs, then try again:`,
        command: `curl -k ${location.origin}/readyz?verbose`,
        tone: "bad",
      },
      h("button", { type: "button", class: "button", onClick: () => location.reload() }, "Try again"),
    );
  }
  return h("div", { class: "notice" }, h("h1", { class: "brand" }, "Mooring"), h("p", { role: "status" }, "Loading…"));
}

function signInError(error) {
  return error.message === "Unauthorized" ? "The token is not valid, or it has expired." : error.message;
}

class SignIn extends Component {
  render({ app }) {
    const submit = (event) => {
      event.preventDefault();
      const text = this.input.value;
      if (text.trim()) {
        app.signIn(text);
      }
    };
    return h(
      "div",
      { class: "notice sign-in" },
      h("h1", { class: "brand" }, "Mooring"),
      h(
        "p",
        null,
        app.config.host ? `Sign in to ${app.config.host}.` : "Sign in.",
        " The page reads; it changes nothing.",
      ),
      h(
        "form",
        { onSubmit: submit },
        h("label", { for: "token" }, "Token, or link with a one-time code"),
        h("input", {
          id: "token",
          type: "password",
          autocomplete: "off",
          required: true,
          "aria-describedby": app.error ? "sign-in-error" : undefined,
          ref: (input) => {
            this.input = input;
          },
        }),
        app.error ? h("p", { class: "error", id: "sign-in-error", role: "alert" }, signInError(app.error)) : null,
        h("button", { type: "submit", class: "button primary" }, "Sign in"),
      ),
      h(
        "p",
        { class: "muted" },
        "The server prints a link with a one-time code when it starts. Later, an admin creates a link or a token:",
      ),
      h(Command, { app, text: "mooring token page" }),
      h(Command, { app, text: "mooring token create NAME --role view" }),
      h("p", { class: "muted" }, "Or drop a debug bundle here; that needs no server."),
      h(
        "label",
        { class: "button file" },
        "Open a bundle…",
        h("input", {
          type: "file",
          accept: ".zip",
          onChange: (event) => event.currentTarget.files[0] && app.openBundle(event.currentTarget.files[0]),
        }),
      ),
    );
  }
}
