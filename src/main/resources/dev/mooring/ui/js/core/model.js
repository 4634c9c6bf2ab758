/**
 * What the graph and the table show of a World: nodes in five columns (class, volume, claim, Pod, mount), the edges
 * between them, and chains. A chain is a claim with its volume and Pods, and keeps together in the layout. Pure.
 */
import { factsOf, isProblem, mountFacts } from "./facts.js";
import { keyOf, keyOfObject } from "./names.js";

export const COLUMNS = ["Class", "Volume", "Claim", "Pod", "Mount"];
const [CLASS, VOLUME, CLAIM, POD, MOUNT] = [0, 1, 2, 3, 4];

/** Plugins whose volumes hold no data of the user; their mounts are shown only if they have a problem. */
const CONTENT = /(configmap|secret|projected|downward-?api|empty-?dir)$/;

const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

/** Returns {chains, byKey, edges, namespaces, nodeNames, classes, problems} of a World. */
export function build(world) {
  const lists = group(world);
  const model = {
    chains: new Map(),
    byKey: new Map(),
    edges: [],
    classes: lists.storageclasses.map((each) => each.metadata.name).sort(),
    namespaces: names(lists),
    nodeNames: lists.nodes.map((each) => each.metadata.name).sort(),
  };
  const context = { model, lists, world, mounts: collectMounts(lists), operations: byClaim(lists.volumeoperations) };
  lists.persistentvolumeclaims.forEach((claim) => addClaim(context, claim));
  lists.persistentvolumes.forEach((volume) => addVolume(context, volume));
  lists.pods.forEach((pod) => addPod(context, pod));
  addLeftMounts(context);
  lists.storageclasses.forEach((each) => addClass(context, each));
  connectClasses(context);
  model.problems = 0;
  for (const node of model.byKey.values()) {
    node.problem = isProblem(node.facts);
    model.problems += node.problem ? 1 : 0;
  }
  return model;
}

function group(world) {
  const lists = {
    storageclasses: [],
    persistentvolumes: [],
    persistentvolumeclaims: [],
    pods: [],
    nodes: [],
    namespaces: [],
    desiredvolumes: [],
    actualvolumes: [],
    volumeoperations: [],
    volumeattachments: [],
  };
  for (const [key, object] of world) {
    lists[key.slice(0, key.indexOf("/"))]?.push(object);
  }
  return lists;
}

function names(lists) {
  const found = new Set();
  for (const list of [lists.persistentvolumeclaims, lists.pods]) {
    list.forEach((each) => found.add(each.metadata.namespace));
  }
  return [...found].sort();
}

function byClaim(operations) {
  return new Map(operations.filter((each) => each.spec?.claim?.uid).map((each) => [each.spec.claim.uid, each]));
}

/** Joins the desired and the actual state: one mount per Pod (uid) and volume name. */
function collectMounts(lists) {
  const mounts = new Map();
  const at = (pod, volumeName) => `${pod?.uid}/${volumeName}`;
  for (const desired of lists.desiredvolumes) {
    const { spec = {} } = desired;
    mounts.set(at(spec.pod, spec.volumeName), { desired, pod: spec.pod, volumeName: spec.volumeName, spec });
  }
  const devices = new Map();
  for (const actual of lists.actualvolumes) {
    const { spec = {}, status = {} } = actual;
    devices.set(`${spec.node}/${spec.volume}`, actual);
    for (const mount of status.mounts || []) {
      const id = at(mount.pod, mount.volumeName);
      mounts.set(id, { pod: mount.pod, volumeName: mount.volumeName, ...mounts.get(id), actual, mount, spec });
    }
  }
  // Before the first mount of a device, the ActualVolume has only the state of the device.
  for (const each of mounts.values()) {
    if (!each.actual && each.spec.volume) {
      each.device = devices.get(`${each.spec.node}/${each.spec.volume}`);
    }
  }
  return mounts;
}

function factsOfMount({ desired, mount, device }) {
  if (mount) {
    const facts = mountFacts(mount);
    return desired || facts.tone !== "ok"
      ? facts
      : { ...facts, word: "Unmount due", tone: "wait", message: "No Pod needs it any more" };
  }
  if (device) {
    const facts = factsOf(device);
    return facts.tone === "ok" ? { ...facts, word: "Mounting", tone: "wait", line: "dashed" } : facts;
  }
  const facts = factsOf(desired);
  return facts.tone === "ok" ? { ...facts, word: "Desired", tone: "wait", line: "dashed" } : facts;
}

function node(model, column, key, object, more) {
  const facts = more.facts || factsOf(object);
  const made = { key, column, object, facts, namespace: object?.metadata?.namespace || "", ...more };
  model.byKey.set(key, made);
  return made;
}

function chain(model, id, more) {
  let found = model.chains.get(id);
  if (!found) {
    found = { id, claim: null, volume: null, pods: [], mounts: [], className: "", namespace: "", ...more };
    model.chains.set(id, found);
  }
  return found;
}

function edge(model, from, to, facts, line = facts.line) {
  model.edges.push({ id: `${from}>${to}`, from, to, tone: facts.tone, line });
}

const sizeOf = (claim) => claim.status?.capacity?.storage || claim.spec?.resources?.requests?.storage || "";

function addClaim(context, claim) {
  const { model, world, operations } = context;
  const { namespace, name, uid } = claim.metadata;
  const key = keyOf("persistentvolumeclaims", namespace, name);
  const className = claim.spec?.storageClassName || "";
  const found = chain(model, key, { namespace, className });
  found.claim = node(model, CLAIM, key, claim, { title: name, size: sizeOf(claim), className, chain: key });
  const volumeName = claim.spec?.volumeName;
  const volume = volumeName && world.get(keyOf("persistentvolumes", "", volumeName));
  if (volume) {
    found.volume = volumeNode(context, volume, key);
    edge(model, found.volume.key, key, found.claim.facts);
    return;
  }
  const missing = missingVolume(context, claim, operations.get(uid), className);
  found.volume = node(model, VOLUME, `${key}#volume`, null, { ...missing, target: missing.target || key, chain: key });
  edge(model, found.volume.key, key, missing.facts, "dashed");
}

function missingVolume({ lists }, claim, operation, className) {
  const dashed = (word, tone, more = {}) => ({ facts: { word, tone, line: "dashed", ...more }, placeholder: true });
  const named = claim.spec?.volumeName;
  if (named) {
    return { ...dashed("gone", claim.status?.phase === "Lost" ? "bad" : "wait"), title: named };
  }
  if (operation) {
    const facts = factsOf(operation);
    const word = facts.tone === "bad" ? "provisioning failed" : "provisioning";
    return { facts: { ...facts, word, line: "dashed" }, placeholder: true, title: "", target: keyOfObject(operation) };
  }
  const storageClass = lists.storageclasses.find((each) => each.metadata.name === className);
  if (className && !storageClass) {
    return { ...dashed("class does not exist", "bad"), title: "" };
  }
  if (storageClass?.volumeBindingMode === "WaitForFirstConsumer" && claim.status?.phase === "Pending") {
    const { name, namespace } = claim.metadata;
    const used = lists.pods.some((pod) => pod.metadata.namespace === namespace && claimNames(pod).includes(name));
    if (!used) {
      return { ...dashed("waits for a Pod", "wait"), title: "" };
    }
  }
  if (storageClass && !/no-provisioner$/.test(storageClass.provisioner || "")) {
    return { ...dashed("not provisioned yet", "wait"), title: "" };
  }
  const looked = lists.persistentvolumes.length;
  return { ...dashed(`none fits · ${looked} looked at`, "wait"), title: "" };
}

function volumeNode({ model }, volume, chainId) {
  const { name } = volume.metadata;
  const key = keyOf("persistentvolumes", "", name);
  return node(model, VOLUME, key, volume, {
    title: name,
    size: volume.spec?.capacity?.storage || "",
    className: volume.spec?.storageClassName || "",
    claimName: volume.spec?.claimRef?.name,
    chain: chainId,
  });
}

function addVolume(context, volume) {
  const { model } = context;
  const key = keyOf("persistentvolumes", "", volume.metadata.name);
  if (!model.byKey.has(key)) {
    const ref = volume.spec?.claimRef;
    const found = chain(model, key, {
      className: volume.spec?.storageClassName || "",
      namespace: ref?.namespace || "",
    });
    found.volume = volumeNode(context, volume, key);
  }
}

export function claimNames(pod) {
  const { name } = pod.metadata;
  return (pod.spec?.volumes || [])
    .map((each) => each.persistentVolumeClaim?.claimName || (each.ephemeral ? `${name}-${each.name}` : ""))
    .filter(Boolean);
}

function addPod(context, pod) {
  const { model } = context;
  const { namespace, name, uid } = pod.metadata;
  const key = keyOf("pods", namespace, name);
  const claims = [...new Set(claimNames(pod))].map((each) => keyOf("persistentvolumeclaims", namespace, each));
  claims.forEach((each) => addMissingClaim(model, each, namespace));
  const found = chain(model, claims[0] || key, { namespace });
  const nodeName = pod.spec?.nodeName || "";
  const made = node(model, POD, key, pod, { title: name, nodeName, chain: found.id, mounts: [] });
  found.pods.push(made);
  claims.forEach((each) => edge(model, each, key, made.facts, nodeName ? "solid" : "dashed"));
  const claimOf = new Map();
  (pod.spec?.volumes || []).forEach((each) => claimOf.set(each.name, each.persistentVolumeClaim?.claimName));
  let mounted = 0;
  let wanted = 0;
  for (const volume of pod.spec?.volumes || []) {
    const mount = context.mounts.get(`${uid}/${volume.name}`);
    if (mount) {
      wanted++;
      mount.taken = true;
      const facts = factsOfMount(mount);
      mounted += facts.word === "Mounted" ? 1 : 0;
      if (!CONTENT.test(mount.spec.plugin || "") || isProblem(facts)) {
        addMount(context, found, made, mount, facts, claimOf.get(volume.name));
      }
    }
  }
  made.mountCount = wanted ? `${mounted}/${wanted}` : "";
}

function addMissingClaim(model, key, namespace) {
  if (!model.byKey.has(key)) {
    const facts = { word: "does not exist", tone: "bad", line: "dashed" };
    const title = key.slice(key.lastIndexOf("/") + 1);
    const found = chain(model, key, { namespace });
    found.claim = node(model, CLAIM, key, null, { title, facts, placeholder: true, namespace, chain: key });
  }
}

function addMount(context, found, pod, mount, facts, claimName) {
  const { model } = context;
  const object = mount.actual || mount.device || mount.desired;
  const key = `${keyOfObject(object)}#${mount.pod?.uid}`;
  const made = node(model, MOUNT, key, object, {
    title: mount.spec.node || "",
    volumeName: mount.volumeName,
    nodeName: mount.spec.node || "",
    plugin: (mount.spec.plugin || "").replace("kubernetes.io/", ""),
    namespace: mount.pod?.namespace || "",
    podName: mount.pod?.name,
    claimName: claimName || mount.spec.claim?.name,
    path: mount.mount?.path,
    target: keyOfObject(object),
    facts,
    chain: found.id,
  });
  found.mounts.push(made);
  if (pod) {
    pod.mounts.push(made);
    edge(model, pod.key, key, facts);
  }
}

/** Mounts of Pods that no longer exist. */
function addLeftMounts(context) {
  for (const mount of context.mounts.values()) {
    if (!mount.taken && !CONTENT.test(mount.spec.plugin || "")) {
      const { claim, persistentVolume } = mount.spec;
      const claimKey = claim && keyOf("persistentvolumeclaims", claim.namespace, claim.name);
      const volumeKey = persistentVolume && keyOf("persistentvolumes", "", persistentVolume);
      const id = [claimKey, context.model.byKey.get(volumeKey)?.chain].find((each) => context.model.chains.has(each));
      const found = chain(context.model, id || `mount/${mount.pod?.uid}/${mount.volumeName}`, {
        namespace: mount.pod?.namespace || "",
      });
      addMount(context, found, null, mount, factsOfMount(mount), claim?.name);
    }
  }
}

function addClass({ model }, storageClass) {
  const { name, annotations } = storageClass.metadata;
  const key = keyOf("storageclasses", "", name);
  node(model, CLASS, key, storageClass, {
    title: name,
    className: name,
    isDefault: annotations?.[DEFAULT_CLASS] === "true",
    chain: key,
  });
}

function connectClasses({ model }) {
  const used = new Set();
  for (const each of model.chains.values()) {
    if (each.volume && each.className) {
      const key = keyOf("storageclasses", "", each.className);
      used.add(key);
      if (!model.byKey.has(key)) {
        const facts = { word: "does not exist", tone: each.volume.placeholder ? "bad" : "idle", line: "dashed" };
        node(model, CLASS, key, null, { title: each.className, className: each.className, facts, placeholder: true });
      }
      edge(model, key, each.volume.key, { tone: "idle" }, each.volume.placeholder ? "dashed" : "solid");
    }
  }
  for (const [key, each] of model.byKey) {
    if (each.column === CLASS && !used.has(key)) {
      chain(model, key, { className: each.className }).storageClass = each;
    }
  }
}

/** Returns whether a chain passes the filters {namespace, node, className, problems, text}. */
export function accepts(found, filters) {
  const nodes = nodesOf(found);
  const all = [...nodes, ...(found.storageClass ? [found.storageClass] : [])];
  if (filters.namespace && found.namespace !== filters.namespace) {
    return false;
  }
  if (filters.className && found.className !== filters.className) {
    return false;
  }
  if (filters.node && !all.some((each) => each.nodeName === filters.node)) {
    return false;
  }
  if (filters.problems && !all.some((each) => each.problem)) {
    return false;
  }
  return !filters.text || all.some((each) => matches(each, filters.text)) || found.className === filters.text;
}

export function matches(each, text) {
  const wanted = text.toLowerCase();
  return [each.title, each.facts.word, each.key, each.volumeName, each.facts.reason, each.facts.message].some((value) =>
    String(value || "")
      .toLowerCase()
      .includes(wanted),
  );
}

export function nodesOf(found) {
  return [found.volume, found.claim, ...found.pods, ...found.mounts].filter(Boolean);
}

/** Returns the rows that a chain needs: each Pod needs as many as it has mounts. */
export function heightOf(found) {
  const pods = found.pods.reduce((sum, pod) => sum + Math.max(1, pod.mounts.length), 0);
  const left = found.mounts.length - found.pods.reduce((sum, pod) => sum + pod.mounts.length, 0);
  return Math.max(1, pods + left);
}

/** Returns the word and tone for several nodes of one column: "48 claims", "2 Failed". */
export function tally(nodes) {
  const words = new Map();
  for (const each of nodes) {
    const entry = words.get(each.facts.word) || { word: each.facts.word, tone: each.facts.tone, number: 0 };
    entry.number++;
    words.set(each.facts.word, entry);
  }
  const order = { bad: 0, unsure: 1, wait: 2, ok: 3, idle: 4 };
  return [...words.values()].sort((a, b) => order[a.tone] - order[b.tone] || b.number - a.number);
}

/** Returns the objects of a World as table rows: every object once, with the facts that the graph shows. */
export function rows(world, model) {
  const list = [];
  const mountsOf = new Map();
  for (const each of model.byKey.values()) {
    if (each.column === MOUNT) {
      mountsOf.set(each.target, each);
    }
  }
  for (const [key, object] of world) {
    const made = model.byKey.get(key) || mountsOf.get(key);
    const facts = made?.facts || factsOf(object);
    const { metadata: meta = {}, spec = {} } = object;
    const claim = spec.claim || spec.claimRef;
    list.push({
      key,
      object,
      kind: object.kind,
      namespace: meta.namespace || spec.pod?.namespace || "",
      name: meta.name,
      facts,
      word: facts.word,
      problem: isProblem(facts),
      size: made?.size || spec.capacity?.storage || (typeof spec.capacity === "string" ? spec.capacity : ""),
      className: made?.className || spec.storageClassName || "",
      node: made?.nodeName || spec.nodeName || spec.node || "",
      related:
        (claim && `pvc/${claim.name}`) ||
        (spec.volumeName && object.kind === "PersistentVolumeClaim" && `pv/${spec.volumeName}`) ||
        (spec.source?.persistentVolumeName && `pv/${spec.source.persistentVolumeName}`) ||
        (object.kind === "Pod" &&
          claimNames(object)
            .map((each) => `pvc/${each}`)
            .join(" ")) ||
        "",
      created: Date.parse(meta.creationTimestamp || 0),
      title: meta.name,
    });
  }
  return list;
}

/** Returns the keys of objects connected with a key through chains and edges, itself first. */
export function relatedKeys(model, key) {
  const start = model.byKey.get(key) || [...model.byKey.values()].find((each) => each.target === key);
  if (!start) {
    return [key];
  }
  const found = new Set([key, start.key]);
  const own = model.chains.get(start.chain);
  (own ? nodesOf(own) : []).forEach((each) => {
    found.add(each.key);
    if (each.target) {
      found.add(each.target);
    }
  });
  for (const each of model.edges) {
    if (each.from === start.key || each.to === start.key) {
      found.add(each.from);
      found.add(each.to);
    }
  }
  return [...found].map((each) => each.split("#")[0]).filter((each, index, all) => all.indexOf(each) === index);
}
