/**
 * The permission of slow work to begin something outside. It is given while the state that decided on it is held: between
 * the decision and the first byte that leaves may be a stand-still of any length, in which another node has taken over.
 *
 * It goes with the signal of the work, which whoever calls outside is given anyway. (A context that follows promises would
 * make every `await` of the process dearer.)
 */
const permits = new WeakMap<AbortSignal, () => boolean>()

/** Makes `signal` the signal of a work that may begin something outside while `permit` says so. */
export function givePermit(signal: AbortSignal, permit: () => boolean): void {
  permits.set(signal, permit)
}

/**
 * Whether the work of this signal may begin something outside now. To be asked right before the first byte leaves. What is
 * not slow work may always.
 */
export function mayBegin(signal: AbortSignal | undefined): boolean {
  return signal === undefined || (permits.get(signal)?.() ?? true)
}
