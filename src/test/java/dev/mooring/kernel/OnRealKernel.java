package dev.mooring.kernel;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Marks test classes that mount and format filesystems and change networks. They run only in the environment of
 * {@code scripts/real-kernel/run}, as root and isolated from the machine: /mnt, /run and /tmp are empty and in memory,
 * everything else is read-only.
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
