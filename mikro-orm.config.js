// Where MikroORM's command line looks without being told anything. Node reads TypeScript by itself.
export { default } from "./mikro-orm.config.ts";
