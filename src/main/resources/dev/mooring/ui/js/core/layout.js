/**
 * Stable places for chains in rows. A chain keeps its row while others come and go; rows of absent chains stay reserved
 * until compact() is called. Pure.
 */
export class Layout {
  constructor() {
    /** Places in order: {id, row, height, present}. */
    this.places = [];
    this.byId = new Map();
  }

  /** Updates the places for the chains [{id, height}], in the order in which new ones are to be placed. */
  update(chains) {
    this.places.forEach((each) => {
      each.present = false;
    });
    for (const { id, height } of chains) {
      const place = this.byId.get(id);
      if (!place) {
        const last = this.places[this.places.length - 1];
        const made = { id, row: last ? last.row + last.height : 0, height, present: true };
        this.places.push(made);
        this.byId.set(id, made);
      } else {
        place.present = true;
        this.grow(place, height);
      }
    }
  }

  /** Gives a place more rows: from absent neighbours below if possible, else by moving the places below it. */
  grow(place, height) {
    const more = height - place.height;
    if (more <= 0) {
      return;
    }
    place.height = height;
    for (let i = this.places.indexOf(place) + 1; i < this.places.length; i++) {
      this.places[i].row += more;
    }
  }

  /** Returns the share of reserved rows that no present chain uses. */
  waste() {
    const total = this.rows();
    const used = this.places.reduce((sum, each) => sum + (each.present ? each.height : 0), 0);
    return total ? (total - used) / total : 0;
  }

  /** Forgets absent chains and closes the gaps; the order stays. */
  compact() {
    this.places = this.places.filter((each) => each.present);
    this.byId = new Map(this.places.map((each) => [each.id, each]));
    let row = 0;
    for (const each of this.places) {
      each.row = row;
      row += each.height;
    }
  }

  rowOf(id) {
    return this.byId.get(id)?.row;
  }

  rows() {
    const last = this.places[this.places.length - 1];
    return last ? last.row + last.height : 0;
  }
}

/** Returns the chains in the order for an empty layout: by class, namespace and name, so that edges stay short. */
export function ordered(chains) {
  const text = (each) => `${each.className || "~"}\u0000${each.namespace}\u0000${each.id.split("/").pop()}`;
  return [...chains].sort((a, b) => rank(a) - rank(b) || (text(a) < text(b) ? -1 : 1));
}

/** Claims first, then volumes without a claim, Pods without a claim, and unused classes. */
function rank(each) {
  return each.claim ? 0 : each.volume ? 1 : each.storageClass ? 3 : 2;
}

/** Returns the id of the section that a chain belongs to. */
export function sectionOf(chain) {
  return `${chain.namespace || ""}\u0000${chain.className || ""}`;
}

/** Returns the chains by namespace and class: [{id, namespace, className, chains}]. */
export function sections(chains) {
  const found = new Map();
  for (const each of chains) {
    const id = sectionOf(each);
    if (!found.has(id)) {
      found.set(id, { id, namespace: each.namespace || "", className: each.className || "", chains: [] });
    }
    found.get(id).chains.push(each);
  }
  // Volumes and classes without a claim come last.
  const text = (each) => `${each.namespace || "~"}\u0000${each.className || "~"}`;
  return [...found.values()].sort((a, b) => (text(a) < text(b) ? -1 : 1));
}
