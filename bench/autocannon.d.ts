declare module "autocannon" {
  import type { EventEmitter } from "node:events";

  export interface Request {
    method?: string;
    path?: string;
    headers?: Record<string, string>;
    body?: string;
  }
  export interface Client {
    setRequests(requests: Request[]): void;
  }
  interface Options {
    url: string;
    connections: number;
    duration: number;
    setupClient?(client: Client): void;
    verifyBody?(body: string): boolean;
  }
  interface Result {
    duration: number;
    errors: number;
    timeouts: number;
    mismatches: number;
    non2xx: number;
    requests: { total: number };
  }
  interface Instance extends EventEmitter, Promise<Result> {}
  export default function autocannon(options: Options): Instance;
}
