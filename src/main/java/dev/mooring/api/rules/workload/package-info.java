/** Defaults and validation of workloads: kinds with a template of Pods. */
package dev.mooring.api.rules.workload;
