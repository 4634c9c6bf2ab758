/** The chaos panel: kills verticles, fails mounts, hangs NFS servers. Only shown if the server allows it. */
import { count, duration } from "../core/names.js";
import { Component, ErrorNote, State, h } from "./parts.js";

const REFRESH = 2000;

export class Chaos extends Component {
  constructor() {
    super();
    this.state = { report: null, error: null, done: "" };
  }

  componentDidMount() {
    this.refresh();
    this.timer = setInterval(() => document.hidden || this.refresh(), REFRESH);
  }

  componentWillUnmount() {
    clearInterval(this.timer);
  }

  async refresh() {
    try {
      this.setState({ report: await this.props.app.source.chaos(), error: null });
    } catch (error) {
      this.setState({ error });
      if (error.status === 403 || error.status === 404) {
        clearInterval(this.timer);
      }
    }
  }

  async inject(action, body) {
    const { app } = this.props;
    try {
      const { message } = await app.source.injectFault(action, body);
      this.setState({ done: message });
      this.refresh();
    } catch (error) {
      this.setState({ done: error.message });
    }
  }

  submit(event, action, read) {
    event.preventDefault();
    this.inject(action, read(new FormData(event.currentTarget)));
  }

  render({ app }) {
    const { report, error, done } = this.state;
    if (error?.status === 403 || error?.status === 404) {
      return h(ErrorNote, { app, error });
    }
    if (!report) {
      return h("p", { class: "muted", role: "status" }, error ? error.message : "Loading…");
    }
    const servers = [...new Set([...app.store.world.values()].map((each) => each.spec?.nfs?.server).filter(Boolean))];
    return h(
      "div",
      { class: "chaos-view" },
      h(
        "p",
        { class: "muted" },
        "Inject a fault and watch the recovery in the graph and on the timeline. Every fault ends by itself after ten minutes at most.",
      ),
      h("p", { role: "status", class: "chaos-done" }, done),
      h(
        "div",
        { class: "chaos-forms" },
        h(
          "form",
          {
            onSubmit: (event) =>
              this.submit(event, "fail-next-mounts", (data) => ({
                count: Number(data.get("count")),
                ...(data.get("reason") ? { reason: data.get("reason") } : {}),
              })),
          },
          h("h3", null, "Fail mounts"),
          h(
            "label",
            { class: "field" },
            h("span", null, "Number"),
            h("input", { name: "count", type: "number", min: 1, max: 100, value: 3, required: true }),
          ),
          h(
            "label",
            { class: "field" },
            h("span", null, "Reason"),
            h("input", { name: "reason", type: "text", value: "server refuses connections" }),
          ),
          h("button", { type: "submit", class: "button" }, "Fail the next mounts"),
        ),
        h(
          "form",
          {
            onSubmit: (event) =>
              this.submit(event, "hang-server", (data) => ({
                server: data.get("server"),
                forSeconds: Number(data.get("seconds")),
              })),
          },
          h("h3", null, "Hang an NFS server"),
          h(
            "label",
            { class: "field" },
            h("span", null, "Server"),
            h("input", { name: "server", type: "text", list: "servers", required: true, value: servers[0] || "" }),
            h(
              "datalist",
              { id: "servers" },
              servers.map((each) => h("option", { key: each, value: each })),
            ),
          ),
          h(
            "label",
            { class: "field" },
            h("span", null, "Seconds"),
            h("input", { name: "seconds", type: "number", min: 1, max: 600, value: 60, required: true }),
          ),
          h("button", { type: "submit", class: "button" }, "Hang the server"),
        ),
        h(
          "section",
          null,
          h("h3", null, "Active faults"),
          report.faults?.length
            ? h(
                "ul",
                null,
                report.faults.map((each, index) =>
                  h(
                    "li",
                    { key: index },
                    `${each.fault}${each.left ? `, ${each.left} left` : ""}${each.server ? ` ${each.server}` : ""}${each.reason ? `: ${each.reason}` : ""}${each.until ? `, ends in ${duration(Date.parse(each.until) - app.now())}` : ""}`,
                  ),
                ),
              )
            : h("p", { class: "muted" }, "None."),
          h(
            "button",
            {
              type: "button",
              class: "button",
              disabled: !report.faults?.length,
              onClick: () => this.inject("stop", {}),
            },
            "End all faults",
          ),
        ),
      ),
      h("h3", null, "Verticles"),
      h(
        "ul",
        { class: "verticles" },
        (report.verticles || []).map((each) =>
          h(
            "li",
            { key: each.name },
            h("span", { class: "name" }, each.name),
            h(State, { facts: { word: each.state, tone: each.state === "up" ? "ok" : "wait" }, now: 0 }),
            h(
              "span",
              { class: "muted", title: each.lastCause || "" },
              each.restarts ? `${count(each.restarts)} restarts` : "",
            ),
            h(
              "button",
              {
                type: "button",
                class: "button",
                "aria-label": `Kill ${each.name}`,
                onClick: () => this.inject("kill", { verticle: each.name }),
              },
              "Kill",
            ),
          ),
        ),
      ),
    );
  }
}
