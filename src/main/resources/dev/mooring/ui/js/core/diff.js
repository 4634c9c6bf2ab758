/** Differences of objects and of Worlds, for bundles and loaded history. Pure. */
import { parseKey } from "./names.js";

const IGNORED = /^metadata\.(resourceVersion|managedFields|generation)\b/;
const MAX_FIELDS = 64;

/** Returns the changed fields as [{path, from, to}]; absent values are left out. */
export function fields(before, after) {
  const found = [];
  walk("", before, after, found);
  return found;
}

function walk(path, before, after, found) {
  if (before === after || found.length >= MAX_FIELDS || IGNORED.test(path)) {
    return;
  }
  if (isPlain(before) && isPlain(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      walk(path ? `${path}.${name}` : name, before[name], after[name], found);
    }
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const name = (each, index) => each?.type ?? each?.name ?? index;
    const was = new Map(before.map((each, index) => [name(each, index), each]));
    const is = new Map(after.map((each, index) => [name(each, index), each]));
    for (const each of new Set([...was.keys(), ...is.keys()])) {
      walk(`${path}[${each}]`, was.get(each), is.get(each), found);
    }
    return;
  }
  if (JSON.stringify(before) !== JSON.stringify(after)) {
    const field = { path };
    if (before !== undefined) {
      field.from = before;
    }
    if (after !== undefined) {
      field.to = after;
    }
    found.push(field);
  }
}

function isPlain(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Returns a field's value in a few characters. */
export function brief(value, max = 60) {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

/** Returns the differences in a few words: "phase Pending → Bound, volumeName +pvc-…". */
export function summary(list) {
  const told = list.filter((each) => !/(Timestamp|Time|since|annotations|tried)\b/.test(each.path));
  const simple = told.filter((each) => typeof (each.to ?? each.from) !== "object");
  return (simple.length ? simple : told)
    .slice(0, 4)
    .map((each) => {
      const name = each.path.split(".").pop();
      if (!("from" in each)) {
        return typeof each.to === "object" ? `+${name}` : `${name} +${brief(each.to, 24)}`;
      }
      return "to" in each
        ? `${name} ${brief(each.from, 24)} → ${brief(each.to, 24)}`
        : `${name} −${brief(each.from, 24)}`;
    })
    .join(", ");
}

/** Returns the differences of two Worlds (Maps of key to object) in the form of the server's WorldDiff items. */
export function worldDiff(from, to) {
  const items = [];
  const add = (key, change, before, after) => {
    const { resource, kind, namespace, name } = parseKey(key);
    const list = change === "updated" ? fields(before, after) : [];
    if (change !== "updated" || list.length) {
      const uid = (after || before).metadata?.uid;
      items.push({ change, resource, kind, namespace, name, uid, fields: list, summary: summary(list) });
    }
  };
  for (const [key, before] of from) {
    const after = to.get(key);
    if (!after) {
      add(key, "deleted", before);
    } else if (after !== before) {
      if (before.metadata?.uid !== after.metadata?.uid) {
        add(key, "deleted", before);
        add(key, "created", undefined, after);
      } else {
        add(key, "updated", before, after);
      }
    }
  }
  for (const [key, after] of to) {
    if (!from.has(key)) {
      add(key, "created", undefined, after);
    }
  }
  return items.sort((a, b) => (a.resource + a.namespace + a.name < b.resource + b.namespace + b.name ? -1 : 1));
}
