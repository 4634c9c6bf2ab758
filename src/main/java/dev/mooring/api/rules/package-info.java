/** What may be written of each kind: defaults, what a user may decide, what may change, in Kubernetes' words. */
package dev.mooring.api.rules;
