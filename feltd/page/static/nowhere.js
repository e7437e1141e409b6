// A page in the place of one that is not there: what must not be missed is live on it all the same.

import { watchOver } from "./live.js";
import { begin } from "./shell.js";

if ((await begin()) && !document.body.dataset.pit) watchOver(); // the pit's page has its own stream
