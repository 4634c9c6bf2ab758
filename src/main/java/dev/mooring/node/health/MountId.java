package dev.mooring.node.health;

import dev.mooring.model.ObjectKey;

/** A mount of a volume for a Pod. */
record MountId(ObjectKey volume, String podUid) {}
