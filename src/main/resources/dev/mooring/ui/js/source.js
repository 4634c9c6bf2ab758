/** Requests to the server. All of them carry the token; only those of the chaos panel change anything. */

const API = "/apis/mooring.dev/v1";

/** Delays before a lost request is sent again, in milliseconds. */
const DELAYS = [200, 800, 2000];

export class ApiError extends Error {
  constructor(status, reason, message) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/**
 * Sends a request, and sends it again if the network loses it: Chromium closes all connections when a network interface
 * appears, as with every start of a container.
 */
async function request(url, options) {
  for (const delay of DELAYS) {
    try {
      return await fetch(url, options);
    } catch (error) {
      if (error.name === "AbortError") {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
  return fetch(url, options);
}

async function failure(response) {
  let status = {};
  try {
    status = await response.json();
  } catch {
    // The body is not a Status, for example behind a proxy.
  }
  return new ApiError(response.status, status.reason || "", status.message || `HTTP ${response.status}`);
}

const query = (values) =>
  new URLSearchParams(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== "" && value !== null),
  );

const path = (...parts) => parts.filter(Boolean).map(encodeURIComponent).join("/");

export class ServerSource {
  constructor(token) {
    this.token = token;
    /** Server time minus browser time, in milliseconds. */
    this.offset = 0;
  }

  async fetch(url, options = {}, send = request) {
    const headers = { ...options.headers, Authorization: `Bearer ${this.token}` };
    const response = await send(url, { ...options, headers, cache: "no-store" });
    const date = Date.parse(response.headers.get("Date") || "");
    if (date && Math.abs(date - Date.now()) > 2000) {
      this.offset = date - Date.now();
    }
    if (!response.ok) {
      throw await failure(response);
    }
    return response;
  }

  async json(url, options, send) {
    return (await this.fetch(url, options, send)).json();
  }

  world(at, signal) {
    return this.json(`${API}/world?${query({ at })}`, { signal });
  }

  timeline(from, to, buckets) {
    return this.json(`${API}/history/timeline?${query({ from, to, buckets })}`);
  }

  history(parameters, signal) {
    return this.json(`${API}/history?${query(parameters)}`, { signal });
  }

  /** Returns all pages of events between two revisions, with objects. */
  async events(from, to, signal) {
    const items = [];
    let next = "";
    do {
      const page = await this.history({ from, to, view: "full", limit: 1000, continue: next }, signal);
      items.push(...page.items);
      next = page.metadata?.continue || "";
    } while (next);
    return items;
  }

  explain(ref, at, signal) {
    return this.json(`${API}/explain/${path(ref.resource, ref.namespace, ref.name)}?${query({ at })}`, { signal });
  }

  diff(from, to, namespace) {
    return this.json(`${API}/diff?${query({ from, to, namespace })}`);
  }

  kubeEvents(object, at, signal) {
    const { name, uid, namespace } = object.metadata;
    const fieldSelector = `involvedObject.name=${name}${uid ? `,involvedObject.uid=${uid}` : ""}`;
    const url = `/api/v1/namespaces/${path(namespace || "default")}/events?${query({ fieldSelector, at })}`;
    return this.json(url, { signal });
  }

  log(pod, parameters, signal) {
    const { name, namespace } = pod.metadata;
    return this.fetch(`/api/v1/namespaces/${path(namespace)}/pods/${path(name)}/log?${query(parameters)}`, { signal });
  }

  /** Returns whether the user may do something with a resource of Mooring. */
  async may(verb, resource) {
    const spec = { resourceAttributes: { verb, group: "mooring.dev", resource } };
    const review = await this.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec,
    });
    return review.status?.allowed === true;
  }

  chaos() {
    return this.json(`${API}/chaos`);
  }

  injectFault(action, body) {
    return this.post(`${API}/chaos/${path(action)}`, body, fetch);
  }

  post(url, body, send) {
    const headers = { "Content-Type": "application/json" };
    return this.json(url, { method: "POST", headers, body: JSON.stringify(body) }, send);
  }

  /** Streams events from a revision on; ends when the connection does, or with an ApiError. */
  async watch(from, signal, onOpen, onLine) {
    const response = await this.fetch(`${API}/history?${query({ watch: true, view: "full", from })}`, { signal }, fetch);
    onOpen();
    for await (const line of lines(response.body)) {
      const message = JSON.parse(line);
      if (message.type === "ERROR") {
        throw new ApiError(message.object?.code || 500, message.object?.reason || "", message.object?.message || "");
      }
      onLine(message);
    }
  }
}

/** Yields the lines of a stream of text. */
export async function* lines(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const parts = rest.split("\n");
      rest = done ? "" : parts.pop();
      for (const part of parts) {
        if (part.trim()) {
          yield part;
        }
      }
      if (done) {
        return;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

export async function loadConfig() {
  const response = await request("config.json", { cache: "no-store" });
  if (!response.ok) {
    throw await failure(response);
  }
  return response.json();
}

/** Exchanges a one-time code for a token. */
export async function logIn(code) {
  const response = await request("login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
  });
  if (!response.ok) {
    throw await failure(response);
  }
  return response.json();
}
