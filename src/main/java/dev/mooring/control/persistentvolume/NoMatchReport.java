package dev.mooring.control.persistentvolume;

import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Explains in one sentence, with counts and names, why no volume matches a claim. Each volume is counted once, for its
 * first mismatch.
 */
final class NoMatchReport {
    /** Limit of volumes of one class that are examined one by one; of more, only the number is reported. */
    private static final int MAX_EXAMINED = 2000;

    /** Limit of names in the message; of more, only the number is reported. */
    private static final int MAX_NAMES = 3;

    private final Claim claim;
    private final String claimClass;
    private final World world;
    private int deleting;
    private int bound;
    private int failed;
    private int otherMode;
    private int otherAttributes;
    private int otherAccess;
    private int tooSmall;
    private int notSelected;
    private int unreachable;
    private int assumed;
    private Quantity largest = Quantity.ZERO;
    private final List<String> released = new ArrayList<>();
    private int releasedMore;
    private Optional<String> releasedVolume = Optional.empty();

    private NoMatchReport(World world, Claim claim) {
        this.world = world;
        this.claim = claim;
        this.claimClass = claim.className().orElse("");
    }

    /** Returns the report; "" if there are no volumes. */
    static String of(World world, Claim claim) {
        return new NoMatchReport(world, claim).text();
    }

    private String text() {
        int all = world.count(Scope.resource(StorageNames.VOLUMES));
        if (all == 0) {
            return "there are no PersistentVolumes";
        }
        int ofClass = VolumeEntry.count(world, claimClass);
        VolumeEntry.ofClass(world, claimClass).limit(MAX_EXAMINED).forEach(this::count);
        List<String> reasons = new ArrayList<>();
        add(reasons, tooSmall, "too small (largest " + largest.canonical() + ")");
        addOtherClasses(reasons, all - ofClass);
        add(reasons, otherAccess, "without access mode " + claim.accessModes());
        add(reasons, otherMode, "not of volumeMode " + claim.mode());
        add(reasons, otherAttributes, "of another VolumeAttributesClass");
        add(reasons, notSelected, "not matching the selector");
        add(reasons, unreachable, "with affinity to no existing node");
        add(reasons, bound, "bound to other claims");
        add(reasons, assumed, "about to be bound");
        if (!released.isEmpty()) {
            String from = String.join(", ", released);
            add(reasons, released.size() + releasedMore, "Released from " + from + (releasedMore > 0 ? ", …" : ""));
        }
        add(reasons, failed, "Failed");
        add(reasons, deleting, "being deleted");
        add(reasons, ofClass - MAX_EXAMINED, "more of this class");
        String next = releasedVolume
                .map(name -> "; next: offer a Released volume again with: mooring release pv/" + name)
                .orElse("");
        return all + (all == 1 ? " PV" : " PVs") + " checked: " + String.join(", ", reasons) + next;
    }

    private void count(VolumeEntry entry) {
        switch (entry.state()) {
            case BEING_DELETED -> deleting++;
            case RELEASED -> addReleased(entry);
            case FAILED -> failed++;
            case TAKEN -> bound++;
            case FREE -> countMismatch(entry);
        }
    }

    private void addReleased(VolumeEntry entry) {
        if (released.size() < MAX_NAMES) {
            released.add(Lookup.volume(world, entry.name())
                    .flatMap(Volume::claimRef)
                    .map(ClaimRef::toString)
                    .orElse("no claim"));
        } else {
            releasedMore++;
        }
        if (releasedVolume.isEmpty()) {
            releasedVolume = Optional.of(entry.name());
        }
    }

    private void countMismatch(VolumeEntry entry) {
        if (entry.matchKey().mode() != claim.mode()) {
            otherMode++;
        } else if (!entry.matchKey().attributesClass().equals(claim.attributesClass())) {
            otherAttributes++;
        } else if (!entry.matchKey().accessModes().containsAll(claim.accessModes())) {
            otherAccess++;
        } else if (entry.capacity().compareTo(claim.request()) < 0) {
            tooSmall++;
            largest = entry.capacity().compareTo(largest) > 0 ? entry.capacity() : largest;
        } else if (claim.selector()
                .filter(selector -> !selector.matches(entry.labels()))
                .isPresent()) {
            notSelected++;
        } else if (!Lookup.isReachable(world, entry.affinity())) {
            unreachable++;
        } else {
            assumed++;
        }
    }

    private void addOtherClasses(List<String> reasons, int count) {
        if (count == 0) {
            return;
        }
        List<String> names = otherClasses();
        String some = names.stream().limit(MAX_NAMES).map(NoMatchReport::shown).collect(Collectors.joining(", "));
        add(
                reasons,
                count,
                names.size() == 1
                        ? "class " + some + '≠' + shown(claimClass)
                        : "of other classes than " + shown(claimClass) + " (" + some
                                + (names.size() > MAX_NAMES ? ", …)" : ")"));
    }

    /** Returns the first classes besides the claim's, one more than are shown. */
    private List<String> otherClasses() {
        List<String> names = new ArrayList<>();
        Optional<String> next = VolumeEntry.firstClass(world, "");
        while (next.isPresent() && names.size() <= MAX_NAMES) {
            next.filter(name -> !name.equals(claimClass)).ifPresent(names::add);
            next = VolumeEntry.firstClass(world, next.get() + '\0');
        }
        return names;
    }

    private static String shown(String className) {
        return className.isEmpty() ? "\"\"" : className;
    }

    private static void add(List<String> reasons, int count, String reason) {
        if (count > 0) {
            reasons.add(count + " " + reason);
        }
    }
}
