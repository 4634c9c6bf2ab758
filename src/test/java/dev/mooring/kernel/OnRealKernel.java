package dev.mooring.kernel;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Marks test classes that mount, format and cut network cables. They run only where {@code scripts/real-kernel/run} has put them, as root,
 * with nothing of the machine within reach: /mnt, /run and /tmp are empty and in memory, everything else cannot be written to.
 */
@Tag("kernel")
@EnabledIfSystemProperty(
        named = "mooring.realKernel",
        matches = "uml|direct",
        disabledReason = "runs only through scripts/real-kernel/run")
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@interface OnRealKernel {}
