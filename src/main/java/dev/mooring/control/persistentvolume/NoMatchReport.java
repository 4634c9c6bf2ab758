package dev.mooring.control.persistentvolume;

import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Explains why no volume matches a claim: for each volume, or in one sentence with counts and names. Each volume is
 * counted once, for its first mismatch. Pure.
 */
public final class NoMatchReport {
    /** Limit of volumes of one class that are examined one by one; of more, only the number is reported. */
    private static final int MAX_EXAMINED = 2000;

    /** Limit of names in the message; of more, only the number is reported. */
    private static final int MAX_NAMES = 3;

    /** Why a volume is not bound to a claim, in the order of the sentence. */
    public enum Exclusion {
        TOO_SMALL,
        OTHER_CLASS,
        OTHER_ACCESS_MODES,
        OTHER_VOLUME_MODE,
        OTHER_ATTRIBUTES_CLASS,
        NOT_SELECTED,
        UNREACHABLE,
        BOUND,
        BEING_EMPTIED,
        /** It matches, so the claim binds to it unless another claim is faster. */
        MATCHES,
        RELEASED,
        FAILED,
        BEING_DELETED;

        /** Returns the reason as Kubernetes writes reasons: {@code TooSmall}. */
        @Override
        public String toString() {
            return Stream.of(name().split("_", -1))
                    .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining());
        }
    }

    /**
     * A volume that is not bound to the claim.
     *
     * @param text the rule with the values of volume and claim
     */
    public record ExcludedVolume(String name, Exclusion exclusion, String text) {}

    private final Claim claim;
    private final String claimClass;
    private final World world;
    private final Map<Exclusion, Integer> counts = new EnumMap<>(Exclusion.class);
    private Quantity largest = Quantity.ZERO;
    private final List<String> released = new ArrayList<>();
    private Optional<String> releasedVolume = Optional.empty();

    private NoMatchReport(World world, Claim claim) {
        this.world = world;
        this.claim = claim;
        this.claimClass = claim.className().orElse("");
    }

    /** Returns the sentence that the claim's status contains. */
    static String of(World world, Claim claim) {
        NoMatchReport report = new NoMatchReport(world, claim);
        return report.text()
                + report.releasedVolume
                        .map(name -> "; next: offer a Released volume again with: mooring release pv/" + name)
                        .orElse("");
    }

    /** Returns that sentence without its advice. */
    public static String reasons(World world, Claim claim) {
        return new NoMatchReport(world, claim).text();
    }

    /** Returns the first volumes with the reason why they are not bound to the claim: those of its class first. */
    public static List<ExcludedVolume> excluded(World world, Claim claim, int limit) {
        NoMatchReport report = new NoMatchReport(world, claim);
        return Stream.concat(
                        VolumeEntry.ofClass(world, report.claimClass),
                        VolumeEntry.all(world)
                                .filter(entry -> !entry.className().equals(report.claimClass)))
                .limit(limit)
                .map(report::excluded)
                .toList();
    }

    private String text() {
        int all = world.count(Scope.resource(StorageNames.VOLUMES));
        if (all == 0) {
            return "there are no PersistentVolumes";
        }
        int ofClass = VolumeEntry.count(world, claimClass);
        VolumeEntry.ofClass(world, claimClass).limit(MAX_EXAMINED).forEach(this::count);
        counts.put(Exclusion.OTHER_CLASS, all - ofClass);
        List<String> reasons = new ArrayList<>();
        for (Exclusion exclusion : Exclusion.values()) {
            int count = counts.getOrDefault(exclusion, 0);
            if (count > 0) {
                reasons.add(count + " " + sentence(exclusion));
            }
        }
        if (ofClass > MAX_EXAMINED) {
            reasons.add(ofClass - MAX_EXAMINED + " more of this class");
        }
        return all + (all == 1 ? " PV" : " PVs") + " checked: " + String.join(", ", reasons);
    }

    private void count(VolumeEntry entry) {
        Exclusion exclusion = exclusion(entry);
        counts.merge(exclusion, 1, Integer::sum);
        if (exclusion == Exclusion.TOO_SMALL) {
            largest = entry.capacity().compareTo(largest) > 0 ? entry.capacity() : largest;
        } else if (exclusion == Exclusion.RELEASED && released.size() < MAX_NAMES) {
            released.add(lastClaim(entry));
            releasedVolume = releasedVolume.or(() -> Optional.of(entry.name()));
        }
    }

    private String lastClaim(VolumeEntry entry) {
        return Lookup.volume(world, entry.name())
                .flatMap(Volume::claimRef)
                .map(ClaimRef::toString)
                .orElse("no claim");
    }

    private Exclusion exclusion(VolumeEntry entry) {
        if (!entry.className().equals(claimClass)) {
            return Exclusion.OTHER_CLASS;
        }
        return switch (entry.state()) {
            case BEING_DELETED -> Exclusion.BEING_DELETED;
            case RELEASED -> Exclusion.RELEASED;
            case FAILED -> Exclusion.FAILED;
            case TAKEN -> Exclusion.BOUND;
            case FREE -> mismatch(entry);
        };
    }

    private Exclusion mismatch(VolumeEntry entry) {
        if (entry.matchKey().mode() != claim.mode()) {
            return Exclusion.OTHER_VOLUME_MODE;
        }
        if (!entry.matchKey().attributesClass().equals(claim.attributesClass())) {
            return Exclusion.OTHER_ATTRIBUTES_CLASS;
        }
        if (!entry.matchKey().accessModes().containsAll(claim.accessModes())) {
            return Exclusion.OTHER_ACCESS_MODES;
        }
        if (entry.capacity().compareTo(claim.request()) < 0) {
            return Exclusion.TOO_SMALL;
        }
        if (claim.selector()
                .filter(selector -> !selector.matches(entry.labels()))
                .isPresent()) {
            return Exclusion.NOT_SELECTED;
        }
        Volume volume = Lookup.volume(world, entry.name()).orElseThrow();
        if (!ClaimSync.isReachable(world, volume, claim)) {
            return Exclusion.UNREACHABLE;
        }
        if (ClaimSync.isBoundToOther(world, volume, claim)) {
            return Exclusion.BOUND;
        }
        return Lookup.isBeingEmptied(world, volume) ? Exclusion.BEING_EMPTIED : Exclusion.MATCHES;
    }

    /** Describes all volumes that are excluded for one reason. */
    private String sentence(Exclusion exclusion) {
        return switch (exclusion) {
            case TOO_SMALL -> "too small (largest " + largest.canonical() + ")";
            case OTHER_CLASS -> otherClasses();
            case OTHER_ACCESS_MODES -> "without access mode " + claim.accessModes();
            case OTHER_VOLUME_MODE -> "not of volumeMode " + claim.mode();
            case OTHER_ATTRIBUTES_CLASS -> "of another VolumeAttributesClass";
            case NOT_SELECTED -> "not matching the selector";
            case UNREACHABLE ->
                hasScheduledPod() ? "not reachable from the node of its Pod" : "with affinity to no existing node";
            case BOUND -> "bound to other claims";
            case BEING_EMPTIED -> "with data that is being deleted or scrubbed";
            case MATCHES -> "about to be bound";
            case RELEASED ->
                "Released from " + String.join(", ", released)
                        + (counts.get(Exclusion.RELEASED) > released.size() ? ", …" : "");
            case FAILED -> "Failed";
            case BEING_DELETED -> "being deleted";
        };
    }

    private boolean hasScheduledPod() {
        return ClaimSync.users(world, claim).anyMatch(Pod::isScheduled);
    }

    private ExcludedVolume excluded(VolumeEntry entry) {
        Exclusion exclusion = exclusion(entry);
        VolumeEntry.MatchKey key = entry.matchKey();
        String text = switch (exclusion) {
            case TOO_SMALL ->
                "capacity " + entry.capacity().canonical() + " is less than the requested " + claim.request();
            case OTHER_CLASS -> "class " + shown(entry.className()) + " is not " + shown(claimClass);
            case OTHER_ACCESS_MODES -> "access modes " + key.accessModes() + " do not include " + claim.accessModes();
            case OTHER_VOLUME_MODE -> "volumeMode " + key.mode() + " is not " + claim.mode();
            case OTHER_ATTRIBUTES_CLASS ->
                "VolumeAttributesClass " + shown(key.attributesClass()) + " is not " + shown(claim.attributesClass());
            case NOT_SELECTED -> "its labels do not match the claim's selector";
            case UNREACHABLE ->
                hasScheduledPod()
                        ? "its node affinity excludes the node of the claim's Pod"
                        : "its node affinity matches no existing node";
            case BOUND -> "it belongs to another claim";
            case BEING_EMPTIED -> "its data is being deleted or scrubbed";
            case MATCHES -> "it matches and is about to be bound";
            case RELEASED -> "it is Released from claim " + lastClaim(entry) + " and still has its data";
            case FAILED -> "it is Failed";
            case BEING_DELETED -> "it is being deleted";
        };
        return new ExcludedVolume(entry.name(), exclusion, text);
    }

    private String otherClasses() {
        List<String> names = new ArrayList<>();
        Optional<String> next = VolumeEntry.firstClass(world, "");
        while (next.isPresent() && names.size() <= MAX_NAMES) {
            next.filter(name -> !name.equals(claimClass)).ifPresent(names::add);
            next = VolumeEntry.firstClass(world, next.get() + '\0');
        }
        String some = names.stream().limit(MAX_NAMES).map(NoMatchReport::shown).collect(Collectors.joining(", "));
        return names.size() == 1
                ? "class " + some + '≠' + shown(claimClass)
                : "of other classes than " + shown(claimClass) + " (" + some
                        + (names.size() > MAX_NAMES ? ", …)" : ")");
    }

    private static String shown(String className) {
        return className.isEmpty() ? "\"\"" : className;
    }
}
