/** A debug bundle (ZIP file) as a source of history: the page works on it as on a server, without requests. */
import { fields, summary } from "./diff.js";
import { keyOf, normalKey, parseKey } from "./names.js";
import { Segment, normalize } from "./store.js";
import { readZip } from "./zip.js";

const HIDDEN = new Set(["events", "leases"]);

/** Opens a bundle; fails with a sentence if the file is none. */
export async function openBundle(buffer, fileName = "") {
  const files = readZip(buffer);
  const text = async (name) => (files.has(name) ? files.get(name)() : "");
  const head = await text("bundle.json");
  if (!head) {
    throw new Error("This ZIP file has no bundle.json; create a bundle with: mooring debug bundle");
  }
  const about = JSON.parse(head);
  if (about.format !== 1) {
    throw new Error(`This page reads bundles of format 1, but the file has format ${about.format}`);
  }
  const base = new Map();
  for (const { key, object } of lines(await text("snapshot.jsonl"))) {
    base.set(normalKey(key), object);
  }
  const segment = new Segment(about.from.revision, about.to.revision, base);
  for (const line of lines(await text("events.jsonl"))) {
    segment.append(itemOf(line, segment.tip));
  }
  if (!about.from.revision && segment.events.length) {
    // Revision 0 has no time of its own.
    about.from.time = segment.events[0].time;
  }
  const explanations = new Map();
  for (const each of JSON.parse((await text("explain.json")) || "[]")) {
    explanations.set(keyOf(each.object.resource, each.object.namespace, each.object.name), each);
  }
  const extras = new Map();
  for (const name of files.keys()) {
    if (!/^(bundle\.json|snapshot\.jsonl|events\.jsonl|explain\.json)$/.test(name)) {
      extras.set(name, files.get(name));
    }
  }
  return { about, fileName, segment, explanations, extras };
}

function* lines(text) {
  for (const line of text.split("\n")) {
    if (line.trim()) {
      yield JSON.parse(line);
    }
  }
}

/** Converts an event of "mooring log cat -o json" to an item of the history API. */
export function itemOf(event, tip) {
  const changes = event.changes.map((change) => {
    const { resource, kind, namespace, name } = parseKey(change.key);
    const before = tip.get(normalKey(change.key));
    const removed = change.change === "removed";
    const type = removed ? "deleted" : change.prior ? "updated" : "created";
    const list = type === "updated" && before ? fields(before, change.object) : [];
    const uid = change.object?.metadata?.uid;
    const shown = { change: type, resource, kind: change.object?.kind || kind, namespace, name, uid };
    return { ...shown, fields: list, summary: summary(list), object: removed ? undefined : change.object };
  });
  const folded = changes.length > 0 && changes.every((each) => HIDDEN.has(each.resource));
  return normalize({ ...event, folded, changes });
}
