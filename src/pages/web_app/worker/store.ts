// What the app keeps in IndexedDB, for the worker: the same names and shapes as in browser/store.ts, without its library.

/** Opens what the app has made; the worker makes nothing itself. */
function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open("belfry");
    asked.onupgradeneeded = () => asked.transaction?.abort();
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

async function inStore<Found>(
  name: string,
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<Found> | null,
): Promise<Found | undefined> {
  const database = await opened();
  try {
    const work = database.transaction(name, mode);
    const asked = ask(work.objectStore(name));
    return await new Promise((resolve, reject) => {
      work.oncomplete = () => resolve(asked?.result);
      work.onabort = () => reject(work.error);
    });
  } finally {
    database.close();
  }
}

export const read = <Row>(name: string, key: string): Promise<Row | undefined> =>
  inStore<Row>(name, "readonly", (store) => store.get(key));

export const facts = <Fact>(name: string): Promise<Fact | undefined> => read<Fact>("facts", name);

export const readAll = async <Row>(name: string): Promise<Row[]> =>
  (await inStore<Row[]>(name, "readonly", (store) => store.getAll())) ?? [];

export async function keepAll(name: string, rows: readonly object[]): Promise<void> {
  await inStore<never>(name, "readwrite", (store) => {
    for (const row of rows) store.put(row);
    return null;
  });
}
