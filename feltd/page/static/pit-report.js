import { at, begin } from "./shell.js";

at("print").addEventListener("click", () => window.print());
begin();
