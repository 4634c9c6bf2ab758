/** Which paths of a machine Pods may have: what whoever admits Pods and whoever mounts for them have to agree upon. */
package dev.mooring.model.host;
