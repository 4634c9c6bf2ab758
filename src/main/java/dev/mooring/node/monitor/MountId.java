package dev.mooring.node.monitor;

import dev.mooring.model.ObjectKey;

/** A mount of a volume for a Pod. */
record MountId(ObjectKey volume, String podUid) {}
