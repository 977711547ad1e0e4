/**
 * A tap test, which cleans up after itself. Teardowns run in reverse order: a resource that was asked for later is
 * removed earlier.
 */
export type Owner = { teardown(undo: () => unknown): unknown }
