/** The files of a bundle besides its events: settings, metrics, mounts, containers. */
import { count, moment } from "../core/names.js";
import { Component, ErrorNote, Loader, h } from "./parts.js";

export class Files extends Component {
  render({ app }) {
    const { about, extras } = app.bundle;
    const names = [...extras.keys()].sort();
    const name = names.includes(this.state.name) ? this.state.name : names[0];
    return h(
      "div",
      { class: "files-view" },
      h(
        "p",
        { class: "muted" },
        `Written by Mooring ${about.version} on node ${about.node} at ${moment(Date.parse(about.created))}, `,
        `revisions ${count(about.from.revision)} to ${count(about.to.revision)}.`,
      ),
      h(
        "div",
        { class: "chips", role: "group", "aria-label": "File" },
        names.map((each) =>
          h(
            "button",
            {
              type: "button",
              key: each,
              class: "chip",
              "aria-pressed": String(each === name),
              onClick: () => this.setState({ name: each }),
            },
            each,
          ),
        ),
      ),
      name
        ? h(Loader, {
            id: name,
            load: () => extras.get(name)(),
            children: ({ value, error, stale }) =>
              error
                ? h(ErrorNote, { app, error })
                : h(
                    "pre",
                    { class: "code", tabIndex: 0, "aria-label": name },
                    stale ? "" : value || "The file is empty.",
                  ),
          })
        : null,
    );
  }
}
