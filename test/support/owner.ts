/** Whoever cleans up: a tap test. Teardowns run last registered first, so what is asked for later is undone earlier. */
export type Owner = { teardown(undo: () => unknown): unknown }
