/**
 * The permission of slow work to begin something outside. It is valid while this node holds the state that decided on
 * the work: between the decision and the first byte that leaves the process may stall for any time, and another node
 * may take over.
 *
 * The permission travels with the signal of the work, which callers pass to outside calls anyway. (A context that
 * follows promises would make every `await` of the process slower.)
 */
const permits = new WeakMap<AbortSignal, () => boolean>()

/** Allows the work of `signal` to begin something outside while `permit` returns true. */
export function givePermit(signal: AbortSignal, permit: () => boolean): void {
  permits.set(signal, permit)
}

/**
 * True when the work of this signal may begin something outside now. Ask right before the first byte leaves. Calls that
 * are not slow work always may.
 */
export function mayBegin(signal: AbortSignal | undefined): boolean {
  return signal === undefined || (permits.get(signal)?.() ?? true)
}
