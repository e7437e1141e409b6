import { watchOver } from "./live.js";
import { at, begin } from "./shell.js";

at("print").addEventListener("click", () => window.print());
if (await begin()) watchOver();
