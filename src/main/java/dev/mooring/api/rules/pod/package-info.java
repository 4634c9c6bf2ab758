/** Rules of Pods: defaults, validation and updates, with Kubernetes' messages. */
package dev.mooring.api.rules.pod;
