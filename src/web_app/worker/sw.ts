// The worker beside the app: keeps the page and its modules, so that the app opens without a network. A classic script when it is
// served: the server writes VERSION and SHELL above it and leaves out what makes it a module.

declare const VERSION: string;
declare const SHELL: string[];
declare const self: ServiceWorkerGlobalScope;

const NAME = `belfry-${VERSION}`;

self.addEventListener("install", (event) => {
  const kept = SHELL.map((path) => new Request(path, { cache: "reload" }));
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(kept)));
});

export {};
