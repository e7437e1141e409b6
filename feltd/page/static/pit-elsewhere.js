// On each page of the pit but its first: the band of all tables, and what waits anywhere, to be heard.

import { watchTables } from "./pit-watch.js";

watchTables();
