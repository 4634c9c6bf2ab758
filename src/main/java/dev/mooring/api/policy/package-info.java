/** What Pods may ask for: what users may have of the machine, and what can be done for anybody at all. */
package dev.mooring.api.policy;
