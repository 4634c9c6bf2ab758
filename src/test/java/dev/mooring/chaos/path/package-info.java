/** Attackers replace paths while Mooring works on them; files outside must not change or be exposed. */
package dev.mooring.chaos.path;
