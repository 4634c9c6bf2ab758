/** Entry point. */
import { h, render } from "../lib/preact/dist/preact.module.js";
import { App } from "./app.js";
import { Shell } from "./views/shell.js";

const place = document.getElementById("app");
place.textContent = "";
const app = new App(() => render(h(Shell, { app }), place));
app.changed();
sessionStorage.removeItem("mooring.reloads"); // of reload.js
app.start();
