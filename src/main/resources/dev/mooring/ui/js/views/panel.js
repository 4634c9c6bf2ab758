/** The object panel: explanation, history, YAML, description and container logs of the selected object. */
import { factsOf } from "../core/facts.js";
import { relatedKeys } from "../core/model.js";
import { count, duration, keyOf, moment, ordinal, parseKey, plural, shorten } from "../core/names.js";
import { toYaml } from "../core/yaml.js";
import { lines } from "../source.js";
import { ObjectHistory } from "./events.js";
import {
  Command,
  Component,
  CopyButton,
  ErrorNote,
  IconButton,
  Loader,
  Notice,
  ObjectLink,
  RevisionLink,
  State,
  Time,
  ToneIcon,
  h,
  tabKeys,
} from "./parts.js";

const LABELS = { explain: "Explain", history: "History", yaml: "YAML", describe: "Describe", log: "Log" };
const SEVERITIES = { ok: "ok", info: "info", waiting: "wait", failed: "bad" };
const MAX_LOG = 5000;

/** Lines of details of an explanation that are shown at once. */
const SHOWN_DETAILS = 4;

export function Panel({ app }) {
  const key = app.selected;
  const { kind, short, namespace, name } = parseKey(key);
  const object = app.object(key);
  const tabs = Object.keys(LABELS).filter((each) => each !== "log" || kind === "Pod");
  const tab = tabs.includes(app.tab) ? app.tab : "explain";
  const node = app.model.byKey.get(key) || [...app.model.byKey.values()].find((each) => each.target === key);
  const facts = node?.facts || (object ? factsOf(object) : null);
  return h(
    "aside",
    { class: "panel", "aria-label": "Object" },
    h(
      "header",
      { class: "panel-head" },
      h("div", { class: "panel-kind" }, kind, namespace ? ` in ${namespace}` : ""),
      h("h2", { title: `${short}/${name}` }, shorten(name, 44)),
      h(CopyButton, { app, text: name, label: "Copy name" }),
      h(IconButton, { glyph: "close", label: "Close panel", onClick: () => app.select("") }),
      h(
        "p",
        { class: "panel-state" },
        object && facts
          ? [facts.word ? h(State, { facts, now: app.shownTime() }) : null, h(Gist, { app, node, object })]
          : h("span", { class: "muted" }, `Does not exist at revision ${app.store.revision}`),
      ),
    ),
    h(
      "div",
      { class: "tabs", role: "tablist", "aria-label": "Object", onKeyDown: tabKeys },
      tabs.map((each) =>
        h(
          "button",
          {
            type: "button",
            key: each,
            role: "tab",
            id: `tab-${each}`,
            "aria-selected": String(each === tab),
            "aria-controls": "panel-body",
            tabIndex: each === tab ? 0 : -1,
            onClick: () => app.showTab(each),
          },
          LABELS[each],
        ),
      ),
    ),
    h(
      "div",
      {
        class: `panel-body panel-${tab}`,
        id: "panel-body",
        role: "tabpanel",
        "aria-labelledby": `tab-${tab}`,
        tabIndex: 0,
        key: `${key} ${tab}`,
      },
      body(app, tab, key, object),
    ),
  );
}

/** The most important facts next to the state. */
function Gist({ app, node, object }) {
  const parts = [];
  const { spec = {} } = object;
  if (object.kind === "PersistentVolumeClaim" && spec.volumeName) {
    parts.push(
      h(
        "span",
        { key: "pv" },
        "to ",
        h(ObjectLink, { app, objectKey: keyOf("persistentvolumes", "", spec.volumeName), max: 18 }),
      ),
    );
  }
  if (object.kind === "PersistentVolume" && spec.claimRef) {
    parts.push(
      h(ObjectLink, {
        key: "pvc",
        app,
        objectKey: keyOf("persistentvolumeclaims", spec.claimRef.namespace, spec.claimRef.name),
        max: 24,
      }),
    );
  }
  if (node?.size) {
    parts.push(node.size);
  }
  if (spec.nodeName || spec.node) {
    parts.push(`on ${spec.nodeName || spec.node}`);
  }
  return parts.map((each, index) => [h("span", { key: `dot ${index}`, class: "dot" }, " · "), each]);
}

function body(app, tab, key, object) {
  if (tab === "explain") {
    return h(Explain, { app, objectKey: key, object });
  }
  if (tab === "history") {
    return h(ObjectHistory, { app, objectKey: key });
  }
  if (!object) {
    return h(Notice, {
      app,
      title: "Not at this revision",
      text: "The object does not exist in the shown World. Its history tells when it did.",
    });
  }
  if (tab === "yaml") {
    return h(Yaml, { app, object });
  }
  return tab === "log"
    ? h(Log, { app, pod: object, key: object.metadata.uid })
    : h(Describe, { app, object, objectKey: key });
}

// --- explain

function Explain({ app, objectKey, object }) {
  const ref = parseKey(objectKey);
  const revision = app.store.revision;
  // While live, the explanation changes only with related objects; a past one belongs to its revision.
  const version = relatedKeys(app.model, objectKey)
    .map((each) => app.object(each)?.metadata?.resourceVersion)
    .join(".");
  if (!object) {
    return h(Notice, {
      app,
      title: "Not at this revision",
      text: "The object does not exist in the shown World. Its history tells when it did.",
    });
  }
  return h(Loader, {
    id: `${objectKey} ${app.live ? `live ${version}` : revision}`,
    scope: objectKey,
    delay: 200,
    load: (signal) => app.explain(ref, revision, signal),
    children: ({ value, error, stale }) => {
      if (error) {
        return error.reason === "NotInBundle"
          ? h(Notice, { app, title: "No explanation", text: error.message })
          : h(ErrorNote, { app, error });
      }
      if (!value) {
        return h("p", { class: "muted", role: "status" }, "Loading…");
      }
      return h(Explanation, { app, value, stale });
    },
  });
}

function Explanation({ app, value, stale }) {
  const { root, summary } = value;
  // The summary usually joins the sentences of the root and of a cause; the tree then shows each in its place.
  const begins = root && summary?.startsWith(root.text.replace(/\.$/, ""));
  const whole = begins && hasCause(root, summary);
  return h(
    "div",
    { class: stale ? "explanation stale" : "explanation" },
    begins ? null : h("p", { class: "explain-summary" }, summary),
    root
      ? [
          h("h3", { key: "why" }, "Why"),
          h(
            "ul",
            { class: "tree", key: "tree", "aria-label": "Why" },
            h(Reason, { app, node: begins && !whole ? { ...root, text: summary } : root, root: true }),
          ),
        ]
      : null,
    value.next?.length
      ? [
          h("h3", { key: "next" }, "What to do next"),
          h(
            "ol",
            { class: "next", key: "steps" },
            value.next.map((each, index) =>
              h(
                "li",
                { key: index },
                h("p", null, each.text),
                each.command ? h(Command, { app, text: each.command }) : null,
              ),
            ),
          ),
        ]
      : null,
    h(
      "p",
      { class: "muted explain-at" },
      `Explained at revision ${count(value.revision)}, ${moment(Date.parse(value.time), app.now())}`,
    ),
  );
}

/** Returns whether the text of a line below the node is the end of the summary. */
function hasCause(node, summary) {
  const end = (text) => text.replace(/\.$/, "").toLowerCase();
  return (node.because || []).some((each) => end(summary).endsWith(end(each.text)) || hasCause(each, summary));
}

/** A line of the tree with the lines below it; long lists of details are cut until asked for. */
class Reason extends Component {
  render({ app, node, root }) {
    const because = node.because || [];
    const details = because.length > SHOWN_DETAILS && because.every((each) => each.severity === "info");
    const shown = details && !this.state.all ? because.slice(0, SHOWN_DETAILS) : because;
    const tone = SEVERITIES[node.severity] || "idle";
    return h(
      "li",
      { class: `reason${root ? " root" : ""} tone-${tone}` },
      h(
        "div",
        { class: "reason-line" },
        h(ToneIcon, { tone }),
        h("div", null, h("span", { class: "reason-text" }, node.text), h(ReasonMeta, { app, node })),
      ),
      shown.length
        ? h(
            "ul",
            null,
            shown.map((each, index) => h(Reason, { app, node: each, key: index })),
            shown.length < because.length
              ? h(
                  "li",
                  { class: "reason", key: "more" },
                  h(
                    "button",
                    { type: "button", class: "link", onClick: () => this.setState({ all: true }) },
                    `Show ${count(because.length - shown.length)} more`,
                  ),
                )
              : null,
          )
        : null,
    );
  }
}

function ReasonMeta({ app, node }) {
  const now = app.shownTime();
  const retryAt = node.retryAt ? Date.parse(node.retryAt) : 0;
  const { object } = node;
  return h(
    "span",
    { class: "reason-meta" },
    node.reason ? h("span", { class: "tag" }, node.reason) : null,
    node.attempt ? h("span", { class: "tag" }, `${ordinal(node.attempt)} attempt`) : null,
    retryAt > now ? h("span", { class: "tag" }, `next in ${duration(retryAt - now)}`) : null,
    object ? h(ObjectLink, { app, objectKey: keyOf(object.resource, object.namespace, object.name), max: 24 }) : null,
    node.revision ? h(RevisionLink, { app, revision: node.revision, label: `rev ${count(node.revision)}` }) : null,
  );
}

// --- YAML

function Yaml({ app, object }) {
  const text = toYaml(object);
  return [
    h(
      "div",
      { class: "toolbar", key: "bar" },
      h("button", { type: "button", class: "button", onClick: () => app.copy(text) }, "Copy YAML"),
      h("span", { class: "muted" }, `resourceVersion ${object.metadata?.resourceVersion ?? "–"}`),
    ),
    h(
      "pre",
      { class: "code", key: "text", tabIndex: 0, "aria-label": "YAML" },
      text.split("\n").map((line, index) => yamlLine(line, index)),
    ),
  ];
}

function yamlLine(line, index) {
  const match = /^(\s*(?:- )?)("[^"]+"|[^\s":][^":]*)(:)(.*)$/.exec(line);
  return match
    ? [match[1], h("span", { class: "yaml-key", key: index }, match[2]), match[3], match[4], "\n"]
    : `${line}\n`;
}

// --- describe

function Describe({ app, object, objectKey }) {
  const { metadata: meta, spec = {}, status = {} } = object;
  const related = relatedKeys(app.model, objectKey).filter((each) => each !== objectKey && app.object(each));
  const rows = [
    ["Created", h(Time, { app, at: Date.parse(meta.creationTimestamp) })],
    meta.deletionTimestamp && ["Deletion requested", h(Time, { app, at: Date.parse(meta.deletionTimestamp) })],
    meta.finalizers?.length && ["Finalizers", meta.finalizers.join(", ")],
    object.provisioner && ["Provisioner", object.provisioner],
    object.volumeBindingMode && ["Binding mode", object.volumeBindingMode],
    (object.reclaimPolicy || spec.persistentVolumeReclaimPolicy) && [
      "Reclaim policy",
      object.reclaimPolicy || spec.persistentVolumeReclaimPolicy,
    ],
    spec.storageClassName && [
      "Class",
      h(ObjectLink, { app, objectKey: keyOf("storageclasses", "", spec.storageClassName) }),
    ],
    spec.accessModes && ["Access modes", spec.accessModes.join(", ")],
    spec.resources?.requests?.storage && ["Requested", spec.resources.requests.storage],
    (status.capacity?.storage || spec.capacity?.storage) && [
      "Capacity",
      status.capacity?.storage || spec.capacity.storage,
    ],
    spec.nodeName && ["Node", h(ObjectLink, { app, objectKey: keyOf("nodes", "", spec.nodeName) })],
    spec.node && ["Node", h(ObjectLink, { app, objectKey: keyOf("nodes", "", spec.node) })],
    spec.plugin && ["Plugin", spec.plugin],
    ...source(object),
    status.lastError && ["Last error", `${status.lastError.reason}: ${status.lastError.message}`],
    ...(status.mounts || []).map((each) => [
      `Mount for ${each.pod?.name}`,
      `${each.state}${each.lastError ? `: ${each.lastError.message}` : ""} at ${each.path}`,
    ]),
    ...(spec.containers || []).map((each) => [`Container ${each.name}`, containerText(each, status)]),
    meta.labels && [
      "Labels",
      Object.entries(meta.labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(", "),
    ],
    ["UID", meta.uid || "–"],
  ].filter(Boolean);
  return [
    h(
      "dl",
      { class: "facts", key: "facts" },
      rows.map(([name, value], index) => h("div", { key: index }, h("dt", null, name), h("dd", null, value))),
    ),
    status.conditions?.length
      ? [
          h("h3", { key: "conditions" }, "Conditions"),
          h(
            "ul",
            { class: "conditions", key: "list" },
            status.conditions.map((each) =>
              h(
                "li",
                { key: each.type },
                h("b", null, each.type),
                ` ${each.status}`,
                each.reason ? ` · ${each.reason}` : "",
                each.message ? h("div", { class: "muted" }, each.message) : null,
              ),
            ),
          ),
        ]
      : null,
    related.length
      ? [
          h("h3", { key: "related" }, "Related"),
          h(
            "ul",
            { class: "related", key: "links" },
            related.map((each) =>
              h(
                "li",
                { key: each },
                h(ObjectLink, { app, objectKey: each, max: 40 }),
                " ",
                h("span", { class: "muted" }, factsOf(app.object(each)).word),
              ),
            ),
          ),
        ]
      : null,
    h("h3", { key: "events" }, "Events"),
    h(KubeEvents, { app, object, key: "kube" }),
  ];
}

function source(object) {
  const { spec = {} } = object;
  const place = object.kind === "PersistentVolume" ? spec : spec.source || {};
  const name = ["hostPath", "nfs", "local", "csi", "iscsi", "emptyDir"].find((each) => place[each]);
  if (!name) {
    return [];
  }
  const { server, path, volumeHandle, driver } = place[name];
  return [
    ["Source", [name, server && `${server}:${path}`, !server && path, driver, volumeHandle].filter(Boolean).join(" ")],
  ];
}

function containerText(container, status) {
  const state = (status.containerStatuses || []).find((each) => each.name === container.name)?.state || {};
  const [word] = Object.keys(state);
  const more = word ? state[word].reason || "" : "";
  return `${container.image}${word ? ` · ${word}${more ? ` (${more})` : ""}` : ""}`;
}

function KubeEvents({ app, object }) {
  if (app.bundle) {
    const { uid } = object.metadata;
    const events = app.store.live.events
      .filter((event) => event.revision <= app.store.revision)
      .flatMap((event) => event.changes)
      .filter((change) => change.resource === "events" && change.object?.involvedObject?.uid === uid)
      .map((change) => change.object);
    return h(KubeEventList, { app, list: [...new Map(events.map((each) => [each.metadata.name, each])).values()] });
  }
  const revision = app.store.revision;
  return h(Loader, {
    id: `${object.metadata.uid} ${app.live ? Math.floor(app.now() / 5000) : revision}`,
    scope: object.metadata.uid,
    delay: 250,
    load: (signal) => app.source.kubeEvents(object, app.live ? undefined : revision, signal),
    children: ({ value, error }) => {
      if (error) {
        return h("p", { class: "muted" }, error.message);
      }
      return value
        ? h(KubeEventList, { app, list: value.items || [] })
        : h("p", { class: "muted", role: "status" }, "Loading…");
    },
  });
}

function KubeEventList({ app, list }) {
  if (!list.length) {
    return h("p", { class: "muted" }, "None recorded.");
  }
  const at = (each) =>
    Date.parse(each.lastTimestamp || each.eventTime || each.firstTimestamp || each.metadata?.creationTimestamp);
  return h(
    "ul",
    { class: "kube-events" },
    [...list]
      .sort((a, b) => at(b) - at(a))
      .map((each, index) =>
        h(
          "li",
          { key: each.metadata?.name || index },
          h(ToneIcon, { tone: each.type === "Warning" ? "bad" : "info" }),
          h(
            "div",
            null,
            h("b", null, each.reason),
            ` ${each.message} `,
            h(
              "span",
              { class: "muted" },
              h(Time, { app, at: at(each) }),
              each.count > 1 ? ` · ${plural(each.count, "time")}` : "",
            ),
          ),
        ),
      ),
  );
}

// --- log

class Log extends Component {
  constructor() {
    super();
    this.state = { text: [], error: null, container: "", previous: false, ended: false };
  }

  componentDidMount() {
    this.open();
  }

  componentWillUnmount() {
    this.abort?.abort();
    clearTimeout(this.timer);
  }

  async open() {
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    const { app, pod } = this.props;
    if (app.bundle) {
      return;
    }
    const container = this.state.container || pod.spec.containers[0].name;
    const { previous } = this.state;
    this.text = [];
    this.setState({ text: [], error: null, ended: false });
    try {
      const response = await app.source.log(
        pod,
        { container, previous: previous || undefined, follow: !previous, tailLines: 500, timestamps: true },
        abort.signal,
      );
      for await (const line of lines(response.body)) {
        this.text.push(line);
        if (this.text.length > MAX_LOG) {
          this.text.splice(0, this.text.length - MAX_LOG);
        }
        this.timer ||= setTimeout(() => {
          this.timer = 0;
          this.setState({ text: this.text.slice() });
        }, 50);
      }
      this.setState({ text: this.text.slice(), ended: true });
    } catch (error) {
      if (!abort.signal.aborted) {
        this.setState({ error });
      }
    }
  }

  componentDidUpdate(props, state) {
    if (state.text !== this.state.text && this.box && this.atEnd !== false) {
      this.box.scrollTop = this.box.scrollHeight;
    }
  }

  choose(values) {
    this.setState(values, () => this.open());
  }

  render({ app, pod }) {
    const { text, error, container, previous, ended } = this.state;
    const names = [...(pod.spec.initContainers || []), ...pod.spec.containers].map((each) => each.name);
    if (app.bundle) {
      return h(Notice, { app, title: "No logs", text: "A bundle has no container logs." });
    }
    return h(
      "div",
      { class: "log" },
      h(
        "div",
        { class: "toolbar" },
        h(
          "label",
          { class: "field" },
          h("span", null, "Container"),
          h(
            "select",
            {
              value: container || names[0],
              onChange: (event) => this.choose({ container: event.currentTarget.value }),
            },
            names.map((each) => h("option", { key: each, value: each }, each)),
          ),
        ),
        h(
          "label",
          { class: "check" },
          h("input", {
            type: "checkbox",
            checked: previous,
            onChange: (event) => this.choose({ previous: event.currentTarget.checked }),
          }),
          "previous run",
        ),
        h(
          "span",
          { class: "muted" },
          app.live ? (ended ? "ended" : error ? "" : "following") : "logs are always the newest ones",
        ),
      ),
      error
        ? h(ErrorNote, { app, error })
        : h(
            "pre",
            {
              class: "code",
              tabIndex: 0,
              role: "log",
              "aria-label": "Container log",
              ref: (box) => {
                this.box = box;
              },
              onScroll: (event) => {
                const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
                this.atEnd = scrollHeight - scrollTop - clientHeight < 8;
              },
            },
            text.length ? text.map((line, index) => logLine(line, index)) : "No output yet.",
          ),
    );
  }
}

function logLine(line, index) {
  const match = /^(\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)\S*) (.*)$/.exec(line);
  return match
    ? [h("span", { class: "log-time", key: index, title: match[1] }, match[2]), ` ${match[3]}\n`]
    : `${line}\n`;
}
