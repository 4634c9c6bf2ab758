/** What the parameters of a StorageClass of Mooring's own provisioners say, and what may not be said there. Pure. */
package dev.mooring.model.provision;
