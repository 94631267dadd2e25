// What the ORM's own command line reads, to compare entities with migrations: the service itself migrates at start.

import { loadConfig } from "./src/config.ts";
import { ormOptions } from "./src/db/orm.ts";

export default ormOptions(loadConfig());
